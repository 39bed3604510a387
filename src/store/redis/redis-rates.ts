// Rates of all processes: a bucket is when it is full again, by the clock of the server, to a part of a
// millisecond. The same units as in memory (std/memory/memory-rate-limits.ts), in which nothing is rounded.

import type { MaybePromise } from "#core/bus/outcome-types.js";
import { invalidOption } from "#core/invalid-option.js";
import type { RateLimit, RateLimitStore, RateLimitVerdict } from "#core/ports/rate-limit-store.js";
import { exactRate } from "#std/memory/memory-rate-limits.js";
import { type Drawn, HeldTokens } from "../sql/held-tokens.js";
import { hashed, NOW, type RedisConnection, type RedisScript } from "./redis-connection.js";

// "MS:PART": full at MS, and PART units later. A number alone would exceed what Lua counts exactly.
// A bucket is kept a second longer than it is needed: a clock that is set back by less forgets none.
const DRAW: RedisScript = {
  ...{ name: "frameworkDraw", keys: 1 },
  lua: `${NOW}
local perMs, perToken, full = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local least, most = tonumber(ARGV[4]), tonumber(ARGV[5])
local missing = 0
local ms, part = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+):(%d+)$')
if ms then missing = math.min(math.max((ms - now) * perMs + part, 0), full) end
local left = math.floor((full - missing) / perToken)
if left < least then
  return {0, left, math.ceil((missing + least * perToken - full) / perMs), missing}
end
local taken = math.min(left, most)
missing = missing + taken * perToken
local fullAt = string.format('%.0f:%.0f', now + math.floor(missing / perMs), missing % perMs)
redis.call('SET', KEYS[1], fullAt, 'PX', string.format('%.0f', math.ceil(missing / perMs) + 1000))
return {taken, left - taken, 0, missing}`,
};

export class RedisRates implements RateLimitStore {
  readonly #redis: Pick<RedisConnection, "call" | "keyOf">;
  readonly #held = new HeldTokens((key, limit, least, most) => this.#draw(key, limit, least, most));

  constructor(redis: Pick<RedisConnection, "call" | "keyOf">) {
    this.#redis = redis;
  }

  readonly take = (key: string, limit: RateLimit, now: number): MaybePromise<RateLimitVerdict> =>
    this.#held.take(key, limit, now);

  async #draw(key: string, limit: RateLimit, least: number, most: number): Promise<Drawn> {
    const rate = exactRate(limit);
    if (rate === undefined)
      throw invalidOption(
        `RedisRates, asked for ${limit.capacity} per ${limit.windowMs} ms`,
        "this rate cannot be counted exactly; use rounder numbers",
      );
    const bucket = this.#redis.keyOf("rate", hashed(key));
    const args = [rate.perMs, rate.perToken, rate.full, least, most];
    const [taken, remaining, retryAfterMs, missing] = (await this.#redis.call(
      "rates",
      DRAW,
      [bucket],
      args,
    )) as [number, number, number, number];
    return { taken, remaining, retryAfterMs, resetMs: missing / rate.perMs };
  }
}
