// Clients of ioredis with our settings. What its defaults would do: wait for a connection and send again,
// for 8 seconds, what may have had an effect.

import type { Cluster, ClusterOptions, Redis, RedisOptions } from "ioredis";

import { FrameworkError } from "#core/errors.js";
import type { RedisUrl } from "./redis-url.js";

export type RedisClient = Redis | Cluster;

/** Time limit of a connection to be made. While there is none, calls reject at once. */
export const CONNECT_MS = 2000;

/** Answers of a server that is not, or no longer, the one to ask: a replica, one that starts, another password. */
const TURNED_AWAY = /\b(?:READONLY|LOADING|NOAUTH|WRONGPASS|MASTERDOWN)\b/;

export interface ClientSettings {
  /** Time limit of a call in milliseconds. */
  readonly timeoutMs: number;
  /** It connects again, by itself, until this is so. */
  readonly isClosed: () => boolean;
  /** Why it leaves a server that still answers. */
  readonly turnedAway?: (error: Error) => void;
}

/** A client that is not connected yet. Rejects with STORE_UNAVAILABLE where ioredis is not installed. */
export async function newClient(url: RedisUrl, settings: ClientSettings): Promise<RedisClient> {
  const { default: ioredis } = await loaded();
  const { hosts, isCluster, sentinel } = url;
  const again = (times: number): number | null =>
    settings.isClosed() ? null : Math.min(25 * 2 ** Math.min(times, 6), 1000);
  const options = optionsOf(url, settings);
  const client = isCluster
    ? new ioredis.Cluster([...hosts], {
        ...{
          redisOptions: options,
          lazyConnect: true,
          enableOfflineQueue: false,
          clusterRetryStrategy: again,
        },
        // Zero: what a node may have run is not sent again. Where a slot is now is asked for all the same.
        ...{ retryDelayOnFailover: 0, retryDelayOnClusterDown: 0, slotsRefreshInterval: 5000 },
        slotsRefreshTimeout: CONNECT_MS,
      })
    : new ioredis.Redis({
        ...options,
        ...{ lazyConnect: true, enableOfflineQueue: false, retryStrategy: again },
        ...(sentinel === undefined ? hosts[0] : sentinelsOf(url, sentinel, again)),
      });
  // Without a listener the event would end the process. The calls reject.
  client.on("error", () => {});
  return client;
}

function optionsOf({ username, password, db, tls }: RedisUrl, settings: ClientSettings): RedisOptions {
  const { timeoutMs, turnedAway } = settings;
  return {
    ...{ db, commandTimeout: timeoutMs, connectTimeout: CONNECT_MS },
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
    // A server that answers nothing is left: what was sent to it would pile up.
    socketTimeout: 2 * timeoutMs,
    // An end that the server does not answer is not waited for.
    disconnectTimeout: 1,
    ...{ maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false, enableAutoPipelining: false },
    // A check of its own reads INFO, and prints nothing where that is not allowed.
    enableReadyCheck: false,
    reconnectOnError: (error) => {
      if (!TURNED_AWAY.test(error.message)) return false;
      turnedAway?.(error);
      return 1;
    },
  };
}

/** An ACL user is one of the data servers. A password alone is given to the sentinels, too: most have the same. */
function sentinelsOf(url: RedisUrl, name: string, again: (times: number) => number | null): RedisOptions {
  const { hosts, username, password, tls } = url;
  return {
    ...{ sentinels: [...hosts], name, role: "master", sentinelRetryStrategy: again },
    sentinelCommandTimeout: CONNECT_MS,
    ...(username === undefined && password !== undefined && { sentinelPassword: password }),
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

interface Ioredis {
  readonly default: {
    readonly Redis: new (options: RedisOptions) => Redis;
    readonly Cluster: new (
      nodes: readonly { readonly host: string; readonly port: number }[],
      options: ClusterOptions,
    ) => Cluster;
  };
}

async function loaded(): Promise<Ioredis> {
  try {
    return (await import("ioredis")) as never;
  } catch (cause) {
    throw new FrameworkError(
      "STORE_UNAVAILABLE",
      "redis:// needs the package ioredis: npm install ioredis@6",
      { cause },
    );
  }
}

/** Resolves once nothing of it is left. One that waits for its next attempt has nothing, and reports no end. */
export async function endOf(client: RedisClient): Promise<void> {
  const hasEnded = client.status === "end" || client.status === "reconnecting";
  const ended = new Promise<void>((resolve) => client.once("end", resolve));
  client.disconnect();
  if (!hasEnded) await within(CONNECT_MS, ended).catch(() => {});
}

export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no connection within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
