// What can happen to the store of servers that keep runs, while they run.

import { createRequire } from "node:module";

import pg from "pg";

import { startPostgresPair } from "./postgres-pair.js";
import { startPostgres } from "./postgres-server.js";

export const TROUBLES = {
  /** Another process holds the file for longer than the lease. */
  sqlite: ["none", "locked"],
  /** A connection is cut over and over; the server is away for longer than the lease; it fails over, and back. */
  postgres: ["none", "cut", "away", "failover"],
} as const;
export type Trouble = (typeof TROUBLES)[keyof typeof TROUBLES][number];

export interface StoreTrouble {
  readonly url: string;
  /** Whether the store can be asked at all times. */
  readonly isSteady: boolean;
  /** Makes trouble until `isOver` says so; resolves to how often it did. */
  readonly make: (isOver: () => boolean) => Promise<number>;
  readonly stop: () => Promise<void>;
}

interface Troubled {
  /** A folder for a file of SQLite. */
  readonly folder: string;
  /** The PostgreSQL server of all rounds. */
  readonly server: string | undefined;
  readonly schema: string;
  readonly leaseMs: number;
  readonly random: () => number;
}

/** How often a store is away: each time nothing goes on. */
const TIMES_AWAY = 3;
const CUT_MS = 60;

export async function storeTrouble(kind: Trouble, of: Troubled): Promise<StoreTrouble> {
  const { folder, server = "", schema, leaseMs, random } = of;
  const file = `${folder}/runs.db`;
  const stop = async (): Promise<void> => {};
  const inSchema = (url: string): string => `${url}?schema=${schema}`;
  const awayMs = (): number => leaseMs * 4 * random();
  const away = async (isOver: () => boolean, once: () => Promise<unknown>): Promise<number> => {
    let times = 0;
    for (; times < TIMES_AWAY; times += 1) {
      await pause(200 + 400 * random());
      if (isOver()) break;
      await once();
    }
    return times;
  };
  switch (kind) {
    case "none":
      return {
        url: server === "" ? `sqlite:${file}` : inSchema(server),
        isSteady: true,
        make: async () => 0,
        stop,
      };
    case "locked":
      return {
        ...{ url: `sqlite:${file}`, isSteady: false, stop },
        make: (isOver) => away(isOver, () => held(file, awayMs())),
      };
    case "cut":
      return {
        url: inSchema(server),
        isSteady: false,
        make: (isOver) => cuts({ server, schema, isOver }),
        stop,
      };
    case "away": {
      const own = await startPostgres();
      const once = async (): Promise<void> => {
        await own.crash();
        await pause(awayMs());
        await own.restart();
      };
      return {
        url: inSchema(own.url),
        isSteady: false,
        make: (isOver) => away(isOver, once),
        stop: own.stop,
      };
    }
    case "failover": {
      const pair = await startPostgresPair();
      const once = (): Promise<void> => pair.failover(awayMs());
      return {
        url: inSchema(pair.url),
        isSteady: false,
        make: (isOver) => away(isOver, once),
        stop: pair.stop,
      };
    }
  }
}

interface Database {
  exec(sql: string): void;
  close(): void;
}

async function held(file: string, ms: number): Promise<void> {
  const Libsql = createRequire(import.meta.url)("libsql") as new (file: string) => Database;
  const database = new Libsql(file);
  try {
    database.exec("PRAGMA busy_timeout = 5000");
    database.exec("BEGIN IMMEDIATE");
    await pause(ms);
    database.exec("ROLLBACK");
  } finally {
    database.close();
  }
}

/** Cuts connections of a schema's processes: of a connection its last statement is known. */
async function cuts(of: {
  readonly server: string;
  readonly schema: string;
  readonly isOver: () => boolean;
}): Promise<number> {
  const client = new pg.Client({ connectionString: of.server });
  await client.connect();
  let times = 0;
  while (!of.isOver()) {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND query LIKE '%"' || $1 || '".%' ORDER BY random() LIMIT 1) AS found`,
      [of.schema],
    );
    times += rowCount ?? 0;
    await pause(CUT_MS);
  }
  await client.end();
  return times;
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
