import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";
import { AxonTestKit } from "framework/runtime";
import { TimeoutGuard } from "framework/std";

describe("TimeoutGuard", () => {
  test("declares its time, lets its input pass and is drawn with its figure", async () => {
    const axon = Axon.start<string>("limited").then(new TimeoutGuard(2500));
    const node = axon.schematic().nodes[1];

    assert.equal(new TimeoutGuard(2500).timeoutMs, 2500);
    assert.equal((await new AxonTestKit().run(axon, "input")).outcome, "input");
    assert.deepEqual([node?.kind, node?.label], ["Guard", "TimeoutGuard"]);
    assert.equal(node?.description, "At most 2500 ms");
    assert.match(axon.explain(), /1 TimeoutGuard/);
  });

  test("is not made of what a route cannot be given", () => {
    for (const ms of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 3_600_001, "1" as never]) {
      assert.throws(() => new TimeoutGuard(ms), {
        code: "CONFIG_INVALID",
        message: new RegExp(`^TimeoutGuard\\(${ms}\\): .*from 1 to 3600000`),
      });
    }
    assert.equal(new TimeoutGuard(3_600_000).timeoutMs, 3_600_000);
    assert.equal(new TimeoutGuard(1).timeoutMs, 1);
  });
});
