import { randomUUID } from "node:crypto";

import { Bus } from "#core/bus/bus.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import type { RunStore } from "#core/ports/run-store.js";
import { factsOf, Heartbeat, type HostProcess } from "./heartbeat.js";
import { Rounds } from "./rounds.js";

export interface RequestHostOptions {
  readonly store: RunStore;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly process?: HostProcess;
}

/** The lease of a process that keeps no runs: requests to hosts reach it, and others see that it lives. */
export class RequestHost {
  readonly id = randomUUID();
  /** The outside values of runs that begin here without a request. */
  resources: Bus = Bus.of([]);
  readonly heartbeat: Heartbeat;
  readonly #store: RunStore;
  readonly #rounds: Rounds;
  readonly #leaseMs: number;

  constructor({ store, leaseMs, clock, reporter, process: of }: RequestHostOptions) {
    this.#store = store;
    this.#leaseMs = leaseMs;
    this.heartbeat = new Heartbeat(this.id, leaseMs, [store], factsOf({}, of));
    this.#rounds = new Rounds({ clock, random: Math.random, reporter });
  }

  /** Rejects if the store does not answer. */
  async begin(): Promise<void> {
    await this.heartbeat.extend();
    // Leases of earlier processes. No run ended before 1970.
    await this.#store.forget(0, 1);
    this.#rounds.every(this.#leaseMs / 3, () => this.heartbeat.beat());
  }

  stop(): void {}

  async leave(): Promise<void> {
    this.#rounds.end();
    await this.heartbeat.leave();
  }
}
