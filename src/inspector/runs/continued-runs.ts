// Runs that answer no request: a dead letter that is done again, a kept run that goes on,
// whoever has asked for it. What is told of them is told as of any other run, and each says
// what it goes on from.
//
//   CN1. Figures leave them out: they are of what is served, and such a run begins in the middle.
//   CN2. What their first run has hidden is hidden of them too, as far as it is known here.

import type { Recorder, TracedRun } from "#core/recorder.js";
import { joinedRecorder } from "#http/joined-recorder.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import { type Continuation, watchContinued } from "#runtime/continuation.js";
import type { HiddenTexts } from "#schema/hidden-texts.js";
import type { GoesOn } from "../api/traces.js";

const MAX_ID = 1000;

export interface ContinuedRunsOptions {
  /** Told of each of them, in this order. Asked for when they are watched. */
  readonly consumers: () => readonly Recorder[];
  /** What of the values that it goes on with is masked elsewhere. */
  readonly hiddenOf: (from: Continuation) => HiddenTexts;
}

interface Known {
  readonly from: Continuation;
  /** Made when it is asked for. */
  hidden: HiddenTexts | undefined;
}

export class ContinuedRuns {
  readonly #options: ContinuedRunsOptions;
  readonly #known = new WeakMap<TracedRun, Known>();

  constructor(options: ContinuedRunsOptions) {
    this.#options = options;
  }

  /** Runs of these are told of from now on, until the function is called that it answers. */
  watch(axons: Iterable<AxonDefinition>): () => void {
    const consumers = this.#options.consumers();
    return watchContinued(axons, (from, others) => {
      const begun = (run: TracedRun): void => void this.#known.set(run, { from, hidden: undefined });
      const told = [{ begun }, ...consumers, ...(others === undefined ? [] : [others])];
      return joinedRecorder(told) as Recorder;
    });
  }

  /** What it goes on from; undefined for what answers a request. */
  readonly of = (run: TracedRun): GoesOn | undefined => {
    const from = this.#known.get(run)?.from;
    // A longer one is named nowhere else either.
    return from === undefined || from.id.length > MAX_ID ? undefined : { kind: from.kind, id: from.id };
  };

  /** Whether what it leaves at a node is the letter that it does again: one that failed elsewhere is that node's. */
  readonly isLetterAgain = (run: TracedRun, node: string): boolean => {
    const from = this.#known.get(run)?.from;
    return from?.kind === "redrive" && from.letter.node === node;
  };

  /** Tells what is not to be seen of it (CN2). */
  readonly tellSecrets = (run: TracedRun, to: HiddenTexts): void => {
    const known = this.#known.get(run);
    if (known === undefined) return;
    known.hidden ??= this.#options.hiddenOf(known.from);
    to.addTexts(known.hidden.texts);
  };
}
