// The last loaded keys of a URL, and the schedule of loads.
//
// - One load at a time, shared by all callers. Unknown keys cause at most one load in a cool-down,
//   whatever tokens name. Failed loads are retried after growing pauses.
// - A request with a known, current key never waits. The first request after most of the set's time
//   has passed starts a load in the background: there is no timer.
// - Keys beyond their time are used only while loading fails, for at most staleMs.
// - The generation changes when a key is removed or replaced, or when known keys lapse: a cache of
//   identities never accepts more than this does.

import type { KeyObject } from "node:crypto";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Reporter } from "#core/bus/reporter.js";
import { IamError } from "#core/iam/iam-error.js";
import type { Verification } from "#core/iam/iam-verifier.js";
import { awaitedFlight } from "../awaited-flight.js";
import type { JwksKeySet } from "./jwks-key-set.js";
import type { KeyHint } from "./verification-keys.js";

export interface LoadedKeys {
  readonly keys: JwksKeySet;
  readonly maxAgeMs: number;
}

export interface JwksCacheOptions {
  /** Name in messages: "keys of https://issuer.example/jwks". */
  readonly name: string;
  readonly load: () => Promise<LoadedKeys>;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
  readonly coolDownMs: number;
  readonly staleMs: number;
  readonly reporter: Reporter;
}

interface Held {
  readonly keys: JwksKeySet;
  readonly refreshAt: number;
  readonly goodUntil: number;
  readonly staleUntil: number;
  /** Its time has passed and loading does not fail: no key is found until the load is done. */
  lapsed: boolean;
}

interface Failures {
  readonly count: number;
  readonly last: unknown;
  readonly lastAt: number;
  readonly retryAt: number;
}

/** Part of its time after which a set is loaded again. */
const REFRESH_AFTER = 0.8;
const FIRST_PAUSE_MS = 1000;
const NO_FAILURES: Failures = { count: 0, last: undefined, lastAt: 0, retryAt: Number.NEGATIVE_INFINITY };

export class JwksCache {
  readonly #options: JwksCacheOptions;
  #held: Held | undefined;
  #failures = NO_FAILURES;
  #flight: Promise<void> | undefined;
  #begunAt = Number.NEGATIVE_INFINITY;
  #generation = 0;

  constructor(options: JwksCacheOptions) {
    this.#options = options;
  }

  /**
   * Reading it counts as use: otherwise a cache of identities would never notice a removed key.
   * Before the first use nothing is cached, and nothing is loaded.
   */
  get generation(): number {
    if (this.#held !== undefined) this.#current(this.#options.now());
    return this.#generation;
  }

  find(hint: KeyHint, verification: Verification): MaybePromise<KeyObject | IamError | undefined> {
    const now = this.#options.now();
    const held = this.#current(now);
    if (held !== undefined && !held.lapsed) {
      const found = held.keys.find(hint.alg, hint.kid);
      if (found !== undefined) return found;
      if (this.#flight === undefined && this.#mayAskForUnknown(now)) this.#begin(now);
    }
    if (this.#flight === undefined) return this.#known(hint);
    return awaitedFlight(
      this.#flight.then(() => this.#known(hint)),
      verification.signal,
      () => IamError.verifierUnavailable(`${this.#options.name}: the caller left before they were loaded`),
    );
  }

  /** The current set. Starts a load that is due, and drops a set that is too old. */
  #current(now: number): Held | undefined {
    const held = this.#held;
    const isDue = held === undefined || now >= held.refreshAt;
    if (isDue && this.#flight === undefined && now >= this.#failures.retryAt) this.#begin(now);
    if (held === undefined || now < held.goodUntil) return held;
    // hole: withdrawn keys would be trusted for ever
    if (now >= held.staleUntil) {
      this.#drop();
    } else if (!held.lapsed && !this.#hasJustFailed(now)) {
      held.lapsed = true;
      this.#generation += 1;
    }
    return this.#held;
  }

  /** Finds a key without waiting. "No key" is returned only if the server responds: otherwise the result is unknown. */
  #known({ alg, kid }: KeyHint): KeyObject | IamError | undefined {
    const found = this.#held?.keys.find(alg, kid);
    if (found !== undefined) return found;
    const { count, last } = this.#failures;
    return count === 0 ? undefined : IamError.verifierUnavailable(messageOf(this.#options.name, last), last);
  }

  #mayAskForUnknown(now: number): boolean {
    return now >= this.#begunAt + this.#options.coolDownMs && now >= this.#failures.retryAt;
  }

  // An old failure, from before a pause in traffic, says nothing about now. The current load may succeed.
  #hasJustFailed(now: number): boolean {
    const { count, lastAt } = this.#failures;
    const asked = this.#flight === undefined ? now : this.#begunAt;
    return count > 0 && asked < lastAt + 2 * this.#options.coolDownMs;
  }

  #drop(): void {
    this.#held = undefined;
    this.#generation += 1;
  }

  #begin(now: number): void {
    this.#begunAt = now;
    this.#flight = this.#load(now).finally(() => {
      this.#flight = undefined;
    });
  }

  /** Never rejects. */
  async #load(begunAt: number): Promise<void> {
    try {
      this.#hold(await this.#options.load(), begunAt);
    } catch (error) {
      this.#fail(error);
    }
  }

  // Counted from before the request: the response may be as old.
  #hold({ keys, maxAgeMs }: LoadedKeys, begunAt: number): void {
    if (this.#held !== undefined && !keys.hasAllOf(this.#held.keys)) this.#generation += 1;
    const goodUntil = begunAt + maxAgeMs;
    this.#held = {
      keys,
      refreshAt: begunAt + maxAgeMs * REFRESH_AFTER,
      goodUntil,
      staleUntil: goodUntil + this.#options.staleMs,
      lapsed: false,
    };
    this.#failures = NO_FAILURES;
  }

  #fail(error: unknown): void {
    const { name, now, coolDownMs, reporter } = this.#options;
    const lastAt = now();
    const count = this.#failures.count + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), coolDownMs);
    this.#failures = { count, last: error, lastAt, retryAt: lastAt + pauseMs };
    if (this.#held !== undefined && lastAt >= this.#held.staleUntil) this.#drop();
    if (this.#held !== undefined) this.#held.lapsed = false;
    if (count > 1) return;
    try {
      reporter({ code: "KEYS_UNAVAILABLE", message: messageOf(name, error), error });
    } catch {
      // The reporter must not throw. There is no other place to report its error.
    }
  }
}

const messageOf = (name: string, error: unknown): string =>
  `${name} could not be loaded: ${error instanceof Error ? error.message : "for no known reason"}`;
