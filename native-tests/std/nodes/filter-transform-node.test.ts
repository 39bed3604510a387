import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";
import { FilterTransformNode } from "framework/std";

describe("FilterTransformNode", () => {
  test("transforms the items that it keeps, in their order", () => {
    const transformed: string[] = [];
    const axon = Axon.start<(string | null)[]>("names").then(
      new FilterTransformNode(
        (name: string | null) => name !== null,
        (name) => {
          transformed.push(name);
          return name.length;
        },
      ),
    );

    assert.deepEqual(axon.execute(["Ada", null, "Grace"]), [3, 5]);
    assert.deepEqual(transformed, ["Ada", "Grace"], "nothing else is transformed");
  });
});
