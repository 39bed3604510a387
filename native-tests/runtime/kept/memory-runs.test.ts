import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MemoryRuns } from "framework";
import type { RunEntry } from "framework/core";
import { ManualClock } from "framework/runtime";
import { runStoreContract } from "framework/testing/contracts";

runStoreContract("memory", () => {
  const clock = new ManualClock();
  return { store: new MemoryRuns({ clock }), pass: (ms) => clock.advance(ms) };
});

describe("MemoryRuns", () => {
  const begun: RunEntry = {
    kind: "begun",
    at: 1,
    axon: "a",
    version: "1",
    node: "a/s",
    input: 1,
    bus: {},
    jumps: 0,
  };
  const ended: RunEntry = { kind: "ended", at: 2 };

  test("drops the run that ended first where there is no room, and no other", () => {
    const runs = new MemoryRuns({ maxRuns: 3 });
    for (const id of ["a", "b", "c"]) runs.append(id, 0, [begun]);
    for (const id of ["c", "a"]) runs.append(id, 1, [ended]);
    runs.append("d", 0, [begun]);

    assert.deepEqual(
      ["a", "b", "c", "d"].map((id) => runs.read(id).length),
      [2, 1, 0, 1],
    );
  });

  test("begins no run where there is no room and none has ended", () => {
    const runs = new MemoryRuns({ maxRuns: 1 });
    runs.append("a", 0, [begun]);

    assert.throws(() => runs.append("b", 0, [begun]), /holds 1 runs, and none has ended/);
    assert.equal(runs.append("a", 1, [ended]), true);
    assert.throws(() => new MemoryRuns({ maxRuns: 0 }), { code: "CONFIG_INVALID" });
  });

  test("refuses a log that does not begin", () => {
    assert.throws(() => new MemoryRuns().append("a", 0, [ended]), /begins with 'ended'/);
  });
});
