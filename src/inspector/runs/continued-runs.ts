// Runs that answer no request: a dead letter that is done again, a kept run that goes on,
// whoever has asked for it. What is told of them is told as of any other run, and each says
// what it goes on from.
//
//   CN1. Figures leave them out: they are of what is served, and such a run begins in the middle.
//   CN2. What their first run has hidden is hidden of them too. Of one of which that is not
//        known no value is shown, and of its errors what they are called: of a letter whose
//        run is forgotten or was another process's, and of each kept run, since its log says
//        nothing of the request's headers and of the schemas that it was read by.

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
  /** What of the values that it goes on with is masked elsewhere; undefined where nobody knows all of it. */
  readonly hiddenOf: (from: Continuation) => HiddenTexts | undefined;
}

interface Known {
  readonly from: Continuation;
  /** Undefined where it is not known (CN2). */
  hidden: HiddenTexts | undefined;
}

export class ContinuedRuns {
  readonly #options: ContinuedRunsOptions;
  readonly #known = new WeakMap<TracedRun, Known>();
  /** Of each run it is asked, and nearly every process has none of these. */
  #hasAny = false;

  constructor(options: ContinuedRunsOptions) {
    this.#options = options;
  }

  /** Runs of these are told of from now on, until the function is called that it answers. */
  watch(axons: Iterable<AxonDefinition>): () => void {
    const consumers = this.#options.consumers();
    return watchContinued(axons, (from, others) => {
      const begun = (run: TracedRun): void => {
        const known: Known = { from, hidden: undefined };
        this.#known.set(run, known);
        this.#hasAny = true;
        known.hidden = this.#options.hiddenOf(from);
      };
      const told = [{ begun }, ...consumers, ...(others === undefined ? [] : [others])];
      return joinedRecorder(told) as Recorder;
    });
  }

  /** What it goes on from; undefined for what answers a request. */
  readonly of = (run: TracedRun): GoesOn | undefined => {
    const from = this.#hasAny ? this.#known.get(run)?.from : undefined;
    // A longer one is named nowhere else either.
    return from === undefined || from.id.length > MAX_ID ? undefined : { kind: from.kind, id: from.id };
  };

  /** Whether what it leaves at a node is the letter that it does again: one that failed elsewhere is that node's. */
  readonly isLetterAgain = (run: TracedRun, node: string): boolean => {
    const from = this.#known.get(run)?.from;
    return from?.kind === "redrive" && from.letter.node === node;
  };

  /** Whether its values may be seen, but for what `tellSecrets` tells (CN2). */
  readonly isKnown = (run: TracedRun): boolean => {
    const known = this.#known.get(run);
    return known === undefined || known.hidden !== undefined;
  };

  /** Tells what is not to be seen of it (CN2). */
  readonly tellSecrets = (run: TracedRun, to: HiddenTexts): void => {
    const hidden = this.#known.get(run)?.hidden;
    if (hidden !== undefined) to.addTexts(hidden.texts);
  };
}
