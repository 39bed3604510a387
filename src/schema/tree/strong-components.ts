interface Visit {
  readonly at: number;
  readonly rest: Iterator<number, undefined>;
}

/**
 * Strongly connected components reachable from `starts`, including single nodes without a self-loop
 * (Tarjan).
 */
export function components(
  starts: readonly number[],
  followers: (at: number) => readonly number[],
): readonly number[][] {
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const found: number[][] = [];
  const enter = (at: number): Visit => {
    index.set(at, index.size);
    low.set(at, index.size - 1);
    open.push(at);
    isOpen.add(at);
    return { at, rest: followers(at)[Symbol.iterator]() };
  };
  const lower = (at: number, to: number): void => {
    low.set(at, Math.min(low.get(at) as number, to));
  };
  for (const start of starts) {
    const path = index.has(start) ? [] : [enter(start)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const { done, value } = visit.rest.next();
      if (done !== true) {
        if (!index.has(value)) path.push(enter(value));
        else if (isOpen.has(value)) lower(visit.at, index.get(value) as number);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above !== undefined) lower(above.at, low.get(visit.at) as number);
      if (low.get(visit.at) !== index.get(visit.at)) continue;
      const component = open.splice(open.lastIndexOf(visit.at));
      for (const at of component) isOpen.delete(at);
      found.push(component);
    }
  }
  return found;
}
