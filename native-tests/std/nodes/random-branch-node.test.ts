import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";
import { RandomBranchNode } from "framework/std";

const told = (how: string) => Axon.start<number>(how).thenFn("tell", () => how);
/** Where an input goes when `random` answers `drawn`. */
const taken = (drawn: number) =>
  Axon.start<number>("try")
    .then(new RandomBranchNode({ canary: 0.25, dark: 0.25 }, { random: () => drawn }))
    .branch("canary", told("canary"))
    .branch("dark", told("dark"))
    .execute(1);

describe("RandomBranchNode", () => {
  test("gives each branch its share, and the main line the rest", () => {
    const below = (n: number) => n - Number.EPSILON;

    assert.deepEqual([taken(0), taken(below(0.25))], ["canary", "canary"]);
    assert.deepEqual([taken(0.25), taken(below(0.5))], ["dark", "dark"]);
    assert.deepEqual([taken(0.5), taken(below(1))], [1, 1]);
  });

  test("draws by itself where nobody says otherwise", () => {
    const always = Axon.start<number>("try")
      .then(new RandomBranchNode({ a: 1 }))
      .branch("a", told("a"));
    const never = Axon.start<number>("try")
      .then(new RandomBranchNode({ a: 0 }))
      .branch("a", told("a"));
    const half = Axon.start<number>("try")
      .then(new RandomBranchNode({ a: 0.5 }))
      .branch("a", told("a"));
    const runs = Array.from({ length: 400 });

    assert.ok(runs.every(() => always.execute(1) === "a"));
    assert.ok(runs.every(() => never.execute(1) === 1));
    // One chance in 2^399 to fail.
    assert.equal(new Set(runs.map(() => half.execute(1))).size, 2);
  });

  test("takes shares whose decimals miss 1 by a rounding", () => {
    const shares = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`b${i}`, 0.1]));

    assert.equal(new RandomBranchNode(shares).branches.length, 10);
    assert.equal(new RandomBranchNode({ a: 0.7, b: 0.1, c: 0.2 }).branches.length, 3);
  });

  test("refuses shares that are no probabilities", () => {
    const refused: Record<string, number>[] = [
      { a: -0.1 },
      { a: 1.1 },
      { a: 0.6, b: 0.6 },
      { a: Number.NaN },
      { "": 0.5 },
    ];
    for (const shares of refused)
      assert.throws(() => new RandomBranchNode(shares), {
        code: "CONFIG_INVALID",
        message: /from 0 to 1, and all together at most 1/,
      });
    assert.throws(() => new RandomBranchNode({}), { code: "CONFIG_INVALID", message: /at least one branch/ });
  });
});
