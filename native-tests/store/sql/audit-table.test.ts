import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { verifyAudit } from "framework/audit";
import { SqlAudit } from "#store/sql/sql-audit.js";
import { losses, tableAttacks } from "../../support/audit-table-attacks.js";
import { forgerOf } from "../../support/forged-audit.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const entry = { actor: "alice", action: "pay", target: "order 7" };

async function logIn(open: OpenDatabase, events = 150) {
  const database = await open();
  const sink = new SqlAudit(database, "the log");
  await Promise.all(Array.from({ length: events }, (_, n) => sink.append({ id: `e${n}`, ...entry })));
  return { database, sink };
}

function attacksIn(dialect: "sqlite" | "postgres", open: OpenDatabase): void {
  for (const { name, run, says, isListed } of tableAttacks.filter(
    ({ only }) => (only ?? dialect) === dialect,
  ))
    test(`is not sound where an attack ${name}`, async () => {
      const { database, sink } = await logIn(open);
      assert.equal((await verifyAudit(sink, { chainOnly: true })).isSound, true);
      await run(forgerOf(database));
      const { failures } = await verifyAudit(sink, { chainOnly: true });

      assert.match(failures.map(({ message }) => message).join("\n"), says);
      if (isListed === true)
        assert.ok((await sink.query({ limit: 10_000 })).some((row) => "unreadable" in row));
    });

  for (const loss of losses)
    test(`an append is an error where a trigger ${loss.name}`, async () => {
      const { database, sink } = await logIn(open, 3);
      const { audit } = database.tables;
      const begin = loss[dialect].replaceAll(/\bT\b/g, audit);
      if (dialect === "sqlite") await database.write([{ sql: `CREATE TRIGGER loss ${begin}`, values: [] }]);
      else {
        const [body, trigger] = begin.split("$$; ") as [string, string];
        const named = `${audit.slice(0, -1)}_loss"`;
        for (const sql of [
          `CREATE FUNCTION ${named}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}$$`,
          `${trigger} ON ${audit} FOR EACH ROW EXECUTE FUNCTION ${named}()`,
        ])
          await database.write([{ sql, values: [] }]);
      }

      for (let n = 0; n < 2; n += 1) await assert.rejects(sink.append(entry), /did not keep an event/);
      assert.equal((await verifyAudit(sink, { chainOnly: true })).events, 3);
    });
}

describe("the table of an audit log in SQLite", () => {
  const open = sqliteDatabases();
  attacksIn("sqlite", open);

  test("takes no event behind a row that has no position", async () => {
    const { database, sink } = await logIn(open, 3);
    await database.write([{ sql: "UPDATE audit SET seq = 'last' WHERE seq = 3", values: [] }]);

    await assert.rejects(sink.append(entry), { code: "STORE_UNAVAILABLE" });
    assert.ok("unreadable" in ((await sink.find("e2")) ?? {}));
  });
});
describe("the table of an audit log in PostgreSQL", { skip: skipWithoutPostgres }, () =>
  attacksIn("postgres", postgresDatabases()),
);
