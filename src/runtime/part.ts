import { runFrom } from "./loop.js";
import type { Program } from "./program.js";
import type { RunState } from "./run-state.js";

/** Instructions that one step runs by itself: a subgraph that is tried again, a step of a parallel one. */
export interface Part {
  readonly name: string;
  /** The instruction that runs it; and its own first one, or END. Known once the program is laid out. */
  owner: number;
  entry: number;
}

/** Runs a part to its end. Answers its outcome, or a promise of it. */
export function runPart(program: Program, { entry }: Part, input: unknown, state: RunState): unknown {
  const outcome = runFrom(program, entry, input, state);
  if (!state.waited) state.control?.end(outcome);
  const { trace } = state;
  if (trace === null) return outcome;
  const left = (settled: unknown): unknown => {
    trace.leaveAll(state, state.control?.aborted === true ? "aborted" : "fault");
    return settled;
  };
  return outcome instanceof Promise ? outcome.then(left) : left(outcome);
}
