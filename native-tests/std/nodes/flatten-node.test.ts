import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Axon } from "framework";
import { FlattenNode } from "framework/std";

const flatten = (list: unknown[], depth?: number) =>
  Axon.start<unknown[]>("flatten").then(new FlattenNode(depth)).execute(list) as unknown[];

const { list: lists } = fc.letrec<{ item: unknown; list: unknown[] }>((tie) => ({
  item: fc.oneof({ maxDepth: 4 }, fc.integer(), tie("list")),
  list: fc.array(tie("item"), { maxLength: 4 }),
}));
const leaves = (list: unknown): number[] => JSON.stringify(list).match(/-?\d+/g)?.map(Number) ?? [];

describe("FlattenNode", () => {
  test("takes one level of lists out, unless it is told to take more", () => {
    const list = [1, [2, [3, [4]]]];

    assert.deepEqual(flatten(list), [1, 2, [3, [4]]]);
    assert.deepEqual(flatten(list, 2), [1, 2, 3, [4]]);
  });

  test("keeps every item in its order", () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 20 }), (list, depth) => {
        assert.deepEqual(leaves(flatten(list, depth)), leaves(list));
      }),
    );
  });

  test("does in two steps what it does in one of both depths", () => {
    const depth = fc.integer({ min: 1, max: 10 });
    fc.assert(
      fc.property(lists, depth, depth, (list, a, b) => {
        assert.deepEqual(flatten(flatten(list, a), b), flatten(list, a + b));
      }),
    );
  });

  test("answers a list of its own", () => {
    const list = [1, 2];

    assert.notEqual(flatten(list), list);
  });

  test("refuses a depth without a bound", () => {
    for (const depth of [0, -1, 1.5, 21, Number.NaN, Number.POSITIVE_INFINITY])
      assert.throws(() => new FlattenNode(depth), {
        code: "CONFIG_INVALID",
        message: /^FlattenNode\(.*\): depth .* from 1 to 20/,
      });
  });
});
