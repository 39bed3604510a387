// Poolers such as PgBouncer that lend a connection of the server for one transaction: prepared
// statements and settings of a session are gone in the next one. They are refused when a store opens.

import type { Client } from "pg";

import { FrameworkError } from "#core/errors.js";

/** Other clients of the pooler may take a connection between two questions and hide a change once. */
const ROUNDS = 20;

/**
 * Throws STORE_UNAVAILABLE if a pooler lends fewer than `connections` at once, or if `first` has no server process of its own. Sets nothing: in such a
 * mode the setting would stay with a connection that other programs use.
 */
export async function requireSession(
  shown: string,
  first: Client,
  connect: () => Promise<Client>,
  connections: number,
): Promise<void> {
  const own = await processOf(first);
  // A pooler tells an id that it made up when a client connects.
  if (own === (first as Client & { readonly processID?: unknown }).processID) return;
  const second = await connect();
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      await second.query("BEGIN");
      // With a pool of one connection `first` would wait for `second`: so it is not asked then.
      if ((await processOf(second)) === own || (await processOf(first)) !== own)
        throw new FrameworkError(
          "STORE_UNAVAILABLE",
          `${shown}: a pooler lends connections of the server for one transaction (pool_mode = transaction of PgBouncer), and a store needs whole sessions: use pool_mode = session, or the address of the server itself`,
        );
      await second.query("COMMIT");
    }
  } finally {
    await second.end();
  }
  await requireConnections(shown, connect, connections);
}

async function requireConnections(
  shown: string,
  connect: () => Promise<Client>,
  connections: number,
): Promise<void> {
  const made: Client[] = [];
  // Beside the one that is open.
  const asked = Array.from({ length: connections - 1 }, async () => {
    const client = await connect();
    made.push(client);
    await processOf(client);
  });
  const answers = await Promise.allSettled(asked);
  for (const client of made) client.end().catch(() => {});
  const got = 1 + answers.filter(({ status }) => status === "fulfilled").length;
  if (got < connections)
    throw new FrameworkError(
      "STORE_UNAVAILABLE",
      `${shown}: a pooler gives ${got} connections at once, and a process needs ${connections}: raise its pool_size`,
    );
}

async function processOf(client: Client): Promise<unknown> {
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid;
}
