import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { auditSinkContract } from "framework/testing/contracts";
import { SqlAudit } from "#store/sql/sql-audit.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

function auditIn(name: string, open: OpenDatabase): void {
  auditSinkContract(name, async () => new SqlAudit(await open(), name));

  describe(`an audit log of several processes in ${name}`, () => {
    test("is one chain, with one event an id", async () => {
      const sinks = await Promise.all(
        ["log", "log", "log"].map(async (log) => new SqlAudit(await open(log), name)),
      );
      const appends = Array.from({ length: 600 }, (_, n) =>
        (sinks[n % 3] as SqlAudit).append({ id: `e${n % 500}`, actor: "a", action: "b", target: "c" }),
      );
      const made = await Promise.all(appends);

      let previous = "0".repeat(64);
      let position = 0;
      for await (const row of (sinks[0] as SqlAudit).rows()) {
        assert.ok("event" in row);
        position += 1;
        assert.equal(row.position, position);
        assert.equal(row.event.prev_hash, previous);
        previous = row.event.hash;
      }
      assert.equal(position, 500);
      assert.equal(new Set(made.map((each) => each.position)).size, 500);
    });
  });
}

auditIn("SQLite", sqliteDatabases());
describe("in PostgreSQL", { skip: skipWithoutPostgres }, () => auditIn("PostgreSQL", postgresDatabases()));
