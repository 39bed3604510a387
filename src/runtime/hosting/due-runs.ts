// Wakes the due runs of this process's stores. Polls, and polls earlier after a hint that a run is due.
//
//   DR1. One timer, for the nearest known due time: waiting runs cost no memory.
//   DR2. A run is late by `everyMs` at most, whatever hints are lost.
//
// A page is tried in random order, so that several hosts wake different runs first. The claim decides (RE1).

import type { Clock } from "#core/clock.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { DueRun } from "#core/ports/run-waits.js";
import { type KeptAxon, versionsOf } from "./abandoned-runs.js";

export interface DueRunsOptions {
  readonly axons: readonly KeptAxon[];
  readonly stores: readonly RunStore[];
  readonly release: () => string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly everyMs: number;
  /** How many more may be woken now. */
  readonly room: () => number;
  /** True for a run that is being woken, or that no code here fits. */
  readonly isLeft: (id: string) => boolean;
  /** Number of runs that no code here fits, and that their store lists all the same. */
  readonly remembered: () => number;
  readonly wake: (run: DueRun) => void;
  /** Called after each look, with the error of one that failed. */
  readonly looked: (error?: unknown) => void;
}

const PAGE = 500;

export class DueRuns {
  readonly #of: DueRunsOptions;
  readonly #listening: { readonly end: () => unknown }[] = [];
  #cancel: (() => void) | undefined;
  /** When the timer fires; infinite without one. */
  #at = Number.POSITIVE_INFINITY;
  #isLooking = false;
  /** Of a host that has not begun, or has ended, no run is taken. */
  #isPolling = false;
  /** Those of the newest page that are due, and wait for room. */
  #queue: DueRun[] = [];
  /** True if the page was full. */
  #isFull = false;

  constructor(of: DueRunsOptions) {
    this.#of = of;
  }

  begin(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    for (const { waits } of this.#of.stores) {
      const listening = waits?.listen?.(() => this.expect(0));
      if (listening !== undefined) this.#listening.push(listening);
    }
    this.expect(0);
  }

  /** A run may be due in this time. */
  expect(inMs: number): void {
    const { clock, everyMs } = this.#of;
    const waitMs = Math.max(0, Math.min(inMs, everyMs));
    const at = clock.now() + waitMs;
    if (!this.#isPolling || at >= this.#at) return;
    this.#cancel?.();
    this.#at = at;
    if (!this.#isLooking) this.#cancel = clock.after(Math.ceil(waitMs), () => void this.#look());
  }

  /** There is room again. */
  hasRoom(): void {
    if (this.#isPolling) this.#wake();
  }

  async end(): Promise<void> {
    this.#isPolling = false;
    this.#cancel?.();
    await Promise.all(this.#listening.map((each) => each.end()));
  }

  async #look(): Promise<void> {
    const { clock, stores, everyMs, random, looked } = this.#of;
    this.#isLooking = true;
    this.#at = Number.POSITIVE_INFINITY;
    this.#cancel = undefined;
    let nextMs = everyMs * (0.75 + random() / 4);
    try {
      const pages = await Promise.all(stores.map((store) => this.#pageOf(store)));
      const found = pages.flat();
      this.#queue = this.#shuffled(found.filter(({ dueInMs }) => dueInMs <= 0));
      // A full page of runs that are left here would be read again at once, and again.
      this.#isFull = this.#queue.length > 0 && pages.some(({ length }) => length >= PAGE);
      this.#wake();
      for (const { dueInMs } of found) if (dueInMs > 0) nextMs = Math.min(nextMs, dueInMs);
      looked();
    } catch (error) {
      looked(error);
    }
    this.#isLooking = false;
    // What was expected meanwhile comes first.
    const nextAt = Math.min(this.#at, clock.now() + nextMs);
    this.#at = Number.POSITIVE_INFINITY;
    this.expect(nextAt - clock.now());
  }

  async #pageOf(store: RunStore): Promise<readonly DueRun[]> {
    const { axons, release, everyMs, remembered } = this.#of;
    const due = await store.waits?.due({
      axons: axons
        .filter(({ persistence }) => persistence.store === store)
        .map((axon) => ({ name: axon.name, versions: versionsOf(axon) })),
      ...{ release: release(), withinMs: everyMs, limit: PAGE + remembered() },
    });
    return due ?? [];
  }

  #shuffled(due: readonly DueRun[]): DueRun[] {
    const { random, isLeft } = this.#of;
    const keyed = due.filter(({ id }) => !isLeft(id)).map((run) => [random(), run] as const);
    return keyed.sort(([a], [b]) => a - b).map(([, run]) => run);
  }

  /** Behind a full page there may be more. */
  #wake(): void {
    const { room, wake } = this.#of;
    for (let left = room(); left > 0; left -= 1) {
      const run = this.#queue.pop();
      if (run === undefined) break;
      wake(run);
    }
    if (this.#queue.length > 0 || !this.#isFull) return;
    this.#isFull = false;
    this.expect(0);
  }
}
