// Who watches runs that go on from another one: a dead letter that is done again, a run that is
// resumed. They are run by programs of their own, which no ingress has mounted; whoever serves
// their Axon asks here to be told of them.
//
//   CO1. Where nobody watches an Axon, one look at a map is all that its runs pay for this.

import type { DeadLetter } from "#core/dead-letter.js";
import type { Recorder } from "#core/recorder.js";
import type { AxonDefinition } from "./axon-definition.js";
import { nextRunNumber, runIdOf } from "./run-id.js";
import type { RunLog } from "./run-log.js";

/** What a run goes on from. */
export type Continuation =
  | { readonly kind: "redrive"; readonly id: string; readonly letter: DeadLetter }
  /** `id` is the kept run's. */
  | { readonly kind: "resume"; readonly id: string; readonly log: RunLog };

/** Makes the recorder of one run, which tells `others` too. */
export type WatchContinued = (from: Continuation, others: Recorder | undefined) => Recorder;

const watchers = new WeakMap<AxonDefinition, Set<WatchContinued>>();

/** Has it told of each such run of these Axons, until the function is called that it answers. */
export function watchContinued(axons: Iterable<AxonDefinition>, watch: WatchContinued): () => void {
  const all = [...axons].map((axon) => {
    const watching = watchers.get(axon) ?? new Set();
    watchers.set(axon, watching.add(watch));
    return watching;
  });
  return () => {
    for (const watching of all) watching.delete(watch);
  };
}

/** A run that somebody watches, before it begins. */
export class ContinuedWatch {
  readonly number = nextRunNumber();
  readonly #from: Continuation;
  readonly #watching: readonly WatchContinued[];

  private constructor(from: Continuation, watching: readonly WatchContinued[]) {
    this.#from = from;
    this.#watching = watching;
  }

  /** Undefined where nobody watches the Axon. */
  static of(axon: AxonDefinition, from: Continuation): ContinuedWatch | undefined {
    const watching = watchers.get(axon);
    return watching === undefined || watching.size === 0
      ? undefined
      : new ContinuedWatch(from, [...watching]);
  }

  get runId(): string {
    return runIdOf(this.number);
  }

  /** Who is told of the run. */
  told(others: Recorder | undefined): Recorder | undefined {
    return this.#watching.reduce((told: Recorder | undefined, watch) => watch(this.#from, told), others);
  }
}
