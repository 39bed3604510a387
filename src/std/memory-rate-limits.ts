import type { RateLimit, RateLimitStore, RateLimitVerdict } from "#core/rate-limit-store.js";
import { type Bucket, BucketHeap } from "./bucket-heap.js";
import { type ExactRate, exactRate } from "./exact-rate.js";
import { invalidOption, requireKnownOptions } from "./invalid-option.js";

/** What a Map can hold, with a margin. */
const MAX_CLIENTS = 10_000_000;

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
  readonly #byFullness = new BucketHeap();
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
    if (!Number.isInteger(maxClients) || maxClients < 1 || maxClients > MAX_CLIENTS)
      throw invalidOption(owner, `maxClients must be a whole number from 1 to ${MAX_CLIENTS}`);
    if (onFull !== "refuse" && onFull !== "share")
      throw invalidOption(owner, 'onFull must be "refuse" or "share"');
    this.#maxClients = maxClients;
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
    const waitMs = (this.#byFullness.first as Bucket).fullAtMs - ms;
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
    bucket.fullAtMs = ms + resetMs;
    this.#byFullness.delayed(bucket);
    return { allowed: true, remaining: Math.floor((full - wanted) / perToken), retryAfterMs: 0, resetMs };
  }

  /** The bucket of a client that is not remembered; undefined where there is no room for it. */
  #admitted(key: string, ms: number): Bucket | undefined {
    if (this.#buckets.size < this.#maxClients) {
      const bucket: Bucket = { key, fullAt: 0, fullAtMs: 0, place: 0 };
      this.#byFullness.add(bucket);
      this.#buckets.set(key, bucket);
      return bucket;
    }
    const first = this.#byFullness.first as Bucket;
    if (first.fullAtMs > ms) return undefined;
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
    // Compared with, it would let everybody in, and for ever: what is kept would be none either.
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
  if (rate === undefined) {
    const call = `MemoryRateLimits, asked for ${limit.capacity} per ${limit.windowMs} ms`;
    throw invalidOption(call, "this rate cannot be counted exactly; use rounder numbers");
  }
  return { rate, overflow: { key: "", fullAt: 0, fullAtMs: 0, place: -1 } };
}
