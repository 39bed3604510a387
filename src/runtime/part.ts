import { isFault } from "#core/outcome.js";
import type { Fork } from "./fork.js";
import { runFrom } from "./loop.js";
import type { Program } from "./program.js";
import { keep, undoAll } from "./saga.js";

/** Instructions that one step runs by itself: a subgraph that is tried again, a step of a parallel one. */
export interface Part {
  readonly name: string;
  /** The instruction that runs it; and its own first one, or END. Known once the program is laid out. */
  owner: number;
  entry: number;
}

/** Runs a part to its end, in a fork of its own. Answers its outcome, or a promise of it. */
export function runPart(program: Program, { entry }: Part, input: unknown, state: Fork): unknown {
  const outcome = finished(program, state, runFrom(program, entry, input, state));
  if (program.ending !== undefined && outcome instanceof Promise) state.run.addPart(outcome);
  if (!state.waited) state.control?.end(outcome);
  const { trace } = state;
  if (trace === null) return outcome;
  const left = (settled: unknown): unknown => {
    trace.leaveAll(state, state.control?.aborted === true ? "aborted" : "fault");
    return settled;
  };
  return outcome instanceof Promise ? outcome.then(left) : left(outcome);
}

/** A part that faults undoes what it has completed: it may be tried again, or its fault be put up with. */
export function finished(program: Program, state: Fork, outcome: unknown): unknown {
  if (program.ending === undefined) return outcome;
  if (outcome instanceof Promise) return outcome.then((settled) => finished(program, state, settled));
  const undone = isFault(outcome) ? undoAll(program, state) : keep(program, state);
  return undone?.then(() => outcome) ?? outcome;
}
