// Connections to one Redis for tests of stores: each call has a prefix of its own.

import { after } from "node:test";

import { RedisConnection } from "#store/redis/redis-connection.js";
import { redisUrl } from "#store/redis/redis-url.js";
import { type RedisServer, startRedis } from "./redis-server.js";

interface OpenedRedis {
  readonly connection: RedisConnection;
  readonly server: RedisServer;
  readonly prefix: string;
  /** Advances the server's time for all keys of the prefix: `ends` are fields of hashes with times of its clock. */
  readonly pass: (ms: number, ends?: readonly string[]) => Promise<void>;
}

/** Advances the servers' time, as `pass` of OpenedRedis does. */
export async function passIn(
  servers: readonly RedisServer[],
  prefix: string,
  ms: number,
  ends: readonly string[] = [],
): Promise<void> {
  for (const { client } of servers)
    for (const key of await client.keys(`${prefix}:*`)) {
      const left = await client.pttl(key);
      await client.pexpire(key, left - ms);
      if ((await client.type(key)) !== "hash") continue;
      for (const field of ends) {
        const end = await client.hget(key, field);
        if (end !== null) await client.hset(key, field, Number(end) - ms);
      }
    }
}

/**
 * Opens a connection that is closed after the tests of the file. Those of one `prefix` share keys. `begin`
 * starts the server, at the first call; prefixes begin with `first`.
 */
export function redisConnections(
  begin: () => Promise<RedisServer> = startRedis,
  first = "t",
): (prefix?: string) => Promise<OpenedRedis> {
  let starting: Promise<RedisServer> | undefined;
  const opened: RedisConnection[] = [];
  after(async () => {
    for (const connection of opened) await connection.close();
    await (await starting)?.stop();
  });
  return async (prefix = `${first}${opened.length}`) => {
    starting ??= begin();
    const server = await starting;
    const connection = new RedisConnection(redisUrl(server.url, prefix), { timeoutMs: 5000 });
    opened.push(connection);
    const pass = (ms: number, ends?: readonly string[]) => passIn([server], prefix, ms, ends);
    return { connection, server, prefix, pass };
  };
}
