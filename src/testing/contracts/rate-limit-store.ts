// Contract of rate limit stores.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RateLimit, RateLimitStore, RateLimitVerdict } from "#core/ports/rate-limit-store.js";

export interface OpenedRates {
  readonly store: RateLimitStore;
  /** The callers' clock. */
  readonly now: () => number;
  /** Advances the store's time. */
  readonly pass: (ms: number) => Promise<void> | void;
}

/** A burst of ten, then one in 100 ms. */
const TEN: RateLimit = { capacity: 10, windowMs: 1000, cost: 1 };

/** Tests of a RateLimitStore. `open` is called once a test: each store begins empty. */
export function rateLimitStoreContract(name: string, open: () => Promise<OpenedRates> | OpenedRates): void {
  const opened = async () => {
    const { store, now, pass } = await open();
    const take = async (key: string, limit = TEN): Promise<RateLimitVerdict> => store.take(key, limit, now());
    const takes = async (count: number, limit = TEN): Promise<readonly boolean[]> => {
      const taken: boolean[] = [];
      for (let n = 0; n < count; n += 1) taken.push((await take("a", limit)).allowed);
      return taken;
    };
    return { take, takes, pass };
  };
  const admitted = (taken: readonly boolean[]): number => taken.filter(Boolean).length;

  describe(`rates in ${name}`, () => {
    test("admit a burst of the whole bucket, and no more", async () => {
      const { takes } = await opened();

      assert.equal(admitted(await takes(15)), 10);
    });

    test("are of each key by itself", async () => {
      const { take, takes } = await opened();
      await takes(11);

      assert.equal((await take("b")).allowed, true);
      assert.equal((await take("a")).allowed, false);
    });

    test("say what is left, when to come again and when the bucket is full", async () => {
      const { take, takes } = await opened();
      const first = await take("a");
      await takes(9);
      const beyond = await take("a");

      assert.deepEqual([first.remaining, first.retryAfterMs], [9, 0]);
      assert.ok(first.resetMs > 0 && first.resetMs <= 100, String(first.resetMs));
      assert.deepEqual([beyond.allowed, beyond.remaining], [false, 0]);
      assert.ok(beyond.retryAfterMs > 0 && beyond.retryAfterMs <= 100, String(beyond.retryAfterMs));
      assert.ok(beyond.resetMs > 900 && beyond.resetMs <= 1000, String(beyond.resetMs));
      assert.ok([first, beyond].every((told) => Object.values(told).every((n) => Number(n) % 1 === 0)));
    });

    test("admit again when they said", async () => {
      const { take, takes, pass } = await opened();
      await takes(10);
      const { retryAfterMs } = await take("a");
      await pass(retryAfterMs);

      assert.equal((await take("a")).allowed, true);
    });

    test("are refilled evenly", async () => {
      const { takes, pass } = await opened();
      await takes(10);
      await pass(350);

      assert.equal(admitted(await takes(10)), 3);
    });

    test("hold no more than the whole bucket, however long no request came", async () => {
      const { takes, pass } = await opened();
      await takes(10);
      await pass(5000);

      assert.equal(admitted(await takes(20)), 10);
    });

    test("take what a request costs, and nothing of one that is refused", async () => {
      const { take, takes } = await opened();
      const four = { ...TEN, cost: 4 };

      assert.deepEqual(await takes(4, four), [true, true, false, false]);
      assert.equal((await take("a", four)).remaining, 2);
      assert.deepEqual(await takes(3), [true, true, false]);
    });

    test("admit as many concurrent requests as there are tokens", async () => {
      const { take } = await opened();
      const taken = await Promise.all(Array.from({ length: 50 }, () => take("a")));

      assert.equal(admitted(taken.map(({ allowed }) => allowed)), 10);
    });
  });
}
