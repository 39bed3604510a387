// Connections to PostgreSQL: one of its own for appends and one for leases, which wait for nothing
// else, and a small pool for the rest.
//
//   PC1. Each new connection is asked whether its server takes writes. A standby is left, and the next
//        host of the URL is tried, once round. Connections of the pool to another host, or from before a
//        server refused a write, are closed.
//   PC2. A connection is closed where a statement failed, but by an answer of a server that may take the next one.
//   PC3. While no host can be reached, calls reject at once; one call a second tries again.

import type * as Pg from "pg";

import { FrameworkError } from "#core/errors.js";
import { storeUnavailable } from "../sql/store-errors.js";
import { PostgresListener } from "./postgres-listener.js";
import { requireSession } from "./postgres-pooler.js";

export interface PostgresConnectionsOptions {
  readonly pg: typeof Pg;
  /** One of each host, in the order in which they are tried. */
  readonly urls: readonly string[];
  /** The URL without its password. */
  readonly shown: string;
  readonly ssl: Pg.ClientConfig["ssl"];
  /** Milliseconds. */
  readonly now: () => number;
}

/** A connection that is made at its first use, and again after it was lost. */
export interface OwnConnection {
  readonly query: (config: Pg.QueryConfig) => Promise<Pg.QueryResult>;
}

export const STATEMENT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5000;
const POOL_SIZE = 4;
/** Of appends, of leases, of what listens, and of the pool. */
const CONNECTIONS = 3 + POOL_SIZE;
/** Time between two tries of a store that is gone. */
const PAUSE_MS = 1000;

/**
 * A process that is halted within a transaction loses it before those that wait for its locks give up.
 * Set here, not when connecting: poolers refuse parameters there that they do not know.
 */
