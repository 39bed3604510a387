import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Allowance, Allowances } from "#inspector/traces/allowance.js";

describe("an allowance", () => {
  test("gives what there is at once, and then so many a second", () => {
    const allowance = new Allowance(3, 10);
    const taken = (at: number) => {
      let count = 0;
      while (allowance.take(at)) count += 1;
      return count;
    };

    assert.deepEqual([1000, 1000, 1099, 1100, 1400, 60_000].map(taken), [3, 0, 0, 1, 3, 3]);
  });

  test("never gives more than that, whatever the clock does", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -500, max: 500 }), { maxLength: 300 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 200 }),
        (steps, atOnce, perSecond) => {
          const allowance = new Allowance(atOnce, perSecond);
          let [now, latest, given] = [1e9, 1e9, 0];
          assert.ok(allowance.take(now));
          for (const step of steps) {
            now += step;
            latest = Math.max(latest, now);
            if (allowance.take(now)) given += 1;
            assert.ok(given < atOnce + ((latest - 1e9) * perSecond) / 1000 + 1e-6);
          }
        },
      ),
    );
  });
});

describe("allowances of names", () => {
  test("are each name's own; more names than there may be share one", () => {
    const allowances = new Allowances(2, () => new Allowance(1, 1));
    const taken = ["a", "a", "b", "a", "b", "c", "d", "a"].map((name) => allowances.take(name, 1e6));
    assert.deepEqual(taken, [true, false, true, false, false, true, false, false]);
    // A second later what was taken is there again: "b" was asked for before "a".
    assert.deepEqual(
      ["c", "c", "d", "d"].map((name) => allowances.take(name, 1e6 + 1000)),
      [true, false, true, false],
    );
  });

  test("give the place of the one that was not asked for for longest to another", () => {
    const allowances = new Allowances(2, () => new Allowance(1, 1));
    for (const name of ["a", "b"]) allowances.take(name, 1e6);
    allowances.take("a", 1e6 + 1000);

    // In the place of "b"; "d" finds none, and has what those share.
    assert.deepEqual(
      ["c", "d", "e"].map((name) => allowances.take(name, 1e6 + 1500)),
      [true, true, false],
    );
  });
});
