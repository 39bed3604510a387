// Proves before the first run that every key a step reads is present, on every path: a forward
// data-flow over the instructions. A key that a step may delete counts as absent on every edge:
// the step may delete it before it branches, jumps or fails. A compensation reads when the run
// ends, so no later step and no layer around it may delete its keys.

import type { AnyKey } from "#core/bus/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { END, type Instruction } from "../run/instruction.js";

type Code = readonly Instruction[];
type Keys = ReadonlySet<AnyKey>;

export function missingKeys(axon: string, code: Code, given: Iterable<AnyKey>, from = 0): readonly string[] {
  const givenKeys = new Set(given);
  const present = keysPresent(code, givenKeys, from);
  return code.flatMap(({ name, reads, undoReads }, at) => {
    const before = present[at];
    if (before === undefined) return [];
    const line = (key: AnyKey, reader: string, why: string): string =>
      `'${key.name}' for ${reader} '${name}' of Axon '${axon}' (${why})`;
    const unread = reads.filter((key) => !before.has(key));
    const unundone = undoReads.filter((key) => !unread.includes(key));
    return [
      ...unread.map((key) => line(key, "step", reason(code, at, key, givenKeys.has(key), from))),
      ...unundone.flatMap((key) => {
        const path = pathToDeletion(code, at, key);
        if (path === undefined) return [];
        return line(key, "what undoes step", deletedBy(code, path.at(-1) ?? at, [at, ...path]));
      }),
    ];
  });
}

export function requireNoneMissing(lines: readonly string[]): void {
  if (lines.length === 0) return;
  throw new FrameworkError(
    "KEYS_UNPROVIDED",
    `Steps read what nothing provides: ${lines.join("; ")}. Set each key on every path to the step that reads it, or provide it: in 'resources', by a guard before the route, in the Bus of execute; a key that may be absent is for 'mayUse', or 'mayRead' and find`,
  );
}

/** The keys that are present whenever an instruction begins; undefined if no path leads to it. */
function keysPresent(code: Code, given: Keys, from: number): readonly (Keys | undefined)[] {
  const present: (Keys | undefined)[] = code.map(() => undefined);
  const begins = from !== END && code.length > 0;
  if (begins) present[from] = given;
  const changed = begins ? [from] : [];
  for (let at = changed.pop(); at !== undefined; at = changed.pop()) {
    const { writes, deletes } = code[at] as Instruction;
    const before = present[at] as Keys;
    const left = deletes.length === 0 ? before : new Set([...before].filter((key) => !deletes.includes(key)));
    const after = new Set([...left, ...writes]);
    for (const { to, written } of edgesOf(code, at)) {
      const known = present[to];
      const arriving = written ? after : left;
      const meet = known === undefined ? arriving : new Set([...known].filter((key) => arriving.has(key)));
      if (known !== undefined && meet.size === known.size) continue;
      present[to] = meet;
      changed.push(to);
    }
  }
  return present;
}

function reason(code: Code, at: number, key: AnyKey, isGiven: boolean, from: number): string {
  const path = pathWithout(code, at, key, isGiven, from);
  const deleter = path.findLastIndex((place) => place.isThere && deletes(code, place.at, key));
  const steps = path.map((place) => place.at);
  if (deleter >= 0) return deletedBy(code, steps[deleter] as number, steps);
  if (!code.some((instruction) => instruction.writes.includes(key))) return "no step writes it";
  return `unwritten on the path ${named(code, steps)}`;
}

const deletes = (code: Code, at: number, key: AnyKey): boolean => code[at]?.deletes.includes(key) === true;

const named = (code: Code, path: readonly number[]): string =>
  path.map((at) => (code[at] as Instruction).name).join(" -> ");

const deletedBy = (code: Code, deleter: number, path: readonly number[]): string =>
  `deleted by '${code[deleter]?.name}' on the path ${named(code, path)}`;

/** The shortest path to `target` that ends without the key, with its presence at each step. */
function pathWithout(
  code: Code,
  target: number,
  key: AnyKey,
  isGiven: boolean,
  from: number,
): readonly { readonly at: number; readonly isThere: boolean }[] {
  // An instruction is two places: one where it begins with the key, one without.
  const placeOf = (at: number, isThere: boolean): number => at * 2 + (isThere ? 1 : 0);
  const isThereAt = (place: number): boolean => place % 2 === 1;
  const following = (place: number): readonly number[] => {
    const at = Math.floor(place / 2);
    const isLeft = isThereAt(place) && !deletes(code, at, key);
    const isWritten = (code[at] as Instruction).writes.includes(key);
    return edgesOf(code, at).map(({ to, written }) => placeOf(to, (written && isWritten) || isLeft));
  };
  const goal = placeOf(target, false);
  const path = shortestPath([placeOf(from, isGiven)], following, (place) => place === goal) ?? [];
  return path.map((place) => ({ at: Math.floor(place / 2), isThere: isThereAt(place) }));
}

/** The path from a step to one that deletes a key of its compensation; both may be the same step. */
function pathToDeletion(code: Code, at: number, key: AnyKey): readonly number[] | undefined {
  if (deletes(code, at, key) && !(code[at] as Instruction).writes.includes(key)) return [];
  for (let owner = ownerOf(code, at); owner !== END; owner = ownerOf(code, owner))
    if (code[owner]?.isLayer === true && deletes(code, owner, key)) return [owner];
  const following = (place: number): readonly number[] =>
    edgesOf(code, place).flatMap(({ to, copied }) => (copied ? [] : [to]));
  return shortestPath(following(at), following, (place) => deletes(code, place, key));
}

/** The instruction that runs it as a part; END for none. */
const ownerOf = (code: Code, at: number): number => code[at]?.part?.owner ?? END;

interface Edge {
  readonly to: number;
  /** True if the key that the step writes is present on this edge: a step promises it for Next only. */
  readonly written: boolean;
  /** True if the Bus is a copy there: changes do not reach the line. */
  readonly copied: boolean;
}

/** A subgraph's own line ends at END; the line that contains it continues after it. */
function edgesOf(code: Code, at: number): readonly Edge[] {
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

function afterPart(code: Code, at: number): number {
  const owner = ownerOf(code, at);
  const step = code[owner];
  if (step?.isSubgraph !== true) return END;
  return step.next === END ? afterPart(code, owner) : step.next;
}

/** The steps that a fault in this one may start again: itself, and subgraphs around it. */
function begunAgain(code: Code, at: number): readonly number[] {
  const owner = ownerOf(code, at);
  const around = code[owner]?.isSubgraph === true ? begunAgain(code, owner) : [];
  return code[at]?.isRetried === true ? [at, ...around] : around;
}

/** The shortest path from one of `starts` to a goal; undefined if none exists. */
function shortestPath(
  starts: Iterable<number>,
  following: (place: number) => Iterable<number>,
  isGoal: (place: number) => boolean,
): readonly number[] | undefined {
  const cameFrom = new Map<number, number>();
  for (const start of starts) cameFrom.set(start, -1);
  // The iteration of a Map includes entries added meanwhile.
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
