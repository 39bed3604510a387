// What several processes share in one Redis. The classes are small; ioredis is loaded by the connection.

import type { Codec } from "#core/ports/codec.js";
import { RedisChannels } from "./redis-channels.js";
import { CONNECT_MS } from "./redis-client.js";
import { RedisConnection, type RedisOptions } from "./redis-connection.js";
import { RedisIdempotency } from "./redis-idempotency.js";
import { RedisLocks } from "./redis-locks.js";
import { RedisRates } from "./redis-rates.js";
import { RedisRooms } from "./redis-rooms.js";
import { RedisSessions } from "./redis-sessions.js";
import { redisUrl } from "./redis-url.js";

interface RedisStoresOptions extends RedisOptions {
  /** The default prefix of its keys. */
  readonly service: string | undefined;
  readonly codec: Codec;
  /** Replicas that know of a lock before it is given. */
  readonly lockReplicas: number;
}

export type RedisStores = ReturnType<typeof redisStores>;

/** Opens nothing. Throws CONFIG_INVALID for the URL. */
export function redisStores(url: string, { service, codec, lockReplicas, ...options }: RedisStoresOptions) {
  const connection = new RedisConnection(redisUrl(url, service), options);
  // A wait for replicas holds up the calls behind it.
  const locking = lockReplicas === 0 ? connection : new RedisConnection(redisUrl(url, service), options);
  const marked = <S extends object>(store: S): S =>
    codec.encrypts === true ? Object.assign(store, { isEncrypted: true }) : store;
  const channels = new RedisChannels(connection);
  return {
    connection,
    rates: new RedisRates(connection),
    sessions: marked(new RedisSessions(connection, codec)),
    idempotency: marked(new RedisIdempotency(connection, codec)),
    locks: new RedisLocks(locking, lockReplicas),
    rooms: () => new RedisRooms(connection),
    channels,
    failures: () => new Map([...connection.failures(), ...locking.failures()]),
    close: async (): Promise<void> => {
      await channels.dispose();
      await Promise.all([connection.close(), locking.close()]);
    },
  };
}

/** Connects and looks, for commands: changes nothing. Rejects where it is away, or not fit for what is kept there. */
export async function checkRedis(
  url: string,
): Promise<{ readonly shown: string; readonly warnings: readonly string[] }> {
  const connection = new RedisConnection(redisUrl(url, undefined), { timeoutMs: CONNECT_MS });
  try {
    await connection.open();
    return { shown: connection.shown, warnings: connection.warnings() };
  } finally {
    await connection.close();
  }
}
