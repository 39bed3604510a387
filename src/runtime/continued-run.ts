import type { ContinuedTrace } from "#core/continued-trace.js";
import { fault } from "#core/outcome.js";
import type { Recorder } from "#core/recorder.js";
import type { ContinuedWatch } from "./continuation.js";
import type { RunState } from "./run-state.js";

/** Who is told of a run that goes on from another one: its trace, and who watches its Axon. */
export interface ToldOf {
  readonly kept: ContinuedTrace | undefined;
  readonly watch: ContinuedWatch | undefined;
}

type RunTold = (told: Recorder | undefined, id: number | undefined) => unknown;

/** Runs what goes on from another run. */
export function runContinued({ kept, watch }: ToldOf, state: RunState, begin: RunTold): unknown {
  const run = (nodes: Recorder | undefined): unknown =>
    watch === undefined ? begin(nodes, undefined) : begin(watch.told(nodes), watch.number);
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
