// Runs that continue an earlier one: a re-driven dead letter, a resumed run. They run in their own
// programs, which no ingress has mounted. The server of their Axon registers here to observe them.

import { fault } from "#core/bus/outcome.js";
import { isWaiting } from "#core/bus/runtime-fault.js";
import type { DeadLetter } from "#core/ports/dead-letter.js";
import type { ContinuedTrace } from "#core/timeline/continued-trace.js";
import type { Recorder } from "#core/timeline/recorder.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { nextRunNumber, runIdOf } from "../run/run-id.js";
import type { RunState } from "../run/run-state.js";
import type { RunLog } from "./run-log.js";

export type Continuation =
  | { readonly kind: "redrive"; readonly id: string; readonly letter: DeadLetter }
  /** `id` is the id of the stored run. */
  | { readonly kind: "resume"; readonly id: string; readonly log: RunLog };

/** Makes the recorder of one run, which also notifies `others`. */
export type WatchContinued = (from: Continuation, others: Recorder | undefined) => Recorder;

const watchers = new WeakMap<AxonDefinition, Set<WatchContinued>>();

/** Observes each such run of these Axons, until the returned function is called. */
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

export class ContinuedWatch {
  readonly number = nextRunNumber();
  readonly #from: Continuation;
  readonly #watching: readonly WatchContinued[];

  private constructor(from: Continuation, watching: readonly WatchContinued[]) {
    this.#from = from;
    this.#watching = watching;
  }

  /** Undefined if the Axon is not watched. */
  static of(axon: AxonDefinition, from: Continuation): ContinuedWatch | undefined {
    const watching = watchers.get(axon);
    return watching === undefined || watching.size === 0
      ? undefined
      : new ContinuedWatch(from, [...watching]);
  }

  get runId(): string {
    return runIdOf(this.number);
  }

  told(others: Recorder | undefined): Recorder | undefined {
    return this.#watching.reduce((told: Recorder | undefined, watch) => watch(this.#from, told), others);
  }
}

/** The recorder of a continued run: its trace, and the watchers of its Axon. */
export interface ToldOf {
  readonly kept: ContinuedTrace | undefined;
  readonly watch: ContinuedWatch | undefined;
}

type RunTold = (told: Recorder | undefined, id: number | undefined) => unknown;

export function runContinued({ kept, watch }: ToldOf, state: RunState, begin: RunTold): unknown {
  const run = (nodes: Recorder | undefined): unknown =>
    watch === undefined ? begin(nodes, undefined) : begin(watch.told(nodes), watch.number);
  if (kept === undefined) return run(undefined);
  state.due().mark = kept.mark;
  const ended = (outcome: unknown): unknown => {
    kept.end(isWaiting(outcome) ? undefined : outcome);
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
