// The kept runs that this process is running, by store and id: a cancellation reaches the step at
// once, and a run at work is not resumed beside itself. By the store's object: two connections to
// one database know nothing of each other here, and ask the row of the run.
//
//   RW1. A run that is cancelled begins no further step. Its fault is RUN_CANCELLED once the step at
//        work has settled: what that step did is undone with the rest. A run that already ends,
//        or fails, is not cancelled.

import { type Fault, fault } from "#core/bus/outcome.js";
import type { RunCancelled } from "#core/bus/runtime-fault.js";
import type { RunStore } from "#core/ports/run-store.js";

interface Work {
  readonly store: RunStore;
  readonly id: string;
  /** Begins no further step, and fires the signal of the step at work. */
  readonly halt: (why: string) => void;
  /** Gives up the log. */
  readonly leave: (why: Fault<unknown>) => void;
}

const stores = new WeakMap<RunStore, Map<string, RunAtWork>>();

export const atWork = (store: RunStore, id: string): RunAtWork | undefined => stores.get(store)?.get(id);

export class RunAtWork {
  readonly #of: Work;
  /** Until it is the outcome of the run (RW1). */
  cancelled: Fault<RunCancelled> | undefined;
  #isEnding = false;
  #whenOver: (() => void)[] = [];

  constructor(of: Work) {
    this.#of = of;
  }

  /** Its log has its beginning, its claim, or a failure after its end. */
  enter(isFailing = false): void {
    this.#isEnding ||= isFailing;
    const { store, id } = this.#of;
    const runs = stores.get(store) ?? new Map<string, RunAtWork>();
    stores.set(store, runs.set(id, this));
  }

  /** It writes its log no more. */
  exit(): void {
    const { store, id } = this.#of;
    // After a forced resumption the id is of the newer run.
    if (atWork(store, id) === this) stores.get(store)?.delete(id);
    for (const resolve of this.#whenOver.splice(0)) resolve();
  }

  whenOver(): Promise<void> {
    const { store, id } = this.#of;
    return atWork(store, id) === this
      ? new Promise((resolve) => this.#whenOver.push(resolve))
      : Promise.resolve();
  }

  cancel(cancelled: RunCancelled): void {
    if (this.#isEnding) return;
    this.cancelled ??= fault(cancelled);
    this.#of.halt(`The run was cancelled: ${cancelled.reason}`);
  }

  /** Another run goes on with the log: this one writes and undoes nothing more. */
  yieldTo(taken: Fault<unknown>, why = "The run was taken by force"): void {
    this.#of.leave(taken);
    this.#of.halt(why);
  }

  outcomeOf(outcome: unknown): unknown {
    this.#isEnding = true;
    const cancelled = this.cancelled;
    this.cancelled = undefined;
    return cancelled ?? outcome;
  }
}
