import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { RateLimit, RateLimitStore, RateLimitVerdict } from "#core/ports/rate-limit-store.js";
import { type Due, DueHeap } from "../due-heap.js";

/** Capacity of a Map, with a margin. */
const MAX_CLIENTS = 10_000_000;

/** Maximum uptime of a process, and longest window: all numbers are exact for that long. */
const TEN_YEARS_MS = 315_576_000_000;

export interface MemoryRateLimitsOptions {
  /** Maximum number of buckets: 1 to 10 000 000. Default 100 000. */
  readonly maxClients?: number;
  /**
   * If all buckets are in use and none is full: "refuse" refuses new clients until one of them is
   * full, "share" gives new clients one common bucket. Default "refuse".
   */
  readonly onFull?: "refuse" | "share";
}

/** State of one client. `dueAt`: when its bucket is full again, in whole milliseconds, rounded up. */
interface Bucket extends Due {
  key: string;
  /** The same in units of its rate, exact. */
  fullAt: number;
}

/**
 * A bucket's numbers in the largest unit in which all of them are integers, so that nothing is
 * rounded: for 1000 requests a minute, a sixtieth of a token.
 */
interface ExactRate {
  /** Units refilled in one millisecond. */
  readonly perMs: number;
  readonly perToken: number;
  /** Units of a full bucket. */
  readonly full: number;
}

/** A rate, and the bucket that new clients share if there is no room. */
interface Kept {
  readonly rate: ExactRate;
  readonly overflow: Bucket;
}

/**
 * Rates in the memory of one process, exact to the millisecond. A bucket is evicted only if another
 * client needs its place and it is full: then it holds no information.
 */
export class MemoryRateLimits implements RateLimitStore {
  readonly perProcess = "how often each client came in memory, which other processes do not see";
  readonly #maxClients: number;
  readonly #onFull: "refuse" | "share";
  readonly #buckets = new Map<string, Bucket>();
  readonly #byFullness = new DueHeap<Bucket>();
  // By capacity and window: bounded by the number of limits in the program.
  readonly #kept = new Map<string, Kept>();
  // Most stores serve one guard.
  #lastLimit: RateLimit | undefined;
  #lastKept: Kept | undefined;
  #beganAt: number | undefined;
  #elapsedMs = 0;

  /** Throws CONFIG_INVALID, which names `owner`. */
  constructor(options: MemoryRateLimitsOptions = {}, owner = "MemoryRateLimits") {
    requireKnownOptions(owner, options, ["maxClients", "onFull"]);
    const { maxClients = 100_000, onFull = "refuse" } = options;
    this.#maxClients = requireWhole(owner, "maxClients", maxClients, 1, MAX_CLIENTS);
    if (onFull !== "refuse" && onFull !== "share")
      throw invalidOption(owner, 'onFull must be "refuse" or "share"');
    this.#onFull = onFull;
  }

  /** Number of buckets. */
  get size(): number {
    return this.#buckets.size;
  }

  readonly take = (key: string, limit: RateLimit, now: number): RateLimitVerdict => {
    const { rate, overflow } = this.#keptOf(limit);
    const ms = this.#elapsed(now);
    const known = this.#buckets.get(key) ?? this.#admitted(key, ms);
    if (known !== undefined) return this.#takeOf(known, rate, limit.cost, ms);
    if (this.#onFull === "share") return this.#takeOf(overflow, rate, limit.cost, ms);
    const waitMs = (this.#byFullness.first as Bucket).dueAt - ms;
    return { allowed: false, remaining: 0, retryAfterMs: waitMs, resetMs: waitMs };
  };

  #takeOf(bucket: Bucket, rate: ExactRate, cost: number, ms: number): RateLimitVerdict {
    const { perMs, perToken, full } = rate;
    const now = ms * perMs;
    const missing = Math.max(bucket.fullAt - now, 0);
    const wanted = missing + cost * perToken;
    if (wanted > full) {
      return {
        allowed: false,
        remaining: Math.floor((full - missing) / perToken),
        retryAfterMs: Math.ceil((wanted - full) / perMs),
        resetMs: Math.ceil(missing / perMs),
      };
    }
    const resetMs = Math.ceil(wanted / perMs);
    bucket.fullAt = now + wanted;
    bucket.dueAt = ms + resetMs;
    this.#byFullness.changed(bucket);
    return { allowed: true, remaining: Math.floor((full - wanted) / perToken), retryAfterMs: 0, resetMs };
  }

  /** Makes the bucket of an unknown client; undefined if there is no room. */
  #admitted(key: string, ms: number): Bucket | undefined {
    if (this.#buckets.size < this.#maxClients) {
      const bucket: Bucket = { key, fullAt: 0, dueAt: 0, place: 0 };
      this.#byFullness.add(bucket);
      this.#buckets.set(key, bucket);
      return bucket;
    }
    const first = this.#byFullness.first as Bucket;
    if (first.dueAt > ms) return undefined;
    // A full bucket equals a new one.
    this.#buckets.delete(first.key);
    first.key = key;
    first.fullAt = 0;
    this.#buckets.set(key, first);
    return first;
  }

  #keptOf(limit: RateLimit): Kept {
    if (limit === this.#lastLimit) return this.#lastKept as Kept;
    const name = `${limit.capacity}/${limit.windowMs}`;
    const kept = this.#kept.get(name) ?? keptOf(limit);
    this.#kept.set(name, kept);
    this.#lastLimit = limit;
    this.#lastKept = kept;
    return kept;
  }

  /** Whole milliseconds since the first call. A clock that is set back stands still instead. */
  #elapsed(now: number): number {
    // NaN would admit every later request, and stay in the buckets.
    if (!Number.isFinite(now))
      throw new TypeError(`The clock says ${now}: it must be a number of milliseconds`);
    const ms = Math.floor(now);
    this.#beganAt ??= ms;
    this.#elapsedMs = Math.max(this.#elapsedMs, ms - this.#beganAt);
    return this.#elapsedMs;
  }
}

function keptOf(limit: RateLimit): Kept {
  const rate = exactRate(limit);
  if (rate !== undefined) return { rate, overflow: { key: "", fullAt: 0, dueAt: 0, place: -1 } };
  const call = `MemoryRateLimits, asked for ${limit.capacity} per ${limit.windowMs} ms`;
  throw invalidOption(call, "this rate cannot be counted exactly; use rounder numbers");
}

/** Undefined if the numbers would be too large to be exact. */
export function exactRate({ capacity, windowMs }: Omit<RateLimit, "cost">): ExactRate | undefined {
  let [divisor, lesser] = [capacity, windowMs];
  while (lesser > 0) [divisor, lesser] = [lesser, divisor % lesser];
  const perMs = capacity / divisor;
  const perToken = windowMs / divisor;
  // An empty bucket at the last instant has the largest number.
  const greatest = perMs * (TEN_YEARS_MS + windowMs);
  if (windowMs > TEN_YEARS_MS || greatest > Number.MAX_SAFE_INTEGER) return undefined;
  return { perMs, perToken, full: perToken * capacity };
}
