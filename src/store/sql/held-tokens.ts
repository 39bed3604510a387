// Tokens of shared buckets that this process has taken and not given yet: `RateLimit.chunk`.
//
//   HT1. Tokens are taken before they are given. What is held may be lost, and is refused to others meanwhile.
//   HT2. Held tokens and the bucket's own together never exceed its capacity: as the bucket is refilled,
//        the tokens held longest are given up. So no more is admitted than by the bucket alone.
//   HT3. A key that the bucket has refused is refused here until the time that the bucket said.
//
// The callers' clock measures how long tokens are held, from before they were asked for.

import type { MaybePromise } from "#core/bus/outcome-types.js";
import { OldestEntry } from "#core/oldest-entry.js";
import type { RateLimit, RateLimitVerdict } from "#core/ports/rate-limit-store.js";

/** What came of a bucket. */
export interface Drawn {
  /** 0 where there were fewer than the least. */
  readonly taken: number;
  readonly remaining: number;
  /** Until the least can be taken, rounded up; 0 if it was. */
  readonly retryAfterMs: number;
  /** Not rounded. */
  readonly resetMs: number;
}

/** Takes as many tokens as there are, up to `most`, or none if there are fewer than `least`. */
export type Draw = (key: string, limit: RateLimit, least: number, most: number) => Promise<Drawn>;

/** Maximum number of keys of which something is known. */
const MAX_KEYS = 10_000;

/** Beyond what sums of floating-point numbers are off by. */
const EXACT = 1e-6;

/** Tokens of one draw, of a bucket that is full at `fullAt` by the callers' clock. */
interface Lot {
  tokens: number;
  readonly fullAt: number;
}

interface Held {
  lots: Lot[];
  /** Of the bucket at the last draw. */
  readonly remaining: number;
  readonly fullAt: number;
  /** Requests of at least `refusedCost` tokens are refused until then. */
  readonly refusedUntil: number;
  readonly refusedCost: number;
}

interface Trip {
  readonly drawn: Promise<Drawn>;
  /** Tokens that no request waits for. */
  left: number;
}

export class HeldTokens {
  readonly #draw: Draw;
  readonly #maxKeys: number;
  readonly #held = new Map<string, Held>();
  readonly #oldest = new OldestEntry(this.#held);
  /** Draws in flight. */
  readonly #trips = new Map<string, Trip>();

  constructor(draw: Draw, maxKeys = MAX_KEYS) {
    this.#draw = draw;
    this.#maxKeys = maxKeys;
  }

  readonly take = (key: string, limit: RateLimit, now: number): MaybePromise<RateLimitVerdict> => {
    const { cost, chunk = 1 } = limit;
    if (chunk <= cost) return this.#draw(key, limit, cost, cost).then(verdictOf);
    return this.#given(key, limit, now) ?? this.#awaited(key, limit, now);
  };

  /** Concurrent requests of a key share a draw, as far as it can suffice. */
  async #awaited(key: string, limit: RateLimit, now: number): Promise<RateLimitVerdict> {
    const known = this.#trips.get(key);
    const trip = known !== undefined && known.left >= limit.cost ? known : this.#started(key, limit, now);
    trip.left -= limit.cost;
    const drawn = await trip.drawn;
    const given = this.#given(key, limit, now);
    if (given !== undefined) return given;
    // Each draw that took something admits one request at least, so that this ends.
    return drawn.taken === 0 ? verdictOf(drawn) : this.#awaited(key, limit, now);
  }

  #started(key: string, limit: RateLimit, now: number): Trip {
    const { cost, capacity, chunk = 1 } = limit;
    const kept = this.#valid(this.#held.get(key), limit, now);
    const least = cost - kept.reduce((sum, { tokens }) => sum + tokens, 0);
    const drawn = this.#draw(key, limit, Math.max(least, 1), Math.min(chunk, capacity));
    const trip: Trip = { drawn: drawn.then((came) => this.#note(key, limit, now, came)), left: chunk };
    this.#trips.set(key, trip);
    const end = (): void => {
      if (this.#trips.get(key) === trip) this.#trips.delete(key);
    };
    trip.drawn.then(end, end);
    return trip;
  }

  #note(key: string, limit: RateLimit, now: number, drawn: Drawn): Drawn {
    const lots = this.#valid(this.#held.get(key), limit, now);
    const fullAt = now + drawn.resetMs;
    if (drawn.taken > 0) lots.push({ tokens: drawn.taken, fullAt });
    this.#held.delete(key);
    const oldest = this.#oldest.get();
    if (this.#held.size >= this.#maxKeys && oldest !== undefined) this.#held.delete(oldest[0]);
    const refusedUntil = drawn.taken === 0 ? now + drawn.retryAfterMs : now;
    this.#held.set(key, { lots, remaining: drawn.remaining, fullAt, refusedUntil, refusedCost: limit.cost });
    return drawn;
  }

  /** Undefined where only the bucket knows. */
  #given(key: string, limit: RateLimit, now: number): RateLimitVerdict | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    held.lots = this.#valid(held, limit, now);
    const sum = held.lots.reduce((all, { tokens }) => all + tokens, 0);
    const allowed = sum >= limit.cost;
    const retryAfterMs = allowed ? 0 : Math.ceil(held.refusedUntil - now);
    if (!allowed && (retryAfterMs <= 0 || limit.cost < held.refusedCost)) return undefined;
    const left = allowed ? sum - limit.cost : sum;
    if (allowed) spend(held.lots, limit.cost);
    const resetMs = held.fullAt - now - (left * limit.windowMs) / limit.capacity;
    return {
      allowed,
      remaining: left + held.remaining,
      retryAfterMs,
      resetMs: Math.max(Math.ceil(resetMs), 0),
    };
  }

  // HT2: of a lot that completed what was missing until `fullAt`, only what is still missing is outstanding.
  #valid(held: Held | undefined, { capacity, windowMs }: RateLimit, now: number): Lot[] {
    const lots = held?.lots ?? [];
    for (const lot of lots)
      lot.tokens = Math.min(lot.tokens, Math.floor(((lot.fullAt - now) * capacity) / windowMs + EXACT));
    return lots.filter(({ tokens }) => tokens > 0);
  }
}

/** From the oldest. */
function spend(lots: readonly Lot[], cost: number): void {
  let owed = cost;
  for (const lot of lots) {
    const spent = Math.min(lot.tokens, owed);
    lot.tokens -= spent;
    owed -= spent;
  }
}

const verdictOf = ({ taken, remaining, retryAfterMs, resetMs }: Drawn): RateLimitVerdict => ({
  ...{ allowed: taken > 0, remaining, retryAfterMs, resetMs: Math.ceil(resetMs - EXACT) },
});
