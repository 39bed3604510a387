import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, isFault, isRuntimeFault } from "framework";
import { MapNode } from "framework/std";

describe("MapNode", () => {
  test("goes on with what its function answers", () => {
    assert.equal(
      Axon.start<string>("map")
        .then(new MapNode((text) => text.length))
        .execute("four"),
      4,
    );
  });

  test("goes on with what its function promises", async () => {
    assert.equal(
      await Axon.start<string>("map")
        .then(new MapNode(async (text) => text.length))
        .execute("four"),
      4,
    );
  });

  test("faults where its function throws", () => {
    const fail = (): never => {
      throw new Error("no");
    };
    const outcome = Axon.start<string>("map").then(new MapNode(fail)).execute("x");

    assert.ok(isFault(outcome) && isRuntimeFault(outcome.error));
    assert.equal(outcome.error.code, "TRANSITION_PANIC");
  });
});
