// PostgreSQL, over the connections of postgres-connections.ts: logs and the audit log have batches of
// their own (postgres-appends.ts, postgres-audit.ts), everything else is a statement or a transaction.

import { hash } from "node:crypto";
import { createRequire } from "node:module";
import type * as Pg from "pg";

import { FrameworkError } from "#core/errors.js";
import { migrate } from "../sql/migrations.js";
import type {
  Append,
  Appended,
  AuditAppend,
  AuditAppended,
  Compacted,
  Row,
  SqlDatabase,
  SqlDialect,
  SqlValue,
  Statement,
  Tables,
} from "../sql/sql-database.js";
import { storeUnavailable } from "../sql/store-errors.js";
import { compactTables } from "./compact-tables.js";
import { PostgresAppends } from "./postgres-appends.js";
import { PostgresAudit } from "./postgres-audit.js";
import { type OwnConnection, PostgresConnections } from "./postgres-connections.js";
import { standingLease } from "./standing-lease.js";

export interface PostgresOptions {
  /** One of each host, in the order in which they are tried. */
  readonly urls: readonly string[];
  /** The URL without its password. */
  readonly shown: string;
  readonly tables: Tables;
  /** Made where it is missing. */
  readonly schema: string;
  readonly autoMigrate?: boolean;
  /** See OpeningOptions. */
  readonly asFound?: boolean;
  readonly ssl: Pg.ClientConfig["ssl"];
  /** Milliseconds. Default `performance.now`. */
  readonly now?: () => number;
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
    notified: (sql, values) => [
      { sql: `SELECT pg_notify('${this.#channel}', '') FROM (${sql}) AS told LIMIT 1`, values },
    ],
  };
  readonly tables: Tables;
  /** Of these tables: 63 bytes at most. */
  readonly #channel: string;
  readonly #options: PostgresOptions;
  /** By their text: what is sent often is prepared once on each connection. */
  readonly #names = new Map<string, string>();
  #connections: PostgresConnections | undefined;
  #leases: OwnConnection | undefined;
  #appends: PostgresAppends | undefined;
  #audit: PostgresAudit | undefined;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.tables = options.tables;
    this.#channel = `framework_${hash("sha256", options.tables.run).slice(0, 32)}`;
  }

  readonly open = (looks = false): Promise<void> => {
    this.#opening ??= this.#open(looks).catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  };

  readonly close = (): Promise<void> => {
    this.#closing ??= this.#close();
    return this.#closing;
  };

  readonly warnings = (): readonly string[] => this.#connections?.warnings ?? [];

  readonly check = async (): Promise<void> => {
    await this.#opened();
    await this.#telling(() => (this.#connections as PostgresConnections).check());
  };

  readonly read = async (sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> => {
    await this.#opened();
    return this.#query({ sql, values });
  };

  readonly write = async (
    statements: readonly Statement[],
  ): Promise<readonly (readonly Row[])[] | undefined> => {
    await this.#opened();
    return this.#write(statements);
  };

  readonly lease = async (statement: Statement): Promise<void> => {
    await this.#opened();
    const leases = this.#leases as OwnConnection;
    await this.#telling(() => leases.query(this.#prepared(statement)));
  };

  readonly holdLease: SqlDatabase["holdLease"] = ({ sql, values }, everyMs, options) => {
    const { urls, ssl } = this.#options;
    return standingLease({ urls, ssl, statement: { sql, values } }, everyMs, options);
  };

  readonly append = async (append: Append): Promise<Appended> => {
    await this.#opened();
    return (this.#appends as PostgresAppends).append(append);
  };

  readonly listen: NonNullable<SqlDatabase["listen"]> = (heard) => {
    let isOver = false;
    const listening = this.#opened().then(() =>
      isOver ? undefined : this.#connections?.listen(this.#channel, heard),
    );
    // Of a store that cannot be opened: its polls fail, too.
    listening.catch(() => {});
    return {
      end: async () => {
        isOver = true;
        await (await listening.catch(() => undefined))?.end();
      },
    };
  };

  readonly appendAudit = async (append: AuditAppend): Promise<AuditAppended> => {
    await this.#opened();
    return (this.#audit as PostgresAudit).append(append);
  };

  readonly compact = async (): Promise<Compacted> => {
    await this.#opened();
    return this.#with((client) => compactTables(client, Object.values(this.tables)));
  };

  async #open(looks: boolean): Promise<void> {
    const { autoMigrate = true, asFound = false, now = () => performance.now(), ...options } = this.#options;
    this.#connections ??= new PostgresConnections({ ...options, pg: loadPg(), now });
    const connections = this.#connections;
    await connections.open();
    if (!asFound) await this.#migrate(autoMigrate && !looks);
    this.#leases = connections.own();
    this.#appends = new PostgresAppends({
      ...options,
      dialect: this.dialect,
      connection: connections.own(),
    });
    // Those that wait when the store is closed go before it is.
    this.#audit = new PostgresAudit({ ...options, connections });
  }

  async #migrate(autoMigrate: boolean): Promise<void> {
    const { shown, schema } = this.#options;
    const { dialect, tables } = this;
    const read = (sql: string, values: readonly SqlValue[]) => this.#query({ sql, values });
    const write = (statements: readonly Statement[]) => this.#write(statements);
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
    await Promise.all([this.#appends?.idle(), this.#audit?.idle()]);
    await this.#connections?.close();
  }

  async #opened(): Promise<void> {
    if (this.#closing !== undefined)
      throw new FrameworkError("STORE_UNAVAILABLE", `${this.#options.shown}: it is closed`);
    if (this.#appends === undefined) await this.open();
  }

  #query(statement: Pick<Statement, "sql" | "values">): Promise<readonly Row[]> {
    return this.#with(async (client) => (await client.query(this.#prepared(statement))).rows as Row[]);
  }

  async #write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[] | undefined> {
    const [only] = statements;
    if (statements.length === 1 && only !== undefined) {
      const rows = await this.#query(only);
      return only.must === true && rows.length === 0 ? undefined : [rows];
    }
    return this.#with(async (client) => {
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
        // Of a connection that is lost: it is no longer lent.
        await client.query("ROLLBACK").catch(() => {});
        throw error;
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

  #with<T>(use: (client: Pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#telling(() => (this.#connections as PostgresConnections).with(use));
  }

  async #telling<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw storeUnavailable(this.#options.shown, error);
    }
  }
}

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
