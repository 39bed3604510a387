// Runs that answer no request: re-driven dead letters and resumed runs, started by an operator or
// the program. They are recorded as any other run, with their origin. They are left out of metrics,
// which cover served requests.

import type { Recorder, TracedRun } from "#core/timeline/recorder.js";
import { joinedRecorder } from "#http/request/joined-recorder.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { type Continuation, watchContinued } from "#runtime/kept/continuation.js";
import type { GoesOn } from "../api/traces.js";

const MAX_ID = 1000;

export class ContinuedRuns {
  readonly #consumers: () => readonly Recorder[];
  readonly #from = new WeakMap<TracedRun, Continuation>();
  /** By the id of its request: the run that is run again. */
  readonly reruns = new Map<string, string>();
  /** Asked for each run, and nearly every process has none of these. */
  #hasAny = false;

  /** `consumers` record each of them, in this order; asked for when runs are watched. */
  constructor(consumers: () => readonly Recorder[]) {
    this.#consumers = consumers;
  }

  /** Records the runs of these from now on, until the returned function is called. */
  watch(axons: Iterable<AxonDefinition>): () => void {
    const consumers = this.#consumers();
    return watchContinued(axons, (from, others) => {
      const begun = (run: TracedRun): void => {
        this.#from.set(run, from);
        this.#hasAny = true;
      };
      const told = [{ begun }, ...consumers, ...(others === undefined ? [] : [others])];
      return joinedRecorder(told) as Recorder;
    });
  }

  /** What the run continues; undefined for none. */
  readonly of = (run: TracedRun): GoesOn | undefined => {
    const again = this.reruns.size > 0 ? this.reruns.get(run.request?.requestId ?? "") : undefined;
    if (again !== undefined) return { kind: "rerun", id: again };
    const from = this.#hasAny ? this.#from.get(run) : undefined;
    // A longer one is named nowhere else either.
    return from === undefined || from.id.length > MAX_ID ? undefined : { kind: from.kind, id: from.id };
  };

  /** True if the run re-drives the letter that it leaves at this node. */
  readonly isLetterAgain = (run: TracedRun, node: string): boolean => {
    const from = this.#from.get(run);
    return from?.kind === "redrive" && from.letter.node === node;
  };
}
