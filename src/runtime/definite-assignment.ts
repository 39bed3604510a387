// Proves before the first run that whatever a step reads is there by then, on
// every path: a forward data-flow over the instructions, branches and jumps included.

import type { AnyKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { END, type Instruction } from "./instruction.js";

type Keys = ReadonlySet<AnyKey>;

interface Edge {
  readonly to: number;
  /** Whether what the step writes is there on this edge: a step promises that for Next alone. */
  readonly written: boolean;
}

/** A line for each read that some path reaches although the key is neither given nor written. */
export function missingKeys(
  axon: string,
  code: readonly Instruction[],
  given: Iterable<AnyKey>,
  from = 0,
): readonly string[] {
  const present = keysPresent(code, new Set(given), from);
  return code.flatMap((instruction, at) =>
    instruction.reads
      .filter((key) => present[at]?.has(key) === false)
      .map(
        (key) =>
          `'${key.name}' for step '${instruction.name}' of Axon '${axon}' (${reason(code, at, key, from)})`,
      ),
  );
}

/** Throws KEYS_UNPROVIDED where there are any. */
export function requireNoneMissing(lines: readonly string[]): void {
  if (lines.length === 0) return;
  throw new FrameworkError(
    "KEYS_UNPROVIDED",
    `Steps read what nobody provides: ${lines.join("; ")}. Write each key in an earlier step, or provide it`,
  );
}

/** The keys that are there whenever an instruction begins; undefined where no path leads to it. */
function keysPresent(code: readonly Instruction[], given: Keys, from: number): readonly (Keys | undefined)[] {
  const present: (Keys | undefined)[] = code.map(() => undefined);
  const begins = from !== END && code.length > 0;
  if (begins) present[from] = given;
  const changed = begins ? [from] : [];
  for (let at = changed.pop(); at !== undefined; at = changed.pop()) {
    const instruction = code[at] as Instruction;
    const before = present[at] as Keys;
    const after = new Set([...before, ...instruction.writes]);
    for (const { to, written } of edgesOf(code, at)) {
      const known = present[to];
      const arriving = written ? after : before;
      const meet = known === undefined ? arriving : new Set([...known].filter((key) => arriving.has(key)));
      if (known !== undefined && meet.size === known.size) continue;
      present[to] = meet;
      changed.push(to);
    }
  }
  return present;
}

/** A subgraph's own line ends at END; the line that it is a step of goes on behind it. */
function edgesOf(code: readonly Instruction[], at: number): readonly Edge[] {
  const { next, branches, jumps, parts, isSubgraph } = code[at] as Instruction;
  const entries = parts.map(({ entry }) => (entry === END ? next : entry));
  const edges = [
    ...(isSubgraph && parts.length > 0 ? [] : [{ to: next, written: true }]),
    ...[...entries, ...branches.values(), ...jumps.values()].map((to) => ({ to, written: false })),
  ];
  return edges
    .map(({ to, written }) => ({ to: to === END ? afterPart(code, at) : to, written }))
    .filter((edge) => edge.to !== END);
}

function afterPart(code: readonly Instruction[], at: number): number {
  const owner = code[at]?.part?.owner ?? END;
  const step = code[owner];
  if (step?.isSubgraph !== true) return END;
  return step.next === END ? afterPart(code, owner) : step.next;
}

function reason(code: readonly Instruction[], at: number, key: AnyKey, from: number): string {
  if (!code.some((instruction) => instruction.writes.includes(key))) return "no step writes it";
  const path = pathWithout(code, at, key, from).map((i) => (code[i] as Instruction).name);
  return `unwritten on the path ${path.join(" -> ")}`;
}

/** The shortest path from the start to `target` on which nothing writes `key`. */
function pathWithout(
  code: readonly Instruction[],
  target: number,
  key: AnyKey,
  from: number,
): readonly number[] {
  const cameFrom = new Map<number, number>([[from, -1]]);
  for (const at of cameFrom.keys()) {
    const instruction = code[at] as Instruction;
    for (const { to, written } of edgesOf(code, at)) {
      if (cameFrom.has(to) || (written && instruction.writes.includes(key))) continue;
      cameFrom.set(to, at);
    }
  }
  const path: number[] = [];
  for (let at = target; at >= 0; at = cameFrom.get(at) ?? -1) path.unshift(at);
  return path;
}
