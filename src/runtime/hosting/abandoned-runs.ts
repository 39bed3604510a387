// The look for abandoned runs that this process may resume: page by page, in the order of the store.
//
//   AR1. A page is followed by the next one once its runs were taken or left: runs that cannot be
//        resumed hold up none behind them. Behind the last page it begins anew.

import type { Clock } from "#core/clock.js";
import type { RunStore, UnfinishedRun } from "#core/ports/run-store.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import type { UnfitRuns } from "./unfit-runs.js";

export type KeptAxon = AxonDefinition & { readonly persistence: NonNullable<AxonDefinition["persistence"]> };

export interface AbandonedRunsOptions {
  readonly host: string;
  readonly axons: readonly KeptAxon[];
  readonly stores: readonly RunStore[];
  readonly unfit: UnfitRuns;
  readonly release: () => string;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly random: () => number;
}

/** Maximum number of unfinished runs read at once. Each host tries them in a different order. */
const PAGE = 200;

interface Place {
  /** Behind which the page in the queue was read. */
  after: string | undefined;
  /** Behind that page; undefined at the end. */
  next: string | undefined;
}

export class AbandonedRuns {
  readonly #of: AbandonedRunsOptions;
  readonly #places = new Map<RunStore, Place>();
  #queue: UnfinishedRun[] = [];
  #readAt = 0;
  /** True if the page was forgotten before all of its runs were taken or left. */
  #isForgotten = false;

  constructor(of: AbandonedRunsOptions) {
    this.#of = of;
  }

  /** True if a page can be read now. */
  get hasMore(): boolean {
    if (this.#queue.length > 0) return false;
    return this.#isForgotten || [...this.#places.values()].some(({ next }) => next !== undefined);
  }

  /** The next one of the page. A page that is older than a lease is forgotten: meanwhile its hosts may be back. */
  next(): UnfinishedRun | undefined {
    const { clock, leaseMs } = this.#of;
    if (this.#queue.length > 0 && clock.now() - this.#readAt > leaseMs) {
      this.#queue = [];
      this.#isForgotten = true;
    }
    return this.#queue.pop();
  }

  /** Reads a page of each store: the next one, if all runs of the last one were taken or left. */
  async read(): Promise<void> {
    const isDone = this.#queue.length === 0 && !this.#isForgotten;
    this.#queue = [];
    this.#isForgotten = !isDone;
    const pages = await Promise.all(this.#of.stores.map((store) => this.#pageOf(store, isDone)));
    this.#queue = this.#shuffled(pages.flat());
    this.#isForgotten = false;
    this.#readAt = this.#of.clock.now();
  }

  async #pageOf(store: RunStore, isDone: boolean): Promise<readonly UnfinishedRun[]> {
    const { axons, host, unfit, release } = this.#of;
    const place = this.#places.get(store) ?? { after: undefined, next: undefined };
    this.#places.set(store, place);
    if (isDone) place.after = place.next;
    const limit = PAGE + unfit.remembered;
    const found = await store.unfinished({
      abandoned: true,
      axons: axons
        .filter(({ persistence }) => persistence.store === store)
        .map((axon) => ({ name: axon.name, versions: versionsOf(axon) })),
      ...(place.after !== undefined && { after: place.after }),
      release: release(),
      limit,
    });
    place.next = found.length < limit ? undefined : found.at(-1)?.place;
    // Its own are at work here, or lost: a lease that is over ends neither.
    return found.filter((run) => run.host !== host && !unfit.has(run.id));
  }

  #shuffled(runs: readonly UnfinishedRun[]): UnfinishedRun[] {
    const keyed = runs.map((run) => [this.#of.random(), run] as const);
    return keyed.sort(([a], [b]) => a - b).map(([, run]) => run);
  }
}

/** The versions that began runs which this Axon can resume. */
export const versionsOf = ({ version, persistence }: KeptAxon): readonly string[] => [
  version,
  ...persistence.migrations.map(({ from }) => from),
];
