// The port of rate limits.

import type { MaybePromise } from "../bus/outcome-types.js";

/** Positive integers. */
export interface RateLimit {
  /** Tokens of a full bucket: the largest burst. */
  readonly capacity: number;
  /** Milliseconds to refill an empty bucket. */
  readonly windowMs: number;
  /** Tokens of one request: at most `capacity`. */
  readonly cost: number;
  /**
   * Maximum number of tokens that a shared store may take at once, to give them to later requests of this
   * process: what processes hold is refused to others meanwhile. Default 1: none are held.
   */
  readonly chunk?: number;
}

/** Result of a take. Numbers are 0 or greater. */
export interface RateLimitVerdict {
  readonly allowed: boolean;
  /** Whole tokens left. */
  readonly remaining: number;
  /** Until the same take can be allowed, rounded up; 0 if it was allowed. */
  readonly retryAfterMs: number;
  /** Until the bucket is full again, rounded up. */
  readonly resetMs: number;
}

/**
 * Counts rates: a token bucket for each key. It holds `capacity` tokens and is refilled evenly,
 * from empty to full in `windowMs`. The implementer must guarantee:
 *
 * - A take is atomic, also among processes. A refused take takes nothing.
 * - A key always comes with the same capacity and window. Guards that share a store share no
 *   buckets: the key names the guard.
 * - Only a full bucket may be forgotten.
 * - A call that fails throws or rejects.
 */
export interface RateLimitStore {
  /** Set by stores in the memory of one process, which limit only that process: the state kept there. */
  readonly perProcess?: string;
  /**
   * Takes `limit.cost` tokens from the bucket of `key`, if it holds as many. `now` is the caller's
   * monotonic clock in milliseconds, with an origin of its own process: a shared store uses its
   * own clock.
   */
  readonly take: (key: string, limit: RateLimit, now: number) => MaybePromise<RateLimitVerdict>;
}
