// The latest response of each peer to one question. A peer too busy to respond in time keeps its
// previous response: without it a sum of counters would drop and rise again, which a reader takes
// for a restart.

import type { Clock } from "#core/clock.js";
import { USER_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import type { Subject } from "./subject.js";

/** A peer silent for this long is taken to have ended. */
const KEPT_MS = 60_000;

interface Kept<T> {
  readonly at: number;
  readonly value: T;
}

export class LatestResponses<T> {
  readonly #peers: Peers;
  readonly #about: Subject<T>;
  readonly #clock: Clock;
  readonly #question: unknown;
  /** By process id, the newest first. */
  #kept: ReadonlyMap<number, Kept<T>> = new Map();
  #flight: Promise<readonly T[]> | undefined;

  constructor(peers: Peers, about: Subject<T>, clock: Clock, question: unknown = null) {
    this.#peers = peers;
    this.#about = about;
    this.#clock = clock;
    this.#question = question;
  }

  /** Never rejects. */
  ask(): Promise<readonly T[]> {
    this.#flight ??= this.#ask().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  async #ask(): Promise<readonly T[]> {
    // A long response arrives in pieces, and each piece has this time.
    const { answers } = await this.#peers.askAll(this.#about, this.#question, { waitMs: USER_WAIT_MS });
    const at = this.#clock.now();
    const known = new Map<number, Kept<T>>(answers.map(({ pid, value }) => [pid, { at, value }]));
    for (const [pid, kept] of this.#kept) if (!known.has(pid) && at - kept.at < KEPT_MS) known.set(pid, kept);
    this.#kept = new Map([...known].slice(0, this.#peers.expected));
    return [...this.#kept.values()].map(({ value }) => value);
  }
}
