// What the peers of a process last answered to one question. Who is too busy to answer in
// time is not gone: without its share a sum of counters would fall and rise again, which
// whoever reads them takes for a restart.

import type { Clock } from "#core/clock.js";
import { USER_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import type { Subject } from "./subject.js";

/** Who has not answered for so long is taken to be gone. */
const KEPT_MS = 60_000;

interface Kept<T> {
  readonly at: number;
  readonly value: T;
}

export class LatestResponses<T> {
  readonly #peers: Peers;
  readonly #about: Subject<T>;
  readonly #clock: Clock;
  /** By the ids of their processes, the newest first. */
  #kept: ReadonlyMap<number, Kept<T>> = new Map();
  #flight: Promise<readonly T[]> | undefined;

  constructor(peers: Peers, about: Subject<T>, clock: Clock) {
    this.#peers = peers;
    this.#about = about;
    this.#clock = clock;
  }

  /** Never rejects. */
  ask(): Promise<readonly T[]> {
    this.#flight ??= this.#ask().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  async #ask(): Promise<readonly T[]> {
    // Long ones come in pieces, each of which takes its time.
    const { answers } = await this.#peers.askAll(this.#about, null, { waitMs: USER_WAIT_MS });
    const at = this.#clock.now();
    const known = new Map<number, Kept<T>>(answers.map(({ pid, value }) => [pid, { at, value }]));
    for (const [pid, kept] of this.#kept) if (!known.has(pid) && at - kept.at < KEPT_MS) known.set(pid, kept);
    this.#kept = new Map([...known].slice(0, this.#peers.expected));
    return [...this.#kept.values()].map(({ value }) => value);
  }
}
