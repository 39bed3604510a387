import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { DeadLetter } from "framework/core";
import { plainCodec } from "#core/ports/codec.js";
import type { RunEntry } from "#core/ports/run-store.js";
import { deleteLeft } from "#store/retention.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { Service } from "#store/sql/service.js";
import { SqlDeadLetters } from "#store/sql/sql-dead-letters.js";
import { skipWithoutPostgres } from "../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../support/sql-stores.js";

const YEAR_MS = 365 * 86_400_000;

const letter = (id: string, failed_at: number): DeadLetter => ({
  ...{ id, kind: "step", axon: "orders", version: "1", node: "orders/pay", input: 1, error: 1 },
  ...{ timeline: undefined, failed_at, attempts: 1, undone: [] },
});

function retention(name: string, open: OpenDatabase): void {
  describe(`what is left in ${name}`, () => {
    test("is deleted a year after it failed last or was at work last, and nothing else is", async () => {
      const database = await open();
      const shop = new Service(database, "shop");
      const letters = new SqlDeadLetters(database, plainCodec, shop);
      const runs = new SqlRuns(database, plainCodec);
      const now = Date.now();
      const old = now - YEAR_MS - 60_000;
      for (const [id, at] of [
        ["old 1", old],
        ["young", now - YEAR_MS + 60_000],
        ["old 2", old],
        ["old 3", old],
        ["failed again", old],
      ] as const)
        await letters.send(letter(id, at));
      await letters.send({ ...letter("failed again", now), attempts: 2 });
      const begun = (at: number): RunEntry => ({
        ...{ kind: "begun", at, axon: "orders", version: "1", node: "orders/1", input: 1, bus: {}, jumps: 0 },
        labels: { order: "1" },
      });
      for (const id of ["stuck 1", "stuck 2", "stuck 3"])
        await runs.append(id, 0, [begun(old), { kind: "stuck", at: old }]);
      const bank = new Service(database, "bank");
      await new SqlDeadLetters(database, plainCodec, bank).send(letter("of the bank", old));
      await runs.append("young and stuck", 0, [begun(old), { kind: "stuck", at: now }]);
      for (const id of ["at work", "unfit"]) await runs.append(id, 0, [begun(old)]);
      const asleep: RunEntry = {
        ...{ kind: "waiting", at: old, completed: [], node: "orders/1", input: 1, bus: {}, jumps: 0 },
        inMs: 60_000,
      };
      await runs.append("asleep", 0, [begun(old), asleep]);
      for (const [id, known] of [
        ["unfit", 1],
        ["asleep", 2],
      ] as const)
        await runs.markUnfit(id, known, { release: "r", reason: "no code" });
      for (const { id } of await runs.unfinished())
        await runs.waits.signal(id, { name: "ok", payload: 1, id: "1" });

      assert.equal(await deleteLeft(database, shop, YEAR_MS, 2), 7);
      assert.deepEqual(
        (await letters.list()).map(({ id }) => id),
        ["young", "failed again"],
      );
      assert.deepEqual(
        (await runs.unfinished()).map(({ id }) => id),
        ["young and stuck", "at work", "asleep"],
      );
      for (const table of [database.tables.run_part, database.tables.run_label, database.tables.run_signal])
        assert.equal((await database.read(`SELECT run FROM ${table}`, [])).length, 3);
      assert.equal(await deleteLeft(database, shop, YEAR_MS), 0);
      assert.equal(await deleteLeft(database, bank, YEAR_MS), 1);
    });
  });
}

retention("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => retention("PostgreSQL", postgresDatabases()));
