// What every executor does where it waits for no checkpoint.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RunEntry } from "#core/ports/run-store.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import type { Executor } from "../support/executors.js";
import { codeOf, keptRuns, lineOf, type Runs, slow } from "../support/kept-runs.js";

export function asyncCheckpointsContract(executor: Executor): void {
  const arranged = () => keptRuns(executor);

  describe(`executor: ${executor.name}: asynchronous checkpoints`, () => {
    // J1: one append at a time.
    test("waits for no asynchronous checkpoint but the first, and keeps those that come meanwhile together", async () => {
      const { runs, start, reports } = arranged();
      const batches: string[][] = [];
      runs.misbehave = (_, entries) => {
        batches.push(entries.map(({ kind }) => kind));
        return undefined;
      };
      const axon = lineOf(runs, ["one", "two", "three", "four"], { calls: [] }).withPersistenceStore(
        slow(runs, new Promise(setImmediate)),
        { checkpoint: "async" },
      ) as AnyAxon;

      assert.equal(await start(axon, 1), 5);
      assert.deepEqual(batches, [["begun"]]);
      await new Promise(setImmediate);
      assert.deepEqual(batches, [["begun"], ["checkpoint"], ["checkpoint", "checkpoint", "ended"]]);
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "checkpoint", "checkpoint", "ended"]);
      assert.equal(codeOf(await start(axon, 1)), "RUN_TAKEN");
      runs.misbehave = () => assert.fail("away");
      assert.equal(codeOf(await start(axon, 1, { id: "other" })), "CHECKPOINT_FAILED");
      assert.equal(reports.length, 1);
    });

    test("holds a run up where too many asynchronous checkpoints wait", async () => {
      const { runs, start } = arranged();
      const world = { calls: [] as string[] };
      let open: () => void = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      const names = Array.from({ length: 100 }, (_, i) => `step ${i}`);
      const axon = lineOf(runs, names, world).withPersistenceStore(slow(runs, opened), {
        checkpoint: "async",
      }) as AnyAxon;
      const running = start(axon, 0);
      await new Promise(setImmediate);

      assert.equal(world.calls.length, 65);
      open();
      assert.equal(await running, 100);
      await new Promise(setImmediate);
      assert.equal(runs.kinds().length, 101);
    });

    // J3: reported, and the run goes on.
    test("reports an asynchronous checkpoint that fails, goes on, and keeps it with the next", () => {
      const { runs, start, reports } = arranged();
      const axon = lineOf(runs, ["one", "two", "three"], { calls: [] }).withPersistenceStore(runs, {
        checkpoint: "async",
      }) as AnyAxon;
      runs.misbehave = () => (runs.appends === 2 ? assert.fail("away") : undefined);

      assert.equal(start(axon, 1), 4);
      assert.deepEqual(
        reports.map(({ code }) => code),
        ["CHECKPOINT_LOST"],
      );
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "checkpoint", "ended"]);
    });

    test("goes on without checkpoints where nobody can tell which were kept, or the store stays away", () => {
      for (const [expected, misbehave] of [
        // Kept, and not said: the next append is refused.
        [
          ["begun", "checkpoint"],
          (runs: Runs) => (known: number, entries: readonly RunEntry[]) => {
            if (runs.appends !== 2) return undefined;
            runs.inner.append("run", known, entries);
            return assert.fail("away");
          },
        ],
        [["begun"], (runs: Runs) => () => (runs.appends >= 2 ? assert.fail("away") : undefined)],
      ] as const) {
        const { runs, start, reports } = arranged();
        const names = Array.from({ length: 100 }, (_, i) => `step ${i}`);
        const axon = lineOf(runs, names, { calls: [] }).withPersistenceStore(runs, {
          checkpoint: "async",
        }) as AnyAxon;
        runs.misbehave = misbehave(runs);

        assert.equal(start(axon, 0), 100);
        assert.deepEqual(runs.kinds(), expected);
        assert.match(String(reports.at(-1)?.message), /goes on without them/);
        assert.ok(runs.appends < 70, "it does not try for ever");
      }
    });
  });
}