const SETTINGS = [
  `SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  "SET lock_timeout = 6000",
  "SET idle_in_transaction_session_timeout = 4000",
  "SET default_transaction_isolation = 'read committed'",
].join("; ");

const TAKES_WRITES =
  "SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS found";

/** Settings with which a commit that was answered may be gone after a crash. */
const UNSAFE = {
  synchronous_commit: "answered commits of the last moments are lost if the server crashes: set it to on",
  fsync: "a power cut can destroy the database: set it to on",
  full_page_writes: "a power cut can destroy the database: set it to on",
} as const;

export class PostgresConnections {
  readonly #of: PostgresConnectionsOptions;
  readonly #pool: Pg.Pool;
  readonly #own = new Set<Promise<Pg.Client>>();
  readonly #listeners: PostgresListener[] = [];
  /** Where each connection of the pool was made. */
  readonly #places = new WeakMap<Pg.ClientBase, string>();
  #host = 0;
  /** How often a server was found to take no writes any more: what was connected before is asked no more. */
  #demotions = 0;
  #gone: { readonly error: FrameworkError; readonly until: number } | undefined;
  #isTrying = false;
  /** See StoreSet. */
  warnings: readonly string[] = [];

  constructor(of: PostgresConnectionsOptions) {
    this.#of = of;
    const connections = this;
    this.#pool = new of.pg.Pool({
      ...this.#config(),
      Client: class extends of.pg.Client {
        constructor(config: Pg.ClientConfig) {
          super({ ...config, connectionString: connections.#url });
          connections.#places.set(this, connections.#place);
        }
      } as never,
      max: POOL_SIZE,
      idleTimeoutMillis: 60_000,
      allowExitOnIdle: true,
      onConnect: (client: Pg.ClientBase) => this.#prepare(client),
    });
    // Of idle connections that are lost: the next call connects anew.
    this.#pool.on("error", () => {});
    // Of one in use: its next query rejects. Without a listener the event would end the process.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** Throws STORE_UNAVAILABLE where it is behind a pooler that lends connections for one transaction. */
  async open(): Promise<void> {
    await this.#reached(async () => {
      const client = await this.#client();
      try {
        await requireSession(this.#of.shown, client, () => this.#client(), CONNECTIONS);
        await this.#prepare(client);
        const settings = Object.keys(UNSAFE).map((name) => `current_setting('${name}') AS ${name}`);
        const { rows } = await client.query(`SELECT ${settings}`);
        this.warnings = Object.entries(UNSAFE).flatMap(([name, cost]) =>
          rows[0]?.[name] === "off" ? [`${this.#of.shown}: ${name} is off: ${cost}`] : [],
        );
      } finally {
        client.end().catch(() => {});
      }
    });
  }

  /** Rejects, and gives the connection up, if its server takes no writes. */
  check(): Promise<void> {
    return this.with(async (client) => {
      const { rows } = await client.query({ name: "check", text: TAKES_WRITES });
      if (rows[0]?.found !== true) throw Object.assign(this.#readOnly(client), { code: READ_ONLY });
    });
  }

  own(): OwnConnection {
    let made: Promise<Pg.Client> | undefined;
    const forget = (connecting: Promise<Pg.Client> | undefined): void => {
      if (connecting !== undefined) this.#own.delete(connecting);
      if (made === connecting) made = undefined;
    };
    const connect = (): Promise<Pg.Client> => {
      const connecting = this.#reached(async () => {
        const client = await this.#client();
        for (const event of ["error", "end"] as const) client.on(event, () => forget(connecting));
        try {
          await this.#prepare(client);
        } catch (error) {
          client.end().catch(() => {});
          throw error;
        }
        held(client).unref();
        return client;
      });
      connecting.catch(() => forget(connecting));
      this.#own.add(connecting);
      made = connecting;
      return connecting;
    };
    return {
      query: async (config) => {
        const client = await (made ?? connect());
        // A script may end while its connection is idle.
        held(client).ref();
        try {
          return await client.query(config);
        } catch (error) {
          if (codeOf(error) === READ_ONLY) this.#demotions += 1;
          if (!leavesConnection(error)) {
            forget(made);
            client.end().catch(() => {});
          }
          throw error;
        } finally {
          held(client).unref();
        }
      },
    };
  }

  listen(channel: string, heard: () => void): PostgresListener {
    const connect = (): Promise<Pg.Client> =>
      this.#reached(async () => {
        const client = await this.#client();
        held(client).unref();
        return client;
      });
    const listener = new PostgresListener({ channel, heard, connect, pauseMs: PAUSE_MS });
    this.#listeners.push(listener);
    return listener;
  }

  /** Rejects with what `use` threw, or with STORE_UNAVAILABLE where there is no connection. */
  async with<T>(use: (client: Pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#lent();
    let broken = true;
    try {
      const result = await use(client);
      broken = false;
      return result;
    } catch (error) {
      broken = !leavesConnection(error);
      if (codeOf(error) === READ_ONLY) this.#demotions += 1;
      if (isLate(error)) this.#leave(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    // Idle connections keep no process alive: a script that awaits this alone would end before they do.
    const awake = setInterval(() => {}, STATEMENT_TIMEOUT_MS);
    try {
      const own = await Promise.allSettled(this.#own);
      const clients = own.flatMap((made) => (made.status === "fulfilled" ? [made.value] : []));
      const listeners = this.#listeners.map((listener) => listener.end());
      await Promise.all([...clients.map((client) => client.end()), ...listeners, this.#pool.end()]);
    } finally {
      clearInterval(awake);
    }
  }

  get #place(): string {
    return `${this.#host} ${this.#demotions}`;
  }

  get #url(): string {
    return this.#of.urls[this.#host] as string;
  }

  #config(): Pg.ClientConfig {
    const { ssl, pg } = this.#of;
    return {
      ...(ssl !== undefined && { ssl }),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // A server that was halted or cut off answers nothing, not even the time-out of a statement.
      query_timeout: STATEMENT_TIMEOUT_MS + 1000,
      keepAlive: true,
      application_name: "framework",
      types: { getTypeParser: ((oid: number, format: "text") => parserOf(pg, oid, format)) as never },
    };
  }

  async #lent(): Promise<Pg.PoolClient> {
    for (;;) {
      const isFree = this.#pool.idleCount > 0 || this.#pool.totalCount >= POOL_SIZE;
      const client = await (isFree ? this.#waited() : this.#reached(() => this.#pool.connect()));
      if (this.#places.get(client) === this.#place) return client;
      client.release(true);
    }
  }

  /** What waits for a connection of others says nothing of the server. */
  async #waited(): Promise<Pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw storeUnavailable(this.#of.shown, error);
    }
  }

  async #client(): Promise<Pg.Client> {
    const client = new this.#of.pg.Client({ ...this.#config(), connectionString: this.#url });
    // Without a listener a connection that is lost between two calls would end the process.
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  async #prepare(client: Pg.ClientBase): Promise<void> {
    // Several statements have several results.
    const results = (await client.query(
      `${SETTINGS}; ${TAKES_WRITES}`,
    )) as unknown as readonly Pg.QueryResult[];
    if (results.at(-1)?.rows[0]?.found === true) return;
    throw this.#readOnly(client);
  }

  #readOnly(client: Pg.ClientBase): Error {
    const { host, port } = client as Pg.ClientBase & { readonly host: string; readonly port: number };
    return new Error(
      `the server ${host}:${port} takes no writes: it is a standby, or default_transaction_read_only is on`,
    );
  }

  async #reached<T>(connect: () => Promise<T>): Promise<T> {
    const gone = this.#gone;
    if (gone !== undefined) {
      if (this.#isTrying || this.#of.now() < gone.until) throw gone.error;
      this.#isTrying = true;
    }
    try {
      const made = await this.#anyHost(connect);
      this.#gone = undefined;
      return made;
    } catch (error) {
      throw this.#leave(error);
    } finally {
      if (gone !== undefined) this.#isTrying = false;
    }
  }

  #leave(cause: unknown): FrameworkError {
    const error = storeUnavailable(this.#of.shown, cause);
    this.#gone = { error, until: this.#of.now() + PAUSE_MS };
    return error;
  }

  async #anyHost<T>(connect: () => Promise<T>): Promise<T> {
    const { urls } = this.#of;
    for (let tried = 1; ; tried += 1) {
      const host = this.#host;
      try {
        return await connect();
      } catch (error) {
        // Another call may have gone on already.
        if (this.#host === host) this.#host = (host + 1) % urls.length;
        if (tried >= urls.length) throw error;
      }
    }
  }
}

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
};

/** SQLSTATE of read_only_sql_transaction. */
const READ_ONLY = "25006";

/**
 * The server refused the statement and may take the next one: a SQLSTATE, but of class 08 and 57, and
 * but for what a server says that takes no writes any more.
 */
const leavesConnection = (error: unknown): boolean =>
  /^(?!08|57|25006|25P03)[0-9A-Z]{5}$/.test(codeOf(error)) || error instanceof FrameworkError;

/** Classes 22 and 23: a value or a constraint. */
export const isOfData = (error: unknown): boolean => /^2[23]...$/.test(codeOf(error));

/** Of `query_timeout`: the server says nothing. */
const isLate = (error: unknown): boolean =>
  error instanceof Error && codeOf(error) === "" && error.message === "Query read timeout";

/** Whether the process stays alive for the connection. The types of pg lack it. */
const held = (connection: Pg.Client): { ref(): void; unref(): void } =>
  connection as Pg.Client & { ref(): void; unref(): void };

const INT8 = 20;

/** int8 as a number: everything here is a time or a count below 2^53. By default pg answers text. */
const parserOf = (pg: typeof Pg, oid: number, format: "text"): unknown =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format);
