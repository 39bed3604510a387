import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RateLimit } from "#core/ports/rate-limit-store.js";
import { type Draw, HeldTokens } from "#store/sql/held-tokens.js";
import { RateModel } from "../../support/rate-model.js";

const TEN: RateLimit = { capacity: 10, windowMs: 1000, cost: 1, chunk: 5 };

/** A bucket that processes share, on a clock of its own; `clock.draws` counts round trips. */
function bucket({ capacity, windowMs }: RateLimit) {
  const clock = { ms: 0, draws: 0 };
  const fullAt = new Map<string, number>();
  const draw: Draw = async (key, _limit, least, most) => {
    clock.draws += 1;
    const missing = Math.max((fullAt.get(key) ?? 0) - clock.ms, 0);
    const left = Math.floor(((windowMs - missing) * capacity) / windowMs + 1e-9);
    if (left < least) {
      const retryAfterMs = Math.ceil(missing + (least * windowMs) / capacity - windowMs);
      return { taken: 0, remaining: left, retryAfterMs, resetMs: missing };
    }
    const taken = Math.min(left, most);
    const resetMs = missing + (taken * windowMs) / capacity;
    fullAt.set(key, clock.ms + resetMs);
    return { taken, remaining: left - taken, retryAfterMs: 0, resetMs };
  };
  return { clock, draw };
}

/** Repeatable. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe("held tokens", () => {
  test("are given without a round trip", async () => {
    const { clock, draw } = bucket(TEN);
    const held = new HeldTokens(draw);
    const taken: boolean[] = [];
    for (let n = 0; n < 12; n += 1) taken.push((await held.take("a", TEN, 0)).allowed);

    assert.deepEqual(taken, [...Array(10).fill(true), false, false]);
    // HT3: the twelfth is refused by what the bucket said to the eleventh.
    assert.equal(clock.draws, 3);
  });

  test("are taken one by one where no chunk is asked for", async () => {
    const { clock, draw } = bucket(TEN);
    const held = new HeldTokens(draw);
    const { chunk: _, ...limit } = TEN;
    for (let n = 0; n < 4; n += 1) await held.take("a", limit, 0);

    assert.equal(clock.draws, 4);
  });

  test("are taken by one round trip for concurrent requests of a key", async () => {
    const { clock, draw } = bucket(TEN);
    const held = new HeldTokens(draw);
    const taken = await Promise.all(Array.from({ length: 10 }, () => held.take("a", TEN, 0)));

    assert.equal(taken.filter(({ allowed }) => allowed).length, 10);
    assert.equal(clock.draws, 2);
  });

  test("never let in more than the bucket alone, over processes, costs and chunks", async () => {
    // HT1: tokens are taken before they are given.
    // HT2: what is held and what the bucket has never exceed its capacity.
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = randomOf(seed);
      const limit = { capacity: 2 + random(12), windowMs: 100 + random(900), cost: 1 };
      const { clock, draw } = bucket(limit);
      const processes = [1, 2, 3].map(() => new HeldTokens(draw));
      const model = new RateModel({ ...limit, maxClients: 1, onFull: "refuse" });
      for (let n = 0; n < 300; n += 1) {
        clock.ms += random(3) === 0 ? random(limit.windowMs) : 0;
        const cost = 1 + random(2);
        const asked = processes[random(3)]?.take("a", { ...limit, cost, chunk: 1 + random(8) }, clock.ms);
        if (!(await asked)?.allowed) continue;

        assert.equal(model.take("a", cost, clock.ms).allowed, true, `seed ${seed}, request ${n}`);
      }
    }
  });

  test("are refused here only until the bucket said, and not to one that costs less", async () => {
    const { clock, draw } = bucket(TEN);
    const held = new HeldTokens(draw);
    const take = async (cost: number) => (await held.take("a", { ...TEN, cost }, clock.ms)).allowed;
    for (let n = 0; n < 8; n += 1) await take(1);

    assert.deepEqual([await take(3), await take(2)], [false, true]);
    assert.equal(await take(1), false);
    clock.ms = 100;
    assert.equal(await take(1), true);
  });

  test("of a draw that failed are no one's: the next request asks again", async () => {
    const { draw } = bucket(TEN);
    let fails = true;
    const held = new HeldTokens(async (...all) => {
      if (fails) throw new Error("away");
      return draw(...all);
    });
    const failed = await Promise.allSettled([1, 2].map(async () => held.take("a", TEN, 0)));
    fails = false;

    assert.deepEqual(
      failed.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    assert.equal((await held.take("a", TEN, 0)).allowed, true);
  });

  test("are of a bounded number of keys: those of the oldest are lost", async () => {
    const { clock, draw } = bucket(TEN);
    const held = new HeldTokens(draw, 2);
    for (const key of ["a", "b", "c"]) await held.take(key, TEN, 0);
    const before = clock.draws;
    await held.take("c", TEN, 0);
    assert.equal(clock.draws, before);
    await held.take("a", TEN, 0);

    assert.equal(clock.draws, before + 1);
  });
});
