// The connection of a process to Redis or Valkey, over which all of its stores call scripts.
//
// A call is one script on one slot. It takes no longer than `timeoutMs`; without a connection it
// rejects at once. Nothing is sent again and nothing waits for a connection: a guard decides.

import type { Cluster, Redis } from "ioredis";

import { FrameworkError } from "#core/errors.js";
import { storeUnavailable } from "../sql/store-errors.js";
import type { RedisUrl } from "./redis-url.js";

export type RedisClient = Redis | Cluster;

/** What a call is for: the name under which its failures are counted. */
export type RedisUse = "rates" | "sessions" | "keys" | "locks" | "rooms" | "channels";

/** Its keys are of one slot. It answers texts, numbers, null and lists of them. */
export interface RedisScript {
  /** Unique among the scripts. */
  readonly name: string;
  readonly keys: number;
  readonly lua: string;
}

export type RedisValue = string | number | Buffer;

/** Sets `now`: milliseconds since 1970 by the server's clock. */
export const NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)\n";

export interface RedisOptions {
  /** Time limit of a call in milliseconds. */
  readonly timeoutMs: number;
}

export class RedisConnection {
  /** The URL without its password. */
  readonly shown: string;
  readonly #url: RedisUrl;
  readonly #options: RedisOptions;
  readonly #failures = new Map<string, number>();
  readonly #clients = new Set<RedisClient>();
  #client: Promise<RedisClient> | undefined;
  #isClosed = false;

  constructor(url: RedisUrl, options: RedisOptions) {
    this.shown = url.shown;
    this.#url = url;
    this.#options = options;
  }

  /** A key of the service. Keys of one tag are of one slot. */
  readonly keyOf = (kind: string, tag: string, rest = ""): string =>
    `${this.#url.prefix}:${kind}:{${tag}}${rest}`;

  /** Rejects with STORE_UNAVAILABLE. */
  readonly call = async (
    use: RedisUse,
    script: RedisScript,
    keys: readonly string[],
    args: readonly RedisValue[],
  ): Promise<unknown> => {
    try {
      const client = await (this.#client ??= this.connect());
      const commands = client as unknown as Record<string, (...all: RedisValue[]) => Promise<unknown>>;
      if (commands[script.name] === undefined)
        client.defineCommand(script.name, { numberOfKeys: script.keys, lua: script.lua });
      return await commands[script.name]?.(...keys, ...args);
    } catch (cause) {
      this.#failures.set(use, (this.#failures.get(use) ?? 0) + 1);
      throw storeUnavailable(this.shown, cause);
    }
  };

  /** A connection of its own, for what listens or blocks. It connects again by itself; `close` ends it. */
  readonly connect = async (): Promise<RedisClient> => {
    const { default: ioredis } = await loaded();
    const { host, port, username, password, db, tls } = this.#url;
    const client = new ioredis.Redis({
      ...{ host, port, db, lazyConnect: true },
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(tls && { tls }),
      ...{ maxRetriesPerRequest: 0, enableOfflineQueue: false, commandTimeout: this.#options.timeoutMs },
      retryStrategy: (times: number) => (this.#isClosed ? null : Math.min(50 * 2 ** times, 1000)),
    });
    // Without a listener the event would end the process. The calls reject.
    client.on("error", () => {});
    this.#clients.add(client);
    await client.connect();
    return client;
  };

  readonly failures = (): ReadonlyMap<string, number> => this.#failures;

  /** Rejects with STORE_UNAVAILABLE. */
  readonly open = async (): Promise<void> => {
    try {
      await (this.#client ??= this.connect());
    } catch (cause) {
      this.#client = undefined;
      throw storeUnavailable(this.shown, cause);
    }
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    for (const client of this.#clients) client.disconnect();
  };
}

async function loaded(): Promise<{ readonly default: { readonly Redis: typeof Redis } }> {
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
