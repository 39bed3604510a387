import { hostname } from "node:os";

import type { HostFacts, RunStore, StandingLease, StandingLeaseOptions } from "#core/ports/run-store.js";

/** What a process tells of itself beside its id and its machine. */
export type HostProcess = Pick<HostFacts, "name" | "version" | "began_at">;

/** When this process began. With its pid it tells containers of one machine apart, which may all have pid 1. */
export const PROCESS_BEGAN_AT = Math.round(performance.timeOrigin);

export const factsOf = (axons: HostFacts["axons"], of: HostProcess = {}): HostFacts => ({
  ...{ pid: process.pid, machine: hostname(), axons },
  ...of,
});

/** The lease of a host at each of its stores. */
export class Heartbeat {
  /** Called one after the other after each beat. A rejection counts as a failure of the store. */
  readonly after: (() => Promise<unknown>)[] = [];
  readonly #host: string;
  readonly #leaseMs: number;
  readonly #stores: readonly RunStore[];
  readonly #facts: HostFacts | undefined;
  readonly #held = new Map<RunStore, StandingLease>();

  constructor(host: string, leaseMs: number, stores: readonly RunStore[], facts?: HostFacts) {
    this.#host = host;
    this.#leaseMs = leaseMs;
    this.#stores = stores;
    this.#facts = facts;
  }

  async beat(): Promise<void> {
    await this.extend();
    for (const call of this.after) await call();
  }

  /** Extends the lease. Rejects if a store does not answer. */
  async extend(): Promise<void> {
    await Promise.all(
      this.#stores.map(async (store) => {
        await store.beat(this.#host, this.#leaseMs, this.#facts);
        this.#held.get(store)?.sign();
      }),
    );
  }

  /** From now on stores extend the lease while the event loop is held up. */
  hold(options: StandingLeaseOptions): void {
    for (const store of this.#stores) {
      const held = this.#held.has(store) ? undefined : store.holdLease?.(this.#host, this.#leaseMs, options);
      if (held !== undefined) this.#held.set(store, held);
    }
  }

  /** Ends the lease. */
  async leave(): Promise<void> {
    await Promise.all([...this.#held.values()].map((held) => held.end()));
    await Promise.all(this.#stores.map((store) => store.leave(this.#host)));
  }
}
