import type { RunStore } from "#core/ports/run-store.js";

/** The lease of a host at each of its stores. */
export class Heartbeat {
  /** Called one after the other after each beat. A rejection counts as a failure of the store. */
  readonly after: (() => Promise<unknown>)[] = [];
  readonly #host: string;
  readonly #leaseMs: number;
  readonly #stores: readonly RunStore[];

  constructor(host: string, leaseMs: number, stores: readonly RunStore[]) {
    this.#host = host;
    this.#leaseMs = leaseMs;
    this.#stores = stores;
  }

  async beat(): Promise<void> {
    await this.extend();
    for (const call of this.after) await call();
  }

  /** Extends the lease. Rejects if a store does not answer. */
  async extend(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.beat(this.#host, this.#leaseMs)));
  }
}
