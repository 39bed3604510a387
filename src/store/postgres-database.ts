// PostgreSQL. Appends to logs have a connection of their own with one statement in flight: those
// that come meanwhile go with the next one, without a timer (one of 1 ms cost a third). Everything
// else goes through a small pool with a `statement_timeout`.
//
//   PG1. A statement has one append of a run at most, ordered by id: two processes that append to
//       the same runs cannot deadlock.
//   PG2. If a statement fails for its data, each of its appends runs alone: a bad one fails alone.
//   PG3. A connection that failed or was late is closed: the next append connects anew.

import { createRequire } from "node:module";
import type * as Pg from "pg";

import { FrameworkError } from "#core/errors.js";
import { migrate } from "./migrations.js";
import { requireSession } from "./postgres-pooler.js";
import type { Append, Row, SqlDatabase, SqlDialect, SqlValue, Statement, Tables } from "./sql-database.js";
import { storeUnavailable } from "./store-errors.js";

export interface PostgresOptions {
  readonly url: string;
  /** The URL without its password. */
  readonly shown: string;
  readonly tables: Tables;
  /** Made where it is missing. */
  readonly schema: string;
  readonly autoMigrate?: boolean;
  /** See OpeningOptions. */
  readonly asFound?: boolean;
  readonly ssl: Pg.ClientConfig["ssl"];
}

const STATEMENT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5000;
/** Connections beside that of appends. */
const POOL_SIZE = 4;
/** Maximum number of appends of a statement. */
const MAX_BATCH = 500;

interface Waiting {
  readonly append: Append;
  readonly resolve: (isAppended: boolean) => void;
  readonly reject: (error: unknown) => void;
}

