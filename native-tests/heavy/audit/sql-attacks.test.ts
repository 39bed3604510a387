import assert from "node:assert/strict";
import { before, describe, test } from "node:test";

import {
  generateSigningKey,
  MemoryAuditSink,
  publicKeys,
  signedAudit,
  signingKey,
  sinkAnchor,
  verifyAudit,
} from "framework/audit";
import { SqlAudit } from "#store/sql/sql-audit.js";
import type { Row, SqlDatabase } from "#store/sql/sql-database.js";
import { attacks, forgerOf } from "../../support/forged-audit.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

function attacksIn(open: OpenDatabase): void {
  const { privateKey, publicKey } = generateSigningKey();
  const keys = publicKeys(publicKey);
  const anchorSink = new MemoryAuditSink();
  const anchor = sinkAnchor(anchorSink);
  let database: SqlDatabase;
  let sink: SqlAudit;
  let rows: readonly (readonly [string, readonly Row[]])[];

  before(async () => {
    database = await open();
    sink = new SqlAudit(database, "the log");
    const signed = signedAudit(sink, { key: signingKey(privateKey), anchors: [anchor], anchor: "each" });
    for (let n = 1; n <= 60; n += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, more) => {
          const at = n + more;
          const timestamp = `2026-01-01T00:00:${String(at % 60).padStart(2, "0")}.000000Z`;
          return sink
            .append({
              id: `e${at}`,
              timestamp,
              actor: "alice",
              action: "pay",
              target: "order 7",
              intent: "due",
              metadata: { amount: at },
            })
            .then(() =>
              more === 9
                ? signed.append({
                    id: `e${n}`,
                    actor: "alice",
                    action: "pay",
                    target: "order 7",
                    intent: "due",
                  })
                : undefined,
            );
        }),
      );
    const { audit, audit_checkpoint: checkpoint } = database.tables;
    rows = await Promise.all(
      [audit, checkpoint].map(
        async (table) => [table, await database.read(`SELECT * FROM ${table}`, [])] as const,
      ),
    );
  });

  const restore = async (): Promise<void> => {
    await database.write(
      rows.flatMap(([table, kept]) => [
        { sql: `DELETE FROM ${table}`, values: [] },
        ...kept.map((row) => {
          const names = Object.keys(row);
          const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map((_, n) => `$${n + 1}`).join(", ")})`;
          return { sql, values: Object.values(row) };
        }),
      ]),
    );
  };

  test("is sound before any of them", async () => {
    const found = await verifyAudit(sink, { keys, anchor });

    assert.deepEqual(found.failures, []);
    assert.deepEqual([found.events, found.checkpoints, found.behind], [60, 6, 0]);
  });

  for (const attack of attacks)
    test(`is found out where somebody ${attack.name}`, async () => {
      await restore();
      await attack.run(forgerOf(database));
      const { isSound, failures } = await verifyAudit(sink, { keys, anchor });

      assert.equal(isSound, false);
      assert.ok(
        failures.some(
          ({ kind, position, checkpoint }) => kind === attack.kind && (position ?? checkpoint) === attack.at,
        ),
        JSON.stringify(failures, undefined, 1),
      );
    });
}

describe("an audit log in SQLite", () => attacksIn(sqliteDatabases()));
describe("an audit log in PostgreSQL", { skip: skipWithoutPostgres }, () => attacksIn(postgresDatabases()));
