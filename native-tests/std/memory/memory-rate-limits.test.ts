import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import type { RateLimit } from "framework/core";
import { MemoryRateLimits, type MemoryRateLimitsOptions } from "framework/std";
import { rateLimitStoreContract } from "framework/testing/contracts";
import { exactRate } from "#std/memory/memory-rate-limits.js";
import { RateModel } from "../../support/rate-model.js";

rateLimitStoreContract("memory", () => {
  const clock = { ms: 0 };
  const pass = (ms: number): void => {
    clock.ms += ms;
  };
  return { store: new MemoryRateLimits(), now: () => clock.ms, pass };
});

const TWO: RateLimit = { capacity: 2, windowMs: 1000, cost: 1 };

/** Two tokens a second for each client, on a clock that the test sets. */
function twoPerSecond(options: MemoryRateLimitsOptions) {
  const store = new MemoryRateLimits(options);
  const take = (key: string, now: number, cost = 1) =>
    store.take(key, cost === 1 ? TWO : { ...TWO, cost }, now);
  return { store, take, admits: (key: string, now: number) => take(key, now).allowed };
}

describe("MemoryRateLimits", () => {
  test("decides as an exact model does, for any rate, cost and clock", () => {
    const numbers = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 28_000 }));
    const steps = fc.array(
      fc.record({
        client: fc.integer({ min: 0, max: 5 }),
        cost: fc.double({ min: 0, max: 1, noNaN: true }),
        // As shares of the window, so that buckets of every rate are full and empty.
        later: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1.5, noNaN: true })),
      }),
      { minLength: 1, maxLength: 60 },
    );
    const began = fc.constantFrom(0, 0.7, 12_345.678, 1.7e12);
    fc.assert(
      fc.property(
        numbers,
        numbers,
        steps,
        began,
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom("refuse" as const, "share" as const),
        (capacity, windowMs, requests, start, maxClients, onFull) => {
          const store = new MemoryRateLimits({ maxClients, onFull });
          const model = new RateModel({ capacity, windowMs, maxClients, onFull });
          const limits = new Map<number, RateLimit>();
          let now = start;
          for (const { client, cost: share, later } of requests) {
            now += later * windowMs;
            const cost = 1 + Math.floor(share * (capacity - 1));
            const limit = limits.get(cost) ?? { capacity, windowMs, cost };
            limits.set(cost, limit);
            assert.deepEqual(store.take(`${client}`, limit, now), model.take(`${client}`, cost, now));
          }
          assert.ok(store.size <= maxClients);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("is exact still after ten years, and with the greatest numbers that it takes", () => {
    const tenYears = 315_360_000_000;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40_000 }),
        fc.integer({ min: 1, max: tenYears }),
        fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 1, maxLength: 20 }),
        (capacity, windowMs, steps) => {
          fc.pre(exactRate({ capacity, windowMs }) !== undefined);
          const store = new MemoryRateLimits();
          const model = new RateModel({ capacity, windowMs, maxClients: 9, onFull: "refuse" });
          const limit = { capacity, windowMs, cost: Math.ceil(capacity / 3) };
          let now = 0;
          for (const later of [0, tenYears - 40_000, ...steps]) {
            now += later;
            assert.deepEqual(store.take("a", limit, now), model.take("a", limit.cost, now));
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("admits again exactly when it said it would", () => {
    const { take, admits } = twoPerSecond({});
    admits("alice", 0);
    admits("alice", 0);

    assert.equal(take("alice", 0).retryAfterMs, 500);
    assert.equal(admits("alice", 499.9), false);
    assert.equal(admits("alice", 500), true);
  });

  test("takes no clock that tells no time, and counts on by the next that does", () => {
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, undefined as never]) {
      const { take, admits } = twoPerSecond({});
      const refused = {
        name: "TypeError",
        message: /^The clock says .*a number of milliseconds/,
      };

      assert.throws(() => take("ann", wrong), refused);
      assert.ok(admits("ann", 0) && admits("ann", 0));
      assert.throws(() => take("ann", wrong), refused);
      assert.equal(admits("ann", 0), false);
      assert.equal(admits("ann", 500), true);
    }
  });

  test("gives nothing back that a clock which goes back seems to give, and locks nobody out", () => {
    const { admits } = twoPerSecond({});
    admits("alice", 1000);
    admits("alice", 1000);

    assert.equal(admits("alice", 0), false);
    assert.equal(admits("bob", 0), true);
    assert.equal(admits("alice", 1500), true);
  });

  test("forgets no client that has less than a full bucket, whoever else comes", () => {
    const { admits } = twoPerSecond({ maxClients: 2 });
    admits("alice", 0);
    admits("alice", 0);
    admits("bob", 0);

    for (let n = 0; n < 1000; n += 1) assert.equal(admits(`newcomer ${n}`, 499), false);
    assert.equal(admits("alice", 499), false);
    assert.equal(admits("bob", 499), true);
  });

  test("gives a newcomer the place of whoever is full, be it not the one that came longest ago", () => {
    const { take, admits } = twoPerSecond({ maxClients: 3 });
    take("idle and spent", 0, 2);
    take("spent later", 10, 2);
    take("recent", 20);

    assert.equal(admits("newcomer", 519), false);
    assert.equal(admits("newcomer", 520), true);
    assert.equal(admits("idle and spent", 520), true, "its place is its own");
    assert.equal(admits("another", 520), false);
  });

  test("tells a newcomer without a place when there is one", () => {
    const { take } = twoPerSecond({ maxClients: 2 });
    take("alice", 0, 2);
    take("bob", 100);

    const refused = { allowed: false, remaining: 0, retryAfterMs: 400, resetMs: 400 };
    assert.deepEqual(take("carol", 200), refused);
    assert.equal(take("carol", 599).allowed, false);
    assert.equal(take("carol", 600).allowed, true);
  });

  test("gives a place on to a client of another limit", () => {
    const store = new MemoryRateLimits({ maxClients: 1 });
    const seven = { capacity: 7, windowMs: 1000, cost: 7 };
    const one = { capacity: 1, windowMs: 1000, cost: 1 };
    for (const now of [0, 5000]) assert.equal(store.take("seven", seven, now).allowed, true);

    assert.equal(store.take("one", one, 5999).allowed, false);
    assert.equal(store.take("one", one, 6000).allowed, true);
    assert.equal(store.take("seven", seven, 6999).allowed, false);
    assert.equal(store.take("seven", seven, 7000).allowed, true);
  });

  test("has newcomers without a place share one bucket, where they shall", () => {
    const { admits } = twoPerSecond({ maxClients: 1, onFull: "share" });
    admits("alice", 0);

    assert.deepEqual(
      ["bob", "carol", "dave"].map((name) => admits(name, 0)),
      [true, true, false],
    );
    assert.equal(admits("alice", 0), true);
  });

  test("remembers as many clients as it may, of a million identities", () => {
    const { store, admits } = twoPerSecond({ maxClients: 1000 });
    let admitted = 0;
    for (let n = 0; n < 1_000_000; n += 1) if (admits(`${n}`, Math.floor(n / 1000))) admitted += 1;

    assert.equal(store.size, 1000);
    // 1000 ms, in which each place is taken anew whenever its bucket is full: after 500.
    assert.equal(admitted, 2000);
  });

  test("refuses options that make no sense", () => {
    for (const options of [{ maxClients: 0 }, { maxClients: 1.5 }, { maxClients: 1e9 }, { onFull: "drop" }]) {
      assert.throws(() => new MemoryRateLimits(options as MemoryRateLimitsOptions), {
        code: "CONFIG_INVALID",
        message: /^MemoryRateLimits: (maxClients|onFull) must be /,
      });
    }
  });

  test("takes no rate that it could not count exactly", () => {
    const take = (limit: RateLimit) => () => new MemoryRateLimits().take("a", limit, 0);

    assert.doesNotThrow(take({ capacity: 1_000_000, windowMs: 60_000, cost: 1 }));
    assert.throws(take({ capacity: 1_000_003, windowMs: 60_000, cost: 1 }), { code: "CONFIG_INVALID" });
  });
});
