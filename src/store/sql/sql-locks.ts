// Locks as rows: a row is a lock that is held, or one whose time is up. Time is the database's.
// Tokens come from 256 counters, by a hash of the key. A transaction that draws a token holds the row
// of its counter until its lock is committed: so the tokens of a key grow, and a lock that is given
// back leaves no row. With PostgreSQL that is one round trip: no process that is halted holds a counter.
//
// If the database's clock is set back by d, a lock of a holder that died lasts up to d longer than
// its time; holders that renew or release are not affected. If it is set forward, locks end early:
// a store that refuses lesser tokens (core/lock.ts) keeps the former holder from doing harm.

import { createHash } from "node:crypto";

import type { LockLease, LockProvider } from "#core/ports/lock.js";
import { columnKey } from "./column-key.js";
import type { SqlDatabase, Statement } from "./sql-database.js";
import { deleteSome, SweepTurns } from "./sweeps.js";

export class SqlLocks implements LockProvider {
  readonly #database: SqlDatabase;
  readonly #sweeps = new SweepTurns(() => this.forget(200));
  /** How a lock is taken by its counter, its key and its time: one statement, or two with SQLite, which has no INSERT in WITH. */
  readonly #taking: (counter: number, key: string, ttlMs: number) => readonly Statement[];

  constructor(database: SqlDatabase) {
    this.#database = database;
    const { lock, lock_counter: counter } = database.tables;
    const { now } = database.dialect;
    const draw = `INSERT INTO ${counter} (id, token) SELECT CAST($1 AS smallint), 1
      WHERE NOT EXISTS (SELECT 1 FROM ${lock} WHERE key = $2 AND until > ${now})
      ON CONFLICT (id) DO UPDATE SET token = ${counter}.token + 1 RETURNING token`;
    const holdBy = (drawn: string): string => `INSERT INTO ${lock} (key, token, until)
      SELECT CAST($2 AS text), token, ${now} + $3 FROM ${drawn}
      ON CONFLICT (key) DO UPDATE SET token = excluded.token, until = excluded.until
      WHERE ${lock}.until <= ${now} RETURNING token`;
    // The first sees no lock that another is about to commit; the second does, having waited for
    // the counter.
    const [both, hold] = [
      `WITH drawn AS (${draw}) ${holdBy("drawn")}`,
      holdBy(`${counter} WHERE id = CAST($1 AS smallint)`),
    ];
    this.#taking =
      database.dialect.name === "postgres"
        ? (...values) => [{ sql: both, values, must: true }]
        : (id, key, ttlMs) => [
            { sql: draw, values: [id, key], must: true },
            { sql: hold, values: [id, key, ttlMs], must: true },
          ];
  }

  readonly acquire = async (key: string, ttlMs: number): Promise<LockLease | undefined> => {
    const kept = columnKey(key);
    const counter = createHash("sha256").update(kept).digest()[0] as number;
    const held = (await this.#database.write(this.#taking(counter, kept, Math.ceil(ttlMs))))?.at(-1);
    if (held === undefined) return undefined;
    this.#sweeps.count();
    return { key, token: Number(held[0]?.["token"]) };
  };

  readonly renew = async ({ key, token }: LockLease, ttlMs: number): Promise<boolean> => {
    const { dialect, tables } = this.#database;
    return this.#changes({
      sql: `UPDATE ${tables.lock} SET until = ${dialect.now} + $3
        WHERE key = $1 AND token = $2 AND until > ${dialect.now} RETURNING key`,
      values: [columnKey(key), token, Math.ceil(ttlMs)],
    });
  };

  readonly release = async ({ key, token }: LockLease): Promise<boolean> => {
    const { dialect, tables } = this.#database;
    return this.#changes({
      sql: `DELETE FROM ${tables.lock} WHERE key = $1 AND token = $2 AND until > ${dialect.now} RETURNING key`,
      values: [columnKey(key), token],
    });
  };

  /** Deletes at most `limit` locks whose time is up. Resolves to how many. Each hundredth `acquire` does so, too. */
  readonly forget = (limit: number): Promise<number> => {
    const where = `until <= (SELECT ${this.#database.dialect.now})`;
    return deleteSome(this.#database, { table: "lock", where, values: [], limit });
  };

  async #changes(statement: Statement): Promise<boolean> {
    const [changed] = (await this.#database.write([statement])) ?? [];
    return (changed?.length ?? 0) > 0;
  }
}
