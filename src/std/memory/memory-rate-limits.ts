import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { RateLimit, RateLimitStore, RateLimitVerdict } from "#core/ports/rate-limit-store.js";
import { type Due, DueHeap } from "../due-heap.js";

/** What a Map can hold, with a margin. */
const MAX_CLIENTS = 10_000_000;

/** Time that a process may run, and the longest window: every number stays exact for so long. */
const TEN_YEARS_MS = 315_576_000_000;

export interface MemoryRateLimitsOptions {
  /** Buckets remembered at once: 1 to 10 000 000. Default 100 000. */
  readonly maxClients?: number;
  /**
   * When as many clients as that have less than a full bucket: "refuse" turns newcomers away
   * until one of these buckets is full, "share" has them take from one bucket together.
   * Default "refuse".
   */
  readonly onFull?: "refuse" | "share";
}

/** What one client has left. `dueAt`: when it is full again, in whole milliseconds, rounded up. */
interface Bucket extends Due {
  key: string;
  /** The same in units of its rate: this number is the whole bucket. */
  fullAt: number;
}

/**
 * A bucket's numbers in the largest unit in which all of them are integers, so that nothing is
 * rounded and nothing drifts: of 1000 requests a minute, a fiftieth of a token.
 */
interface ExactRate {
  /** Refilled in one millisecond. */
  readonly perMs: number;
  readonly perToken: number;
  /** A full bucket. */
  readonly full: number;
}

/** A rate, and the bucket that its newcomers share where there is no room. */
interface Kept {
  readonly rate: ExactRate;
  readonly overflow: Bucket;
}

/**
 * Rates of this process, exact to the millisecond. A bucket is forgotten only when another
 * client needs its place and it is full again, which is when it says nothing any more.
 */
export class MemoryRateLimits implements RateLimitStore {
  readonly perProcess = "how often each client came in memory, which other processes do not see";
  readonly #maxClients: number;
  readonly #onFull: "refuse" | "share";
  readonly #buckets = new Map<string, Bucket>();
  readonly #byFullness = new DueHeap<Bucket>();
  // By capacity and window: as many as the program has limits.
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

  /** How many buckets it remembers. */
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

  /** The bucket of a client that is not remembered; undefined where there is no room for it. */
  #admitted(key: string, ms: number): Bucket | undefined {
    if (this.#buckets.size < this.#maxClients) {
      const bucket: Bucket = { key, fullAt: 0, dueAt: 0, place: 0 };
      this.#byFullness.add(bucket);
      this.#buckets.set(key, bucket);
      return bucket;
    }
    const first = this.#byFullness.first as Bucket;
    if (first.dueAt > ms) return undefined;
    // One that is full is as good as new.
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

  /** Whole milliseconds since the first call. A clock that goes back stands still instead. */
  #elapsed(now: number): number {
    // NaN would admit every request from then on, and stay in the buckets.
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

/** Undefined where the numbers would get too large to be exact. */
export function exactRate({ capacity, windowMs }: Omit<RateLimit, "cost">): ExactRate | undefined {
  let [divisor, lesser] = [capacity, windowMs];
  while (lesser > 0) [divisor, lesser] = [lesser, divisor % lesser];
  const perMs = capacity / divisor;
  const perToken = windowMs / divisor;
  // The last instant, and a bucket that is empty by then: the greatest number there is.
  const greatest = perMs * (TEN_YEARS_MS + windowMs);
  if (windowMs > TEN_YEARS_MS || greatest > Number.MAX_SAFE_INTEGER) return undefined;
  return { perMs, perToken, full: perToken * capacity };
}
