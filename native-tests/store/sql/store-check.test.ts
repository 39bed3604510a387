import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainCodec } from "#core/ports/codec.js";
import type { RunEntry } from "#core/ports/run-store.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { StoreCheck } from "#store/sql/store-check.js";
import { sqliteDatabases } from "../../support/sql-stores.js";

const begun = (input: string): RunEntry => ({
  ...{ kind: "begun", at: 1, axon: "orders", version: "1.0.0", node: "orders/1", input, bus: {}, jumps: 0 },
});
const unavailable = { code: "STORE_UNAVAILABLE" };

describe("the check of a store", () => {
  const open = sqliteDatabases();

  async function opened() {
    const clock = { now: 0 };
    const inner = await open();
    const check = new StoreCheck(inner, () => clock.now);
    const runs = new SqlRuns(check.database, plainCodec);
    const fill = async (isFull: boolean): Promise<void> => {
      const [{ page_count: pages } = {}] = await inner.read("PRAGMA page_count", []);
      await inner.read(`PRAGMA max_page_count = ${isFull ? Number(pages) : 1_000_000}`, []);
    };
    const parts = async () => (await inner.read(`SELECT run FROM ${inner.tables.run_part}`, [])).length;
    await runs.append("first", 0, [begun("")]);
    return { check, runs, fill, clock, inner, parts };
  }

  test("fails from an append that failed until one of its size would be kept", async () => {
    const { check, runs, fill, parts } = await opened();
    await check.check();
    await fill(true);
    await assert.rejects(async () => runs.append("large", 0, [begun("x".repeat(300_000))]), unavailable);
    // What a host writes is kept all the while.
    await runs.beat("host", 10_000);
    await assert.rejects(check.check(), unavailable);
    await assert.rejects(check.check(), unavailable);
    await fill(false);

    await check.check();
    assert.equal(await parts(), 1, "the probe is deleted again");
  });

  test("probes a store to which nothing was written for three seconds, and no other", async () => {
    const { check, fill, clock, runs } = await opened();
    await fill(true);
    clock.now = 2999;
    await check.check();
    await runs.beat("host", 10_000);
    clock.now += 2999;
    await check.check();
    clock.now += 1;

    await assert.rejects(check.check(), unavailable);
  });
});
