// The thread that extends the lease of a host in PostgreSQL while its event loop is held up. It
// connects when it is needed, and leaves the connection once the event loop gives signs again.

import { createRequire } from "node:module";
import { workerData } from "node:worker_threads";
import type * as Pg from "pg";
import type { Statement } from "../sql/sql-database.js";
import { beatInSilence, type SilentBeats } from "../threads/silent-beats.js";

export interface LeaseThreadData {
  /** Folder from which the package pg is resolved. */
  readonly resolveFrom: string;
  readonly urls: readonly string[];
  readonly ssl: Pg.ClientConfig["ssl"];
  readonly statement: Pick<Statement, "sql" | "values">;
  readonly beats: SilentBeats;
}

const TIMEOUT_MS = 5000;

const { resolveFrom, urls, ssl, statement, beats } = workerData as LeaseThreadData;
let client: Pg.Client | undefined;
let isAsking = false;
let host = 0;

/** Of a connection that may be lost already. */
function leave(): void {
  client?.end().catch(() => {});
  client = undefined;
}

async function connected(): Promise<Pg.Client> {
  const pg = createRequire(resolveFrom)("pg") as typeof Pg;
  const made = new pg.Client({
    ...{ connectionString: urls[host] as string, ...(ssl !== undefined && { ssl }) },
    ...{ connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS, application_name: "framework" },
  });
  // Without a listener a connection that is lost would end the thread.
  made.on("error", () => {});
  client = made;
  await made.connect();
  return made;
}

/** Tries the hosts once: a standby refuses the statement. */
async function extend(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  for (let tried = 0; tried < urls.length; tried += 1)
    try {
      await (client ?? (await connected())).query(statement.sql, [...statement.values]);
      break;
    } catch {
      // The event loop reports it, when it fails there too.
      leave();
      host = (host + 1) % urls.length;
    }
  isAsking = false;
}

beatInSilence(beats, () => void extend(), leave);
