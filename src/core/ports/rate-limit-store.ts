// The port of rate limits.

import type { MaybePromise } from "../bus/outcome-types.js";

/** Positive integers. */
export interface RateLimit {
  /** Tokens that a full bucket holds: the largest burst. */
  readonly capacity: number;
  /** Milliseconds in which an empty bucket is full again. */
  readonly windowMs: number;
  /** Tokens that one request takes: at most `capacity`. */
  readonly cost: number;
}

/** What a take came to. Numbers are 0 or greater. */
export interface RateLimitVerdict {
  readonly allowed: boolean;
  /** Whole tokens left. */
  readonly remaining: number;
  /** Until the same take can be allowed, rounded up; 0 where it was. */
  readonly retryAfterMs: number;
  /** Until the bucket is full again, rounded up. */
  readonly resetMs: number;
}

/**
 * Where rates are counted: a token bucket for each key. It holds `capacity` tokens and is refilled
 * evenly, from empty to full in `windowMs`. What an implementation must keep to:
 *
 * - A take is atomic, also among processes. A refused take takes nothing.
 * - A key always comes with the same capacity and window. Guards that share a store share no
 *   buckets: the key names the guard.
 * - A full bucket may be forgotten. Another one must not.
 * - A call that fails throws or rejects.
 */
export interface RateLimitStore {
  /** What it keeps in the memory of its process, where it does: it limits nobody elsewhere. */
  readonly perProcess?: string;
  /**
   * Takes `limit.cost` tokens of the bucket of `key`, if they are there. `now` is the
   * caller's clock, in milliseconds that never go back. It has begun at some time of its
   * own process: a store that many share goes by its own clock.
   */
  readonly take: (key: string, limit: RateLimit, now: number) => MaybePromise<RateLimitVerdict>;
}
