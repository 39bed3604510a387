import type { RunStore, UnfinishedRun } from "#core/ports/run-store.js";
import { atWork } from "../kept/run-at-work.js";
import { cancelledBy } from "../kept/run-ownership.js";

export interface RequestedCancelsOptions {
  readonly host: string;
  readonly stores: readonly RunStore[];
  /** Resumes a run that this host owns and that is not at work: the resumption finds the request. */
  readonly take: (run: UnfinishedRun) => void;
}

const PAGE = 200;

/** The requests of other processes to cancel runs of this host. */
export class RequestedCancels {
  readonly #of: RequestedCancelsOptions;
  /** Runs without work at the last look, with the length of their logs. */
  #idle = new Map<string, number>();

  constructor(of: RequestedCancelsOptions) {
    this.#of = of;
  }

  async look(): Promise<void> {
    const idle = new Map<string, number>();
    for (const store of this.#of.stores)
      for await (const run of this.#in(store)) this.#cancel(store, run, idle);
    this.#idle = idle;
  }

  #cancel(store: RunStore, run: UnfinishedRun, idle: Map<string, number>): void {
    const { id, cancel, entries } = run;
    if (cancel === undefined) return;
    const work = atWork(store, id);
    if (work !== undefined) work.cancel(cancelledBy(id, cancel));
    // At the second look: the first may have come before the answer to the run's own append.
    else if (this.#idle.get(id) === entries) this.#of.take(run);
    else idle.set(id, entries);
  }

  async *#in(store: RunStore): AsyncGenerator<UnfinishedRun> {
    if (store.requestCancel === undefined) return;
    const filter = { of: this.#of.host, cancelled: true, limit: PAGE } as const;
    let found = await store.unfinished(filter);
    while (found.length > 0) {
      yield* found;
      const after = found.length < PAGE ? undefined : found.at(-1)?.place;
      found = after === undefined ? [] : await store.unfinished({ ...filter, after });
    }
  }
}
