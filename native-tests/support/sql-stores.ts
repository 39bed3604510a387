// Databases for tests of stores: each call opens tables of its own.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

import { PostgresDatabase } from "#store/postgres/postgres-database.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { tablesOf } from "#store/sql/tables.js";
import { SqliteDatabase } from "#store/sqlite/sqlite-database.js";
import { type PostgresServer, startPostgres } from "./postgres-server.js";

/**
 * Opens a database that is closed after the tests of the file. Databases of one `place` have the same
 * tables, as those of several processes; without one they are new.
 */
export type OpenDatabase = (place?: string) => Promise<SqlDatabase>;

export function sqliteDatabases(): OpenDatabase {
  const folder = mkdtempSync(join(tmpdir(), "sqlite-"));
  const opened: SqlDatabase[] = [];
  after(async () => {
    for (const database of opened) await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return async (place = String(opened.length)) => {
    const database = new SqliteDatabase({
      file: join(folder, `${place}.db`),
      tables: tablesOf({}),
    });
    opened.push(database);
    return database;
  };
}

/** `url` is that of their server. */
export function postgresDatabases(): OpenDatabase & { readonly url: () => Promise<string> } {
  let server: Promise<PostgresServer> | undefined;
  const opened: SqlDatabase[] = [];
  after(async () => {
    for (const database of opened) await database.close();
    await (await server)?.stop();
  });
  const url = async (): Promise<string> => {
    // A contract opens a database for each of its tests, and each holds a few connections.
    server ??= startPostgres(["fsync=off", "max_connections=400"]);
    return (await server).url;
  };
  const open: OpenDatabase = async (place = String(opened.length)) => {
    const schema = `s${place}`;
    const database = new PostgresDatabase({
      ...{ urls: [await url()], shown: "postgres://test", schema, tables: tablesOf({ schema }), ssl: false },
    });
    opened.push(database);
    return database;
  };
  return Object.assign(open, { url });
}

/** Lets time pass for a store: what is kept until a time is kept until then less `ms`. */
export async function passIn({ tables, write }: SqlDatabase, ms: number): Promise<void> {
  const earlier = (table: string, column: string) => ({
    sql: `UPDATE ${table} SET ${column} = ${column} - $1`,
    values: [Math.ceil(ms)],
  });
  await write([
    earlier(tables.host, "until"),
    earlier(tables.idempotency, "until"),
    earlier(tables.lock, "until"),
    earlier(tables.run, "retry_at"),
    earlier(tables.run, "due"),
    earlier(tables.letter, "claimed_until"),
    { sql: `UPDATE ${tables.run} SET at = at - $1 WHERE state = 2`, values: [Math.ceil(ms)] },
  ]);
}
