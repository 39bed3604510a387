// A PostgreSQL server with a standby that has each commit before it is answered, as those have it
// that run one in earnest. A failover makes the standby the server, and a new standby in the place of the old one.

import pg from "pg";

import { freePort, type PostgresServer, startPostgres } from "./postgres-server.js";

export interface PostgresPair {
  /** Names both. */
  readonly url: string;
  /** Ends the server; after `awayMs` the standby takes its place. Resolves once that has a standby, too. */
  readonly failover: (awayMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startPostgresPair(): Promise<PostgresPair> {
  const ports = [await freePort(), await freePort()] as const;
  let [serving, free] = ports;
  let server = await started(serving);
  let standby = await follows(server, free);
  return {
    url: `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join()}/postgres`,
    async failover(awayMs) {
      await server.crash();
      await new Promise((done) => setTimeout(done, awayMs));
      await asked(standby, "SELECT pg_promote()");
      await server.stop();
      server = standby;
      [serving, free] = [free, serving];
      standby = await follows(server, free);
    },
    async stop() {
      await standby.stop();
      await server.stop();
    },
  };
}

const started = (port: number, standbyOf?: string): Promise<PostgresServer> =>
  startPostgres(["fsync=off"], undefined, { port, ...(standbyOf !== undefined && { standbyOf }) });

/** Its copy is not told to wait for a standby: it has none when it takes over. */
async function follows(server: PostgresServer, port: number): Promise<PostgresServer> {
  const standby = await started(port, server.url);
  await asked(server, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await asked(server, "SELECT pg_reload_conf()");
  while ((await asked(server, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")) === 0)
    await new Promise((done) => setTimeout(done, 20));
  return standby;
}

/** Resolves to the number of rows. */
async function asked({ url }: PostgresServer, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
