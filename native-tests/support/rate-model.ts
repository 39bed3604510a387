import type { RateLimitVerdict } from "#core/ports/rate-limit-store.js";

interface Options {
  readonly capacity: number;
  readonly windowMs: number;
  readonly maxClients: number;
  readonly onFull: "refuse" | "share";
}

interface Level {
  level: bigint;
  at: bigint;
}

/**
 * A token bucket as one would write it down: what is in it, in 1/windowMs of a token, as a
 * big integer that is refilled at each look. It forgets no client; who has less than a full
 * bucket has a place.
 */
export class RateModel {
  readonly #capacity: bigint;
  readonly #windowMs: bigint;
  readonly #options: Options;
  readonly #levels = new Map<string, Level>();
  readonly #overflow: Level;

  constructor(options: Options) {
    this.#capacity = BigInt(options.capacity);
    this.#windowMs = BigInt(options.windowMs);
    this.#options = options;
    this.#overflow = this.#full();
  }

  take(key: string, cost: number, now: number): RateLimitVerdict {
    const ms = BigInt(Math.floor(now));
    const own = this.#levels.get(key) ?? this.#full();
    for (const known of [own, this.#overflow, ...this.#levels.values()]) this.#refill(known, ms);
    this.#levels.set(key, own);
    const others = [...this.#levels.values()].filter((known) => known !== own && !this.#isFull(known));
    const hasRoom = !this.#isFull(own) || others.length < this.#options.maxClients;
    if (hasRoom) return this.#takeOf(own, cost);
    if (this.#options.onFull === "share") return this.#takeOf(this.#overflow, cost);
    const waits = others.map((known) => Number(this.#resetMs(known)));
    const wait = Math.min(...waits);
    return { allowed: false, remaining: 0, retryAfterMs: wait, resetMs: wait };
  }

  #takeOf(bucket: Level, cost: number): RateLimitVerdict {
    const price = BigInt(cost) * this.#windowMs;
    const lacking = price - bucket.level;
    if (lacking <= 0n) bucket.level -= price;
    return {
      allowed: lacking <= 0n,
      remaining: Number(bucket.level / this.#windowMs),
      retryAfterMs: lacking <= 0n ? 0 : Number(quotientUp(lacking, this.#capacity)),
      resetMs: Number(this.#resetMs(bucket)),
    };
  }

  #full(): Level {
    return { level: this.#capacity * this.#windowMs, at: 0n };
  }

  #isFull({ level }: Level): boolean {
    return level === this.#capacity * this.#windowMs;
  }

  #refill(bucket: Level, ms: bigint): void {
    const refilled = bucket.level + (ms - bucket.at) * this.#capacity;
    const full = this.#capacity * this.#windowMs;
    bucket.level = refilled < full ? refilled : full;
    bucket.at = ms;
  }

  #resetMs({ level }: Level): bigint {
    return quotientUp(this.#capacity * this.#windowMs - level, this.#capacity);
  }
}

const quotientUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;
