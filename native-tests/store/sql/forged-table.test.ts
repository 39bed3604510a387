import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { verifyAudit } from "framework/audit";
import { SqlAudit } from "#store/sql/sql-audit.js";
import { forgerOf } from "../../support/forged-audit.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

type Forge = (table: string) => readonly string[];

/** More events than a page has rows. */
const EVENTS = 130;
const COLUMNS = "id, at, actor, action, target, intent, metadata, prev_hash, hash";

const entryOf = (n: number) => ({ id: `e${n}`, actor: "alice", action: "pay", target: "order 7" });

async function loggedIn(open: OpenDatabase) {
  const database = await open();
  const sink = new SqlAudit(database, "the log");
  await Promise.all(Array.from({ length: EVENTS }, (_, n) => sink.append(entryOf(n + 1))));
  const forge = async (of: Forge): Promise<void> => {
    const { run, audit } = forgerOf(database);
    for (const sql of of(audit)) await run(sql);
  };
  const found = async () => {
    const { failures } = await verifyAudit(sink, { chainOnly: true });
    return failures.map(({ kind, position, message }) => `${kind} ${position ?? ""}: ${message}`).join("\n");
  };
  return { sink, forge, found };
}

const tellsOf = (
  name: string,
  open: OpenDatabase,
  forges: Readonly<Record<string, readonly [Forge, RegExp]>>,
) =>
  describe(`the table of an audit log in ${name}`, () => {
    for (const [what, [of, tells]] of Object.entries(forges))
      test(`is found out that ${what}`, async () => {
        const { forge, found } = await loggedIn(open);
        assert.equal(await found(), "");
        await forge(of);

        assert.match(await found(), tells);
      });
  });

const copied = (table: string, keys: string): readonly string[] => [
  `CREATE TABLE forged (seq bigint, ${COLUMNS.replaceAll(",", " text NOT NULL,").replace("intent text NOT NULL", "intent text")} text NOT NULL${keys})`,
  `INSERT INTO forged SELECT * FROM ${table}`,
  `DROP TABLE ${table}`,
  `ALTER TABLE forged RENAME TO ${table}`,
];

const again = (table: string, seq: string): string =>
  `INSERT INTO ${table} SELECT ${seq}, id || 'x', ${COLUMNS.slice(4)} FROM ${table} WHERE seq = 100`;

const sqlite = sqliteDatabases();
tellsOf("SQLite", sqlite, {
  "takes an id twice": [
    (table) => copied(table, ", PRIMARY KEY (seq)"),
    /table : its table takes an id twice/,
  ],
  "has a trigger": [
    (table) => [`CREATE TRIGGER swallow BEFORE INSERT ON ${table} BEGIN SELECT RAISE(IGNORE); END`],
    /table : its table has the trigger 'swallow'/,
  ],
});

describe("with PostgreSQL", { skip: skipWithoutPostgres }, () => {
  const postgres = postgresDatabases();
  tellsOf("PostgreSQL", postgres, {
    "takes an id twice": [
      (table) => [`ALTER TABLE ${table} DROP CONSTRAINT audit_id_key`],
      /table : its table takes an id twice/,
    ],
    "takes rows without an actor": [
      (table) => [`ALTER TABLE ${table} ALTER COLUMN actor DROP NOT NULL`],
      /table : its table takes rows without actor: /,
    ],
    "has a rule": [
      (table) => [`CREATE RULE swallow AS ON INSERT TO ${table} DO INSTEAD NOTHING`],
      /table : its table has the trigger 'swallow'/,
    ],
  });
});

test("a row of SQLite without a position is no event of a query", async () => {
  const { sink, forge } = await loggedIn(sqlite);
  await forge((table) => [again(table, "NULL")]);

  const unreadable = { position: 0, unreadable: "it has no position in the log" };
  assert.deepEqual(await sink.find("e100x"), unreadable);
  assert.deepEqual((await sink.query({ actor: "alice", limit: 1 }))[0], unreadable);
});
