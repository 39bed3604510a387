import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, MemoryRuns } from "framework";
import { systemClock } from "#core/clock.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import { DEFAULT_HOSTING, RunHost } from "#runtime/hosting/run-host.js";
import { ServedRuns } from "#runtime/hosting/served-runs.js";

const position = { node: "orders/pay", input: 1, bus: {}, jumps: 0 };
const begun = {
  kind: "begun",
  at: 1,
  axon: "orders",
  version: "1.0.0",
  fingerprint: "f",
  ...position,
} as const;
const checkpoint: RunEntry = { kind: "checkpoint", at: 2, completed: [], ...position };

function served(store: RunStore) {
  const axon = Axon.start<number>("orders")
    .withPersistenceStore(store)
    .thenFn("pay", (n) => n);
  const options = {
    ...{ ...DEFAULT_HOSTING, axons: [axon.definition], clock: systemClock, retainMs: 1 },
    ...{ isReady: () => true, reporter: () => {}, failed: () => {} },
  };
  return new ServedRuns(options, new RunHost(options));
}

describe("the result of a run", () => {
  test("is read without the log of the run", async () => {
    const runs = new MemoryRuns();
    const unread = { ...runs, read: () => assert.fail("the log is read") };
    const result = (id: string) => served(unread).result(id);
    runs.append("a", 0, [begun, checkpoint]);
    assert.deepEqual(await result("a"), { kind: "running", axon: "orders" });
    runs.append("a", 2, [{ kind: "stuck", at: 3 }]);
    assert.deepEqual(await result("a"), { kind: "stuck", axon: "orders" });
    runs.append("b", 0, [begun, { kind: "ended", at: 3, output: 7 }]);
    runs.append("c", 0, [begun, { kind: "ended", at: 3, error: "late" }]);
    runs.append("d", 0, [begun, { kind: "ended", at: 3 }]);

    assert.deepEqual(await result("b"), { kind: "completed", axon: "orders", isOutputKept: true, output: 7 });
    assert.deepEqual(await result("c"), { kind: "failed", axon: "orders", error: "late" });
    assert.deepEqual(await result("d"), {
      ...{ kind: "completed", axon: "orders", isOutputKept: false, output: undefined },
    });
    assert.deepEqual(await result("e"), { kind: "unknown" });
  });

  test("has the fingerprint of its request where that is asked for", async () => {
    const runs = new MemoryRuns();
    runs.append("a", 0, [begun, checkpoint]);

    assert.deepEqual(await served(runs).result("a", true), {
      kind: "running",
      axon: "orders",
      fingerprint: "f",
    });
  });

  test("is read from the log of a store that has no glance", async () => {
    const runs = new MemoryRuns();
    const plain = { ...runs, glance: undefined } as never as RunStore;
    runs.append("a", 0, [begun, checkpoint]);
    runs.append("b", 0, [begun, { kind: "stuck", at: 3 }]);
    runs.append("c", 0, [begun, { kind: "ended", at: 3, output: 7 }]);
    const kinds = await Promise.all(
      ["a", "b", "c", "d"].map(async (id) => (await served(plain).result(id)).kind),
    );

    assert.deepEqual(kinds, ["running", "stuck", "completed", "unknown"]);
  });

  test("is an error where the end of the run is damaged", async () => {
    const runs = new MemoryRuns();
    const glance = () => ({ axon: "orders", state: "ended", entries: 2 }) as const;

    await assert.rejects(served({ ...runs, glance }).result("a"), /'ended' of the log is of no kind/);
  });
});
