import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { rateLimitStoreContract } from "framework/testing/contracts";
import type { RateLimit, RateLimitStore } from "#core/ports/rate-limit-store.js";
import { RedisRates } from "#store/redis/redis-rates.js";
import { RateModel } from "../../support/rate-model.js";
import { skipWithoutRedis } from "../../support/redis-server.js";
import { oneRedis, redisConnection, stoppedClock } from "../../support/redis-stores.js";

/** A million in a minute: in 1/1000000 of a millisecond the time would be beyond what is exact. */
const LARGE: RateLimit = { capacity: 1_000_000, windowMs: 60_000, cost: 999_999 };

describe("rates in Redis", { skip: skipWithoutRedis }, () => {
  const server = oneRedis();
  const open = async () => {
    const { redis, now, pass } = stoppedClock(redisConnection((await server()).url));
    return { store: new RedisRates(redis), now, pass };
  };
  const inChunks = (store: RateLimitStore): RateLimitStore => ({
    take: (key, limit, now) => store.take(key, { ...limit, chunk: 5 }, now),
  });
  rateLimitStoreContract("Redis", open);
  rateLimitStoreContract("Redis, five tokens at a time", async () => {
    const { store, ...clock } = await open();
    return { ...clock, store: inChunks(store) };
  });

  test("equal those of a model, whatever is asked for and when", async () => {
    const { store, now, pass } = await open();
    const limit = { capacity: 7, windowMs: 1009 };
    const model = new RateModel({ ...limit, maxClients: 9, onFull: "refuse" });
    for (let n = 0; n < 300; n += 1) {
      pass((n * 7919) % 331);
      const cost = 1 + (n % 3);

      assert.deepEqual(await store.take("a", { ...limit, cost }, 0), model.take("a", cost, now()), `${n}`);
    }
  });

  test("are exact for buckets of a million", async () => {
    const { store, pass } = await open();
    await store.take("a", LARGE, 0);

    assert.deepEqual(
      [(await store.take("a", { ...LARGE, cost: 2 }, 0)).allowed, pass(1)],
      [false, undefined],
    );
    assert.equal((await store.take("a", { ...LARGE, cost: 17 }, 0)).allowed, true);
    assert.equal((await store.take("a", { ...LARGE, cost: 1 }, 0)).allowed, false);
  });

  test("are those of all processes, by the server's clock, and of no other prefix", async () => {
    const { url } = await server();
    const limit = { capacity: 50, windowMs: 600_000, cost: 1 };
    const processes = [1, 2, 3].map(() => new RedisRates(redisConnection(url, {}, "shared")));
    const taken = await Promise.all(
      processes.flatMap((rates, n) =>
        // Their own clocks agree in nothing.
        Array.from({ length: 40 }, () => rates.take("a", limit, n * 1e9)),
      ),
    );
    const other = new RedisRates(redisConnection(url));

    assert.equal(taken.filter(({ allowed }) => allowed).length, 50);
    assert.equal((await other.take("a", limit, 0)).remaining, 49);
  });

  test("leave no identity of a client in the keys, and no key for long", async () => {
    const { client, url } = await server();
    await client.flushall();
    await new RedisRates(redisConnection(url)).take("10.1.2.3", { capacity: 10, windowMs: 1000, cost: 5 }, 0);
    const [key = "", ...others] = await client.keys("*");
    const ttlMs = await client.pttl(key);

    assert.deepEqual(others, []);
    assert.match(key, /^t\d+:rate:\{[\w-]{22}\}$/);
    assert.ok(ttlMs > 0 && ttlMs <= 1500, `${ttlMs}`);
  });

  test("that cannot be counted exactly are refused", async () => {
    const { store } = await open();

    await assert.rejects(async () => store.take("a", { capacity: 1e9, windowMs: 999_999_937, cost: 1 }, 0), {
      code: "CONFIG_INVALID",
    });
  });
});
