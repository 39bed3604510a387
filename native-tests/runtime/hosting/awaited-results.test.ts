// What a program reads of a run while it goes on: its end, once it has come, and what happened so far.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { Axon, type MemoryRuns, signal } from "framework";
import { beginning, hosts, LEASE_MS } from "../../support/hosts.js";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const Approved = signal<{ amount: number }>()("approved", Type.Object({ amount: Type.Integer() }));

const napping = (runs: MemoryRuns) =>
  Axon.start<number>("nap")
    .withPersistenceStore(runs)
    .sleep("night", MINUTE_MS)
    .waitFor(Approved)
    .thenFn("paid", ({ amount }) => amount);

/** What a promise has come to so far. */
function seen<T>(promise: Promise<T>): { value?: T } {
  const come: { value?: T } = {};
  void promise.then((value) => {
    come.value = value;
  });
  return come;
}

describe("The result of a run", () => {
  test("is that of its end, which is waited for while it sleeps, waits and works", async () => {
    const { clock, runs, served } = hosts();
    const { handle } = await served([napping(runs)]);
    await handle.start("nap", 1, { runId: "run" });
    const awaited = seen(handle.endOf("run", { waitMs: 5 * MINUTE_MS }));
    await clock.advance(MINUTE_MS + 1000);
    assert.equal((await handle.result("run")).kind, "waiting");
    assert.deepEqual(awaited, {});
    await handle.signal("run", Approved, { amount: 7 });
    await clock.advance(1000);

    assert.deepEqual(awaited.value, { kind: "completed", axon: "nap", isOutputKept: true, output: 7 });
  });

  test("is its state once the time to wait is over, and at once without one", async () => {
    const { clock, runs, served } = hosts();
    const { handle } = await served([napping(runs)]);
    await handle.start("nap", 1, { runId: "run" });
    const awaited = seen(handle.endOf("run", { waitMs: 990 }));
    await clock.advance(989);
    assert.deepEqual(awaited, {});
    await clock.advance(1);

    assert.equal(awaited.value?.kind, "sleeping");
    assert.equal((await handle.endOf("run")).kind, "sleeping");
  });

  test("is not waited for where no run is, it is stuck, or this process has ended its part", async () => {
    const { clock, runs, served } = hosts();
    const { handle, host } = await served([napping(runs)]);
    runs.append("stuck", 0, [beginning("nap"), { kind: "stuck", at: 2 }]);
    await handle.start("nap", 1, { runId: "run" });

    assert.deepEqual(await handle.endOf("absent", { waitMs: 1000 }), { kind: "unknown" });
    assert.equal((await handle.endOf("stuck", { waitMs: 1000 })).kind, "stuck");
    const awaited = seen(handle.endOf("run", { waitMs: MINUTE_MS }));
    await clock.advance(1000);
    await host.leave();
    await clock.advance(250);
    assert.equal(awaited.value?.kind, "sleeping");
  });

  test("is waited for at most ten minutes", async () => {
    const { handle } = await hosts().served([]);
    for (const options of [{ waitMs: 600_001 }, { waitMs: -1 }, { waitMs: 0.5 }, { waitFor: 1 } as never])
      await assert.rejects(handle.endOf("run", options), { code: "CONFIG_INVALID" });
  });
});

describe("The history of a run", () => {
  test("is its entries, with what it waited for and what woke it, and no values", async () => {
    const { clock, runs, served } = hosts();
    const { handle } = await served([napping(runs)]);
    await handle.start("nap", 1, { runId: "run" });
    await clock.advance(MINUTE_MS + 1000);
    const by = { actor: "eve" };
    await handle.signal("run", Approved, { amount: 7 }, { id: "form-1", by });
    await clock.advance(1000);

    const history = (await handle.history("run")) ?? [];
    assert.deepEqual(
      history.map(({ at: _, wait, ...event }) => ({ ...event, ...(wait && { for: wait.signals ?? [] }) })),
      [
        { kind: "begun", node: "nap/night", epoch: 1 },
        { kind: "waiting", node: "nap/night", for: [] },
        { kind: "resumed", node: "nap/night", epoch: 2, woken: { by: "time" } },
        { kind: "waiting", node: "nap/wait for approved", for: ["approved"] },
        {
          ...{ kind: "resumed", node: "nap/wait for approved", epoch: 3 },
          woken: { by: "signal", name: "approved", id: "form-1", actor: "eve" },
        },
        { kind: "ended" },
      ],
    );
    assert.ok(history.every(({ at }) => Number.isFinite(at)));
    const [, slept] = history;
    assert.equal(slept?.wait?.due, (slept?.at ?? 0) + MINUTE_MS);
    assert.equal(await handle.history("absent"), undefined);
  });

  test("tells of the run whose end woke it", async () => {
    const { clock, runs, served } = hosts();
    const child = Axon.start<number>("child").withPersistenceStore(runs).sleep("night", HOUR_MS);
    const parent = Axon.start<number>("parent").withPersistenceStore(runs).startRun(child).awaitRun(child);
    const { handle } = await served([parent, child]);
    await handle.start("parent", 1, { runId: "run" });
    await clock.advance(HOUR_MS + 2 * LEASE_MS);

    const woken = (await handle.history("run"))?.find((event) => event.woken !== undefined)?.woken;
    assert.equal(woken?.by, "run");
    assert.equal((await handle.result(woken.by === "run" ? woken.runId : "")).kind, "completed");
  });
});
