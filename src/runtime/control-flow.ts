// Where a run can go from each instruction: branches, jumps, subgraphs, retries.

import { END, type Instruction } from "./instruction.js";

export interface Edge {
  readonly to: number;
  /** Whether what the step writes is there on this edge: a step promises that for Next alone. */
  readonly written: boolean;
  /** Whether the Bus there is a copy: what happens to it does not reach the line. */
  readonly copied: boolean;
}

/** A subgraph's own line ends at END; the line that it is a step of goes on behind it. */
export function edgesOf(code: readonly Instruction[], at: number): readonly Edge[] {
  const { next, branches, jumps, parts, isSubgraph, isLayer } = code[at] as Instruction;
  const entries = parts.map(({ entry }) => (entry === END ? next : entry));
  const leaving = (to: number): Edge => ({ to, written: false, copied: false });
  const edges: readonly Edge[] = [
    ...(isSubgraph && parts.length > 0 ? [] : [{ to: next, written: true, copied: false }]),
    ...entries.map((to) => ({ to, written: isLayer, copied: !isSubgraph })),
    ...[...branches.values(), ...jumps.values()].map(leaving),
  ];
  return [
    ...edges.map((edge) => ({ ...edge, to: edge.to === END ? afterPart(code, at) : edge.to })),
    ...begunAgain(code, at).map(leaving),
  ].filter((edge) => edge.to !== END);
}

function afterPart(code: readonly Instruction[], at: number): number {
  const owner = code[at]?.part?.owner ?? END;
  const step = code[owner];
  if (step?.isSubgraph !== true) return END;
  return step.next === END ? afterPart(code, owner) : step.next;
}

/** The steps that a fault in this one may begin again: itself, and subgraphs around it. */
function begunAgain(code: readonly Instruction[], at: number): readonly number[] {
  const { isRetried, part } = code[at] as Instruction;
  const owner = part?.owner ?? END;
  const around = code[owner]?.isSubgraph === true ? begunAgain(code, owner) : [];
  return isRetried ? [at, ...around] : around;
}

/** The shortest way from one of `starts` to a place that is a goal; undefined where there is none. */
export function shortestPath(
  starts: Iterable<number>,
  following: (place: number) => Iterable<number>,
  isGoal: (place: number) => boolean,
): readonly number[] | undefined {
  const cameFrom = new Map<number, number>();
  for (const start of starts) cameFrom.set(start, -1);
  // A Map's iteration goes on with what is added meanwhile.
  for (const place of cameFrom.keys()) {
    if (isGoal(place)) {
      const path: number[] = [];
      for (let at = place; at >= 0; at = cameFrom.get(at) ?? -1) path.unshift(at);
      return path;
    }
    for (const to of following(place)) if (!cameFrom.has(to)) cameFrom.set(to, place);
  }
  return undefined;
}
