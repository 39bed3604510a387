// What a step of the line came to, by the entry of the log behind it.

import type { AnyKey } from "#core/bus/bus-key.js";
import { branch, fault, jump } from "#core/bus/outcome.js";
import type { KeptEffect, RunEntry, RunPosition } from "#core/ports/run-store.js";
import type { Program } from "../compile/program.js";
import { decode } from "../kept/stored-value.js";
import { END, type Instruction } from "../run/instruction.js";
import type { RunState } from "../run/run-state.js";

type PlacedEntry = RunEntry & RunPosition;

export const isPlaced = (entry: RunEntry): entry is PlacedEntry => "node" in entry;

/** With the values that the step wrote on the Bus. `entry` is a position, or the end of the run. */
export function outcomeIn(entry: RunEntry, { program, node, written, state }: OfStep): unknown {
  if (isPlaced(entry)) {
    for (const key of written)
      if (Object.hasOwn(entry.bus, key.name))
        state.values[state.slotOf(key)] = decode(entry.bus[key.name] ?? null);
    return leadingTo(entry.node, decode(entry.input), program, node);
  }
  if ("error" in entry) return fault(decode(entry.error));
  return entry.kind === "ended" && entry.output !== undefined ? decode(entry.output) : undefined;
}

interface OfStep {
  readonly program: Program;
  readonly node: string;
  readonly written: readonly AnyKey[];
  readonly state: RunState;
}

/** The value, or the jump or branch by which the run comes to that node. */
function leadingTo(to: string, value: unknown, program: Program, node: string): unknown {
  const from = program.code.find((instruction) => instruction.node === node) as Instruction;
  if (leads(program, from.next, to)) return value;
  for (const [label, at] of from.jumps) if (leads(program, at, to)) return jump(label, value);
  for (const [id, at] of from.branches) if (leads(program, at, to)) return branch(id, value);
  // It does not: the next checkpoint differs from the log.
  return value;
}

/** True if the first step that runs from there on is that one. */
export function leads({ code, entries }: Program, from: number, to: string): boolean {
  const begin = entries.get(to);
  for (let at = from; at !== END; at = (code[at] as Instruction).next) {
    if (at === begin) return true;
    const { node } = code[at] as Instruction;
    // The input check of a subgraph is no step.
    if (entries.has(node) && !node.endsWith(":in")) return node === to;
  }
  return false;
}

export function outcomeOfEffect(
  { outcome, bus = {} }: KeptEffect,
  state: RunState,
  written: readonly AnyKey[],
): unknown {
  for (const key of written)
    if (Object.hasOwn(bus, key.name)) state.values[state.slotOf(key)] = decode(bus[key.name] ?? null);
  switch (outcome?.kind) {
    case "next":
      return decode(outcome.value);
    case "fault":
      return fault(decode(outcome.error));
    case "jump":
      return jump(outcome.label, decode(outcome.value));
    case "branch":
      return branch(outcome.id, decode(outcome.value));
    case undefined:
      return undefined;
  }
}
