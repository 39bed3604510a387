// Connections to Redis for tests of stores: each call has keys of its own.

import { after } from "node:test";

import { NOW, RedisConnection, type RedisOptions } from "#store/redis/redis-connection.js";
import { redisUrl } from "#store/redis/redis-url.js";
import { type RedisServer, startRedis } from "./redis-server.js";

let opened = 0;

/** Longer than a busy machine takes. */
const PATIENT_MS = 10_000;

/** Closed after the tests of the file. `place`: connections of one have the same keys, as those of several processes. */
export function redisConnection(
  url: string,
  options: Partial<RedisOptions> = {},
  place?: string,
): RedisConnection {
  opened += 1;
  const at = `${url}${url.includes("?") ? "&" : "?"}prefix=t${place ?? opened}`;
  const connection = new RedisConnection(redisUrl(at, undefined), { timeoutMs: PATIENT_MS, ...options });
  after(connection.close);
  return connection;
}

/** A server that is started by the first test of the file and ends with the last. */
export function oneRedis(options: readonly string[] = []): () => Promise<RedisServer> {
  let server: Promise<RedisServer> | undefined;
  after(async () => (await server)?.stop());
  return async () => {
    server ??= startRedis(options);
    return server;
  };
}

/** The scripts of the connection run at a time that stands still, until `pass`. The server's own expiry runs on. */
export function stoppedClock({ call, keyOf, replicated }: RedisConnection) {
  const began = Date.now();
  let now = began;
  const at: RedisConnection["call"] = (use, { name, keys, lua }, ...rest) =>
    call(use, { name: `${name}${now}`, keys, lua: lua.replace(NOW, `local now = ${now}\n`) }, ...rest);
  return {
    redis: { call: at, keyOf, replicated },
    now: () => now - began,
    pass: (ms: number) => {
      now += ms;
    },
  };
}
