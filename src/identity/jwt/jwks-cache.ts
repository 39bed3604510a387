// The keys that a URL served last, and when it is asked again.
//
// - One load at a time, whoever waits for it; and whatever tokens say, an unknown key is
//   asked for once in a cool-down. What fails is tried again after ever longer pauses.
// - Nobody waits for a key that is known and good. Before its time is up the set is loaded
//   in the background, by whoever comes next: there is no timer.
// - Known keys whose time is up go on only while loading them fails, and for staleMs then.
// - The generation changes when a key is gone or another, and when known keys may count no
//   more: so what remembers tokens never knows better than who asks here.

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
  /** What messages call it: "keys of https://issuer.example/jwks". */
  readonly name: string;
  readonly load: () => Promise<LoadedKeys>;
  /** Milliseconds that never go back. */
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
  /** Its time is up, and loading does not fail: nothing is found in it until that is done. */
  lapsed: boolean;
}

interface Failures {
  readonly count: number;
  readonly last: unknown;
  readonly lastAt: number;
  readonly retryAt: number;
}

/** Of its time, the part after which a set is loaded again. */
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
   * Asking is using: who only remembers tokens would never see that a key is gone. Before
   * the first use there is nothing to remember, and nothing is loaded.
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
      () => IamError.verifierUnavailable(`${this.#options.name}: nobody waited until they were loaded`),
    );
  }

  /** What is held now. Begins what is due, and ends what is over. */
  #current(now: number): Held | undefined {
    const held = this.#held;
    const isDue = held === undefined || now >= held.refreshAt;
    if (isDue && this.#flight === undefined && now >= this.#failures.retryAt) this.#begin(now);
    if (held === undefined || now < held.goodUntil) return held;
    if (now >= held.staleUntil) {
      this.#drop();
    } else if (!held.lapsed && !this.#hasJustFailed(now)) {
      held.lapsed = true;
      this.#generation += 1;
    }
    return this.#held;
  }

  /** What is found without waiting. "No key" is the word of a server that answers: else nobody knows. */
  #known({ alg, kid }: KeyHint): KeyObject | IamError | undefined {
    const found = this.#held?.keys.find(alg, kid);
    if (found !== undefined) return found;
    const { count, last } = this.#failures;
    return count === 0 ? undefined : IamError.verifierUnavailable(messageOf(this.#options.name, last), last);
  }

  #mayAskForUnknown(now: number): boolean {
    return now >= this.#begunAt + this.#options.coolDownMs && now >= this.#failures.retryAt;
  }

  // A failure of long ago, when somebody came last, says nothing of now. The try that goes on may.
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

  /** Does not reject. */
  async #load(begunAt: number): Promise<void> {
    try {
      this.#hold(await this.#options.load(), begunAt);
    } catch (error) {
      this.#fail(error);
    }
  }

  // Counted from before it was asked for: what it says may be as old.
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
      // It must not throw. Nobody is left who could be told.
    }
  }
}

const messageOf = (name: string, error: unknown): string =>
  `${name} could not be loaded: ${error instanceof Error ? error.message : "for no known reason"}`;
