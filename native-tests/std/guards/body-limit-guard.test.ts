import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";
import { AxonTestKit } from "framework/runtime";
import { BodyLimitGuard } from "framework/std";

describe("BodyLimitGuard", () => {
  test("declares its limit, lets its input pass and is drawn with its figure", async () => {
    const axon = Axon.start<string>("limited").then(new BodyLimitGuard(2048));
    const node = axon.schematic().nodes[1];

    assert.equal(new BodyLimitGuard(2048).bodyLimit, 2048);
    assert.equal((await new AxonTestKit().run(axon, "input")).outcome, "input");
    assert.deepEqual([node?.kind, node?.label], ["Guard", "BodyLimitGuard"]);
    assert.equal(node?.description, "At most 2048 bytes");
    assert.match(axon.explain(), /1 BodyLimitGuard/);
  });

  test("is not made of what is no positive whole number", () => {
    for (const bytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e15, "1" as never]) {
      assert.throws(() => new BodyLimitGuard(bytes), {
        code: "CONFIG_INVALID",
        message: new RegExp(
          `^BodyLimitGuard\\(${bytes}\\): .*whole number of bytes from 1 to 999999999999999`,
        ),
      });
    }
    assert.equal(new BodyLimitGuard(999_999_999_999_999).bodyLimit, 999_999_999_999_999);
    assert.equal(new BodyLimitGuard(1).bodyLimit, 1);
  });
});