export class PostgresDatabase implements SqlDatabase {
  readonly dialect: SqlDialect = {
    name: "postgres",
    now: "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)",
    listed: (parameter) => `(SELECT json_array_elements_text(CAST(${parameter} AS json)))`,
    serialized: (sql, values) => [
      {
        sql: `SELECT pg_advisory_xact_lock(hashtextextended(named.name, 0)) FROM (${sql}) AS named (name)`,
        values,
      },
    ],
  };
  readonly tables: Tables;
  readonly #options: PostgresOptions;
  readonly #append: string;
  /** By their text: what is sent often is prepared once on each connection. */
  readonly #names = new Map<string, string>();
  #pg: typeof Pg | undefined;
  #pool: Pg.Pool | undefined;
  #writer: Promise<Pg.Client> | undefined;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #waiting: Waiting[] = [];
  #flying: Promise<void> | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.tables = options.tables;
    this.#append = appendSql(options.tables);
  }

  readonly open = (): Promise<void> => {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  };

  readonly close = (): Promise<void> => {
    this.#closing ??= this.#close();
    return this.#closing;
  };

  readonly read = async (sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> => {
    const pool = await this.#opened();
    return this.#telling(async () => (await pool.query(this.#prepared({ sql, values }))).rows as Row[]);
  };

  readonly write = async (
    statements: readonly Statement[],
  ): Promise<readonly (readonly Row[])[] | undefined> => this.#writeWith(await this.#opened(), statements);

  readonly append = async (append: Append): Promise<boolean> => {
    await this.#opened();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      this.#flying ??= this.#flyAll();
    });
  };

  async #open(): Promise<void> {
    const { autoMigrate = true, asFound = false } = this.#options;
    this.#pg = loadPg();
    const writer = await this.#connect(true);
    const pool = new this.#pg.Pool({
      ...this.#config(),
      max: POOL_SIZE,
      idleTimeoutMillis: 60_000,
      onConnect: limitTime,
    });
    // Of idle connections that are lost: the next call connects anew.
    pool.on("error", () => {});
    // Of one in use: its next query rejects. Without a listener the event would end the process.
    pool.on("connect", (client) => client.on("error", () => {}));
    try {
      if (!asFound) await this.#migrate(pool, autoMigrate);
    } catch (error) {
      await Promise.all([writer.end(), pool.end()]);
      throw error;
    }
    this.#pool = pool;
  }

  async #migrate(pool: Pg.Pool, autoMigrate: boolean): Promise<void> {
    const { shown, schema } = this.#options;
    const { dialect, tables } = this;
    const read = (sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> =>
      this.#telling(async () => (await pool.query(sql, [...values])).rows as Row[]);
    const write = (statements: readonly Statement[]) => this.#writeWith(pool, statements);
    const [found] = await read("SELECT 1 AS found FROM pg_namespace WHERE nspname = $1", [schema]);
    if (found === undefined && autoMigrate)
      await write([
        ...dialect.serialized("SELECT 'framework migration'", []),
        { sql: `CREATE SCHEMA IF NOT EXISTS "${schema}"`, values: [] },
      ]);
    await migrate({ dialect, tables, read, write }, { autoMigrate, shown });
  }

  async #close(): Promise<void> {
    await this.#opening?.catch(() => {});
    while (this.#flying !== undefined) await this.#flying;
    const writer = await this.#writer?.catch(() => undefined);
    await Promise.all([writer?.end(), this.#pool?.end()]);
  }

  async #opened(): Promise<Pg.Pool> {
    if (this.#closing !== undefined)
      throw new FrameworkError("STORE_UNAVAILABLE", `${this.#options.shown}: it is closed`);
    if (this.#pool === undefined) await this.open();
    return this.#pool as Pg.Pool;
  }

  #config(): Pg.ClientConfig {
    const { url, ssl } = this.#options;
    return {
      connectionString: url,
      ...(ssl !== undefined && { ssl }),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // A server that was halted or cut off answers nothing, not even the time-out of a statement.
      query_timeout: STATEMENT_TIMEOUT_MS + 1000,
      keepAlive: true,
      application_name: "framework",
      types: { getTypeParser: ((oid: number, format: "text") => parserOf(this.#pg, oid, format)) as never },
    };
  }

  /** The connection for appends. */
  #connect(isFirst = false): Promise<Pg.Client> {
    const connecting = this.#telling(async () => {
      const client = await this.#client();
      client.on("error", lost);
      client.on("end", lost);
      try {
        if (isFirst) await requireSession(this.#options.shown, client, () => this.#client());
        await limitTime(client);
      } catch (error) {
        client.end().catch(() => {});
        throw error;
      }
      return client;
    });
    const lost = (): void => {
      if (this.#writer === connecting) this.#writer = undefined;
    };
    connecting.catch(lost);
    this.#writer = connecting;
    return connecting;
  }

  async #client(): Promise<Pg.Client> {
    const { Client } = this.#pg as typeof Pg;
    const client = new Client(this.#config());
    // Without a listener a connection that is lost between two calls would end the process.
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  async #writeWith(
    pool: Pg.Pool,
    statements: readonly Statement[],
  ): Promise<readonly (readonly Row[])[] | undefined> {
    const [only] = statements;
    if (statements.length === 1 && only !== undefined) {
      const rows = await this.#telling(async () => (await pool.query(this.#prepared(only))).rows as Row[]);
      return only.must === true && rows.length === 0 ? undefined : [rows];
    }
    return this.#telling(async () => {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        await client.query("BEGIN");
        const results: Row[][] = [];
        for (const statement of statements) {
          const rows = (await client.query(this.#prepared(statement))).rows as Row[];
          results.push(rows);
          if (statement.must !== true || rows.length > 0) continue;
          await client.query("ROLLBACK");
          return undefined;
        }
        await client.query("COMMIT");
        return results;
      } catch (error) {
        await client.query("ROLLBACK").catch((failed: Error) => {
          broken = failed;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    });
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
        for (const { reject } of sorted) reject(storeUnavailable(this.#options.shown, error));
        return;
      }
      for (const waiting of sorted)
        await this.#send([waiting]).catch((failed) =>
          waiting.reject(storeUnavailable(this.#options.shown, failed)),
        );
    }
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    const writer = await (this.#writer ?? this.#connect());
    const column = <T>(of: (append: Append) => T): T[] => batch.map(({ append }) => of(append));
    const values = APPEND_COLUMNS.map(([name]) => column((append) => append[name]));
    try {
      const { rows } = await writer.query({ name: "append", text: this.#append, values });
      const appended = new Set(rows.map((row: { readonly id: string }) => row.id));
      for (const { append, resolve } of batch) resolve(appended.has(append.id));
    } catch (error) {
      if (!isOfStatement(error)) {
        this.#writer = undefined;
        writer.end().catch(() => {});
      }
      throw error;
    }
  }

  #prepared({ sql, values }: Pick<Statement, "sql" | "values">): Pg.QueryConfig {
    let name = this.#names.get(sql);
    if (name === undefined && this.#names.size < 200) {
      name = `s${this.#names.size}`;
      this.#names.set(sql, name);
    }
    return { text: sql, values: [...values], ...(name !== undefined && { name }) };
  }

  async #telling<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw storeUnavailable(this.#options.shown, error);
    }
  }
}

/** Not when connecting: poolers refuse parameters there that they do not know. */
const limitTime = async (client: Pg.ClientBase): Promise<void> => {
  await client.query(`SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
};

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

const INT8 = 20;

/** int8 as a number: everything here is a time or a count below 2^53. By default pg answers text. */
const parserOf = (pg: typeof Pg | undefined, oid: number, format: "text"): unknown =>
  oid === INT8 ? Number : pg?.types.getTypeParser(oid, format);

const codeOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
};

/** The server refused the statement, and its connection lives: a SQLSTATE, but of class 08 and 57. */
const isOfStatement = (error: unknown): boolean => /^(?!08|57)[0-9A-Z]{5}$/.test(codeOf(error));

/** Classes 22 and 23: a value or a constraint. */
const isOfData = (error: unknown): boolean => /^2[23]...$/.test(codeOf(error));

function loadPg(): typeof Pg {
  try {
    return createRequire(import.meta.url)("pg") as typeof Pg;
  } catch (cause) {
    throw new FrameworkError(
      "STORE_UNAVAILABLE",
      'A store of PostgreSQL needs the package pg: run "npm install pg@8.23.1"',
      { cause },
    );
  }
}
