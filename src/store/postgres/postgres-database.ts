// PostgreSQL. Appends to logs have a connection of their own (postgres-appends.ts); everything else
// goes through a small pool with a `statement_timeout`.

import { createRequire } from "node:module";
import type * as Pg from "pg";

import { FrameworkError } from "#core/errors.js";
import { migrate } from "../sql/migrations.js";
import type {
  Append,
  AuditAppend,
  AuditAppended,
  Row,
  SqlDatabase,
  SqlDialect,
  SqlValue,
  Statement,
  Tables,
} from "../sql/sql-database.js";
import { storeUnavailable } from "../sql/store-errors.js";
import { held, PostgresAppends } from "./postgres-appends.js";
import { PostgresAudit } from "./postgres-audit.js";
import { requireSession } from "./postgres-pooler.js";

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
  readonly #appends: PostgresAppends;
  readonly #audit: PostgresAudit;
  /** By their text: what is sent often is prepared once on each connection. */
  readonly #names = new Map<string, string>();
  #pg: typeof Pg | undefined;
  #pool: Pg.Pool | undefined;
  #writer: Promise<Pg.Client> | undefined;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.tables = options.tables;
    this.#appends = new PostgresAppends({
      ...options,
      connection: () => this.#writer ?? this.#connect(),
      broken: (writer) => {
        this.#writer = undefined;
        writer.end().catch(() => {});
      },
    });
    this.#audit = new PostgresAudit({
      ...options,
      // Those that wait when the store is closed go before it is.
      connection: () => (this.#pool as Pg.Pool).connect(),
    });
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
    return this.#appends.append(append);
  };

  readonly appendAudit = async (append: AuditAppend): Promise<AuditAppended> => {
    await this.#opened();
    return this.#audit.append(append);
  };

  async #open(): Promise<void> {
    const { autoMigrate = true, asFound = false } = this.#options;
    this.#pg = loadPg();
    const writer = await this.#connect(true);
    const pool = new this.#pg.Pool({
      ...this.#config(),
      max: POOL_SIZE,
      idleTimeoutMillis: 60_000,
      allowExitOnIdle: true,
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
    await Promise.all([this.#appends.idle(), this.#audit.idle()]);
    const writer = await this.#writer?.catch(() => undefined);
    // Idle connections keep no process alive: a script that awaits this alone would end before they do.
    const awake = setInterval(() => {}, STATEMENT_TIMEOUT_MS);
    try {
      await Promise.all([writer?.end(), this.#pool?.end()]);
    } finally {
      clearInterval(awake);
    }
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
        held(client).unref();
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

const INT8 = 20;

/** int8 as a number: everything here is a time or a count below 2^53. By default pg answers text. */
const parserOf = (pg: typeof Pg | undefined, oid: number, format: "text"): unknown =>
  oid === INT8 ? Number : pg?.types.getTypeParser(oid, format);

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
