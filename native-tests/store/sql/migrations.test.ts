import { strict as assert } from "node:assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { plainCodec } from "#core/ports/codec.js";
import { PostgresDatabase } from "#store/postgres/postgres-database.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { migrate } from "#store/sql/migrations.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { SqlIdempotency } from "#store/sql/sql-idempotency.js";
import { tablesOf } from "#store/sql/tables.js";
import { SqliteDatabase } from "#store/sqlite/sqlite-database.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { postgresDatabases } from "../../support/sql-stores.js";

/** Opens the database of a place; `asFound` without migrating it. */
type Open = (place: string, asFound: boolean) => Promise<SqlDatabase>;

const BEGUN = `{"kind":"begun","at":5,"axon":"Order","version":"1","node":"a","input":1,"bus":{},"jumps":0}`;

/** A log that begins, as a process of 0.30 writes it. */
const earlierBegin = ({ tables: { run, run_part: part } }: SqlDatabase, id: string) => [
  {
    sql: `INSERT INTO ${run} (id, axon, version, began_at, at, known, state, retry_at, host, subject, trace)
      VALUES ($1, 'Order', '1', 5, 5, 1, 0, 0, 'earlier', NULL, NULL)`,
    values: [id],
  },
  {
    sql: `INSERT INTO ${part} (run, known, entries, key_id) SELECT seq, 0, $2, NULL FROM ${run} WHERE id = $1`,
    values: [id, `[${BEGUN}]`],
  },
];

const earlierKey = ({ tables: { idempotency } }: SqlDatabase, key: string) => ({
  sql: `INSERT INTO ${idempotency} (key, fingerprint, token, until, is_kept, subject)
    VALUES ($1, 'f', 't', 9000000000000, 0, NULL)`,
  values: [key],
});

function migrations(store: string, open: Open): void {
  for (const from of [1, 2, 7, 8])
    test(`${store}: tables of version ${from} have after a migration what new ones have, and their rows`, async () => {
      const place = `from${from}`;
      const earlier = await open(place, true);
      await migrate(earlier, { autoMigrate: true, shown: "earlier", to: from });
      await earlier.write([...earlierBegin(earlier, "before"), earlierKey(earlier, "before")]);
      const migrated = await open(place, false);
      await migrated.open();
      const made = await open(`made${from}`, false);
      await made.open();

      const columns = await columnsOf(migrated);
      assert.deepEqual(columns, await columnsOf(made));
      assert.ok(columns.length > 60, `${columns.length} columns`);
      const runs = new SqlRuns(migrated, plainCodec);
      // The process of the earlier release goes on.
      await earlier.write([...earlierBegin(earlier, "beside"), earlierKey(earlier, "beside")]);
      const listed = await runs.unfinished({ abandoned: true });
      assert.deepEqual(
        listed.map(({ id, entries }) => [id, entries]),
        [
          ["before", 1],
          ["beside", 1],
        ],
      );
      assert.deepEqual(await runs.read("before"), [JSON.parse(BEGUN)]);
      assert.equal(await runs.append("before", 1, [{ kind: "ended", at: 6, output: 1 }], "new"), true);
      const keys = new SqlIdempotency(migrated, plainCodec);
      for (const key of ["before", "beside"])
        assert.deepEqual(await keys.claim(key, "f", 1000), { kind: "running", fingerprint: "f" });
    });
}

/** Name, type, default and whether it may be null, of each column of each table. */
async function columnsOf({ dialect, tables, read }: SqlDatabase): Promise<readonly string[]> {
  const rows: string[] = [];
  for (const table of Object.values(tables).sort()) {
    const [, schema, name = table.replaceAll('"', "")] = /^"([^"]+)"\."([^"]+)"$/.exec(table) ?? [];
    const found =
      dialect.name === "sqlite"
        ? await read(
            `SELECT name, type, "notnull" AS must, dflt_value AS otherwise FROM pragma_table_info($1)`,
            [name],
          )
        : await read(
            `SELECT column_name AS name, data_type AS type, is_nullable AS must, column_default AS otherwise
              FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2`,
            [schema ?? "", name],
          );
    rows.push(...found.map((column) => `${name} ${JSON.stringify(column)}`));
  }
  return rows.sort();
}

describe("migrations", () => {
  const folder = mkdtempSync(join(tmpdir(), "migrations-"));
  const opened: SqlDatabase[] = [];
  after(async () => {
    for (const database of opened) await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const closedLater = (database: SqlDatabase): SqlDatabase => {
    opened.push(database);
    return database;
  };

  migrations("SQLite", async (place, asFound) =>
    closedLater(new SqliteDatabase({ file: join(folder, `${place}.db`), tables: tablesOf({}), asFound })),
  );

  describe("PostgreSQL", { skip: skipWithoutPostgres }, () => {
    const { url } = postgresDatabases();
    migrations("PostgreSQL", async (place, asFound) => {
      const schema = `m_${place}`;
      const options = {
        urls: [await url()],
        shown: "test",
        schema,
        tables: tablesOf({ schema }),
        ssl: false,
      } as const;
      const database = closedLater(new PostgresDatabase({ ...options, asFound }));
      if (asFound) await database.write([{ sql: `CREATE SCHEMA "${schema}"`, values: [] }]);
      return database;
    });
  });
});
