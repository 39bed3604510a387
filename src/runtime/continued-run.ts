import type { ContinuedTrace } from "#core/continued-trace.js";
import { fault } from "#core/outcome.js";
import type { Recorder } from "#core/recorder.js";
import type { RunState } from "./run-state.js";

/** Runs what goes on from another run; told of to its trace, where it has one. */
export function runContinued(
  kept: ContinuedTrace | undefined,
  state: RunState,
  run: (told: Recorder | undefined) => unknown,
): unknown {
  if (kept === undefined) return run(undefined);
  state.due().mark = kept.mark;
  const ended = (outcome: unknown): unknown => {
    kept.end(outcome);
    return outcome;
  };
  const failed = (error: unknown): never => {
    kept.end(fault(error));
    throw error;
  };
  try {
    const outcome = kept.run(() => run(kept.nodes));
    return outcome instanceof Promise ? outcome.then(ended, failed) : ended(outcome);
  } catch (error) {
    return failed(error);
  }
}
