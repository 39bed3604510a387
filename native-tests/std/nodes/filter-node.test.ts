import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";
import { FilterNode } from "framework/std";

const rejected = Axon.start<number>("rejected").thenFn("tell", (n) => `not ${n}`);
const positive = Axon.start<number>("positive")
  .then(new FilterNode((n) => n > 0))
  .branch("rejected", rejected);

describe("FilterNode", () => {
  test("lets pass what its predicate holds for", () => {
    assert.equal(positive.execute(1), 1);
  });

  test("sends all else through branch 'rejected', as it came", () => {
    assert.equal(positive.execute(-1), "not -1");
  });

  test("draws its branch", () => {
    const edges = positive.schematic().edges.filter(({ kind }) => kind === "Branch");

    assert.deepEqual(
      edges.map(({ label }) => label),
      ["rejected"],
    );
  });
});
