import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, isFault, isRuntimeFault } from "framework";
import { SwitchNode } from "framework/std";

const told = (how: string) => Axon.start<number>(how).thenFn("tell", (n) => `${how} ${n}`);
const sorted = (choose: (n: number) => "small" | "large" | undefined) =>
  Axon.start<number>("sorted")
    .then(new SwitchNode(["small", "large"], choose))
    .branch("small", told("small"))
    .branch("large", told("large"));

describe("SwitchNode", () => {
  test("sends each input through the branch that is chosen", () => {
    const axon = sorted((n) => (n < 10 ? "small" : "large"));

    assert.deepEqual([axon.execute(1), axon.execute(10)], ["small 1", "large 10"]);
  });

  test("goes on in the main line where none is chosen", () => {
    assert.equal(sorted(() => undefined).execute(1), 1);
  });

  test("faults where an untyped program chooses a branch that it did not declare", () => {
    const outcome = sorted(() => "constructor" as "small").execute(1);

    assert.ok(isFault(outcome) && isRuntimeFault(outcome.error));
    assert.equal(outcome.error.code, "BRANCH_UNKNOWN");
  });

  test("refuses no branches, one twice, and one without a name", () => {
    for (const branches of [[], ["a", "a"], [""]])
      assert.throws(() => new SwitchNode(branches, () => "a"), {
        code: "CONFIG_INVALID",
        message: /^SwitchNode\(.*\): give at least one branch/,
      });
  });

  test("keeps its branches when the caller's list changes", () => {
    const branches = ["a", "b"];
    const node = new SwitchNode(branches, () => "a");
    branches.pop();

    assert.deepEqual(node.branches, ["a", "b"]);
  });
});
