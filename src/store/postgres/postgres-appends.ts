// Appends to logs in PostgreSQL: one statement in flight. Those that come meanwhile go with the next
// one, without a timer: one of 1 ms cost a third.
//
//   PG1. A statement has one append of a run at most, ordered by id: two processes that append to
//        the same runs cannot deadlock.
//   PG2. If a statement fails for its data, each of its appends runs alone: a bad one fails alone.
//   PG3. A connection that failed or was late is closed: the next append connects anew.

import type * as Pg from "pg";

import type { Append, Tables } from "../sql/sql-database.js";
import { storeUnavailable } from "../sql/store-errors.js";

export interface PostgresAppendsOptions {
  /** The URL without its password. */
  readonly shown: string;
  readonly tables: Tables;
  /** Connects where there is no connection. */
  readonly connection: () => Promise<Pg.Client>;
  readonly broken: (connection: Pg.Client) => void;
}

/** Maximum number of appends of a statement. */
const MAX_BATCH = 500;

interface Waiting {
  readonly append: Append;
  readonly resolve: (isAppended: boolean) => void;
  readonly reject: (error: unknown) => void;
}

export class PostgresAppends {
  readonly #of: PostgresAppendsOptions;
  readonly #sql: string;
  #waiting: Waiting[] = [];
  #flying: Promise<void> | undefined;

  constructor(of: PostgresAppendsOptions) {
    this.#of = of;
    this.#sql = appendSql(of.tables);
  }

  append(append: Append): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      this.#flying ??= this.#flyAll();
    });
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#flying !== undefined) await this.#flying;
  }

  /** Until nothing waits: what comes of a turn goes together. */
  async #flyAll(): Promise<void> {
    await new Promise((done) => setImmediate(done));
    while (this.#waiting.length > 0) await this.#flyOnce();
    this.#flying = undefined;
  }

  async #flyOnce(): Promise<void> {
    const batch = new Map<string, Waiting>();
    const later: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const { id } = waiting.append;
      if (batch.has(id) || batch.size >= MAX_BATCH) later.push(waiting);
      else batch.set(id, waiting);
    }
    this.#waiting = later;
    const sorted = [...batch.values()].sort((a, b) => (a.append.id < b.append.id ? -1 : 1));
    try {
      await this.#send(sorted);
    } catch (error) {
      if (sorted.length === 1 || !isOfData(error)) {
        for (const { reject } of sorted) reject(storeUnavailable(this.#of.shown, error));
        return;
      }
      for (const waiting of sorted)
        await this.#send([waiting]).catch((failed) =>
          waiting.reject(storeUnavailable(this.#of.shown, failed)),
        );
    }
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    const { connection, broken } = this.#of;
    const writer = await connection();
    // A script may end while its connection is idle.
    held(writer).ref();
    const column = <T>(of: (append: Append) => T): T[] => batch.map(({ append }) => of(append));
    const values = APPEND_COLUMNS.map(([name]) => column((append) => append[name]));
    try {
      const { rows } = await writer.query({ name: "append", text: this.#sql, values });
      const appended = new Set(rows.map((row: { readonly id: string }) => row.id));
      for (const { append, resolve } of batch) resolve(appended.has(append.id));
    } catch (error) {
      if (!isOfStatement(error)) broken(writer);
      throw error;
    } finally {
      held(writer).unref();
    }
  }
}

/** The columns of an append and their types, in the order of its parameters. */
const APPEND_COLUMNS: readonly (readonly [keyof Append, string])[] = [
  ["id", "text"],
  ["known", "bigint"],
  ["count", "bigint"],
  ["entries", "text"],
  ["keyId", "text"],
  ["state", "smallint"],
  ["at", "bigint"],
  ["retryAt", "bigint"],
  ["host", "text"],
  ["version", "text"],
  ["trace", "text"],
  ["axon", "text"],
  ["subject", "text"],
];

/** Begins logs and extends logs in one statement. Returns the ids of those that it did. */
function appendSql({ run, run_part: part }: Tables): string {
  const arrays = APPEND_COLUMNS.map(([, type], at) => `$${at + 1}::${type}[]`);
  const names = APPEND_COLUMNS.map(([name]) => `"${name}"`);
  return `WITH a AS (SELECT * FROM unnest(${arrays}) AS a (${names})),
    begun AS (INSERT INTO ${run} (id, axon, version, began_at, at, known, state, retry_at, host, subject, trace)
      SELECT id, axon, version, at, at, count, state, "retryAt", host, subject, trace FROM a WHERE known = 0
      ON CONFLICT (id) DO NOTHING RETURNING id, seq),
    extended AS (UPDATE ${run} r SET known = r.known + a.count, at = a.at, state = a.state, retry_at = a."retryAt",
      host = a.host, version = coalesce(a.version, r.version), trace = coalesce(a.trace, r.trace)
      FROM a WHERE a.known > 0 AND r.id = a.id AND r.known = a.known RETURNING r.id, r.seq),
    appended AS (SELECT * FROM begun UNION ALL SELECT * FROM extended),
    part AS (INSERT INTO ${part} (run, known, entries, key_id)
      SELECT appended.seq, a.known, a.entries, a."keyId" FROM appended JOIN a USING (id))
    SELECT id FROM appended`;
}

const codeOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
};

/** The server refused the statement, and its connection lives: a SQLSTATE, but of class 08 and 57. */
const isOfStatement = (error: unknown): boolean => /^(?!08|57)[0-9A-Z]{5}$/.test(codeOf(error));

/** Classes 22 and 23: a value or a constraint. */
export const isOfData = (error: unknown): boolean => /^2[23]...$/.test(codeOf(error));

/** Whether the process stays alive for the connection. The types of pg lack it. */
export const held = (connection: Pg.Client): { ref(): void; unref(): void } =>
  connection as Pg.Client & { ref(): void; unref(): void };
