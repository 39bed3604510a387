// A connection for one use, apart from that of the other stores: what waits here delays no decision there.

import type { RedisClient, RedisConnection, RedisScript, RedisUse, RedisValue } from "./redis-connection.js";

/** Pause before another attempt to connect. */
export const AGAIN_MS = 500;

export class RedisLine {
  readonly #connection: RedisConnection;
  readonly #use: RedisUse;
  readonly #blocksMs: number;
  #client: Promise<RedisClient> | undefined;
  #isEnded = false;

  /** `blocksMs`: the longest that one of its commands waits in the server. */
  constructor(connection: RedisConnection, use: RedisUse, blocksMs = 0) {
    this.#connection = connection;
    this.#use = use;
    this.#blocksMs = blocksMs;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Calls arrive in order. Rejects with STORE_UNAVAILABLE, at once where there is no connection. */
  readonly call = async (
    script: RedisScript,
    keys: readonly string[],
    args: readonly RedisValue[],
  ): Promise<unknown> => {
    try {
      const client = await this.#connected();
      const commands = client as unknown as Record<string, (...all: RedisValue[]) => Promise<unknown>>;
      if (commands[script.name] === undefined)
        client.defineCommand(script.name, { numberOfKeys: script.keys, lua: script.lua });
      return await commands[script.name]?.(...keys, ...args);
    } catch (cause) {
      this.failed();
      throw this.#connection.unavailable(cause);
    }
  };

  /** Counts a failure of its use. */
  readonly failed = (): void => this.#connection.failed(this.#use);

  /** Connects, and tries until it has; undefined where `end` was called before. */
  readonly patiently = async (): Promise<RedisClient | undefined> => {
    while (!this.#isEnded) {
      try {
        return await this.#connected();
      } catch {
        this.failed();
        await pauseOf(AGAIN_MS);
      }
    }
    return undefined;
  };

  readonly end = (): void => {
    this.#isEnded = true;
    this.#client?.then((client) => client.disconnect()).catch(() => {});
  };

  #connected(): Promise<RedisClient> {
    this.#client ??= this.#connection.connect(this.#blocksMs).catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }
}

/** Keeps no process alive. */
export const pauseOf = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms).unref());
