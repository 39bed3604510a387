// The connection of a process to Redis or Valkey, over which all of its stores call scripts.
//
// A call is one script on one slot. It takes no longer than `timeoutMs`; without a connection, or with too
// many calls in flight, it rejects at once. Nothing is sent again and nothing waits for a connection: a
// guard decides. The client connects anew by itself for as long as it takes, and the server that answers
// then is inspected before it is used: it may be another one.

import { createHash } from "node:crypto";

import { FrameworkError } from "#core/errors.js";
import { storeUnavailable } from "../sql/store-errors.js";
import { CONNECT_MS, endOf, newClient, type RedisClient, within } from "./redis-client.js";
import { inspected, type RedisUse } from "./redis-inspection.js";
import type { RedisUrl } from "./redis-url.js";

export type { RedisClient } from "./redis-client.js";
export type { RedisUse } from "./redis-inspection.js";

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

/** 132 bits. What identifies a client, an address or a user's name, is in no key of Redis. */
export const hashed = (text: string): string =>
  createHash("sha256").update(JSON.stringify(text)).digest("base64url").slice(0, 22);

export interface RedisOptions {
  /** Time limit of a call in milliseconds. */
  readonly timeoutMs: number;
  /** What is kept there, which an eviction policy may forbid. Default: everything. */
  readonly keeps?: readonly RedisUse[];
}

/** Maximum number of calls in flight. */
const MAX_IN_FLIGHT = 10_000;
/** After which a server that is not fit is inspected again. */
const AGAIN_MS = 1000;
const ALL: readonly RedisUse[] = ["rates", "sessions", "keys", "locks", "rooms", "channels"];

/** A write, which a replica and a full server refuse. */
const PROBE: RedisScript = {
  ...{ name: "frameworkProbe", keys: 1 },
  lua: "redis.call('SET', KEYS[1], ARGV[1], 'PX', 60000) return 1",
};

export class RedisConnection {
  /** The URL without its password. */
  readonly shown: string;
  readonly #url: RedisUrl;
  readonly #options: RedisOptions;
  readonly #failures = new Map<string, number>();
  readonly #inFlight = new Set<Promise<unknown>>();
  /** Those of `connect`. */
  readonly #others = new Set<RedisClient>();
  #client: RedisClient | undefined;
  /** The first attempt, which never rejects. */
  #begun: Promise<void> | undefined;
  /** Why calls reject. Undefined: they do not. */
  #trouble: unknown = new Error("it is not connected yet");
  #lastError: Error | undefined;
  /** Of connections: what was found out about an earlier one says nothing. */
  #epoch = 0;
  #again: NodeJS.Timeout | undefined;
  #warnings: readonly string[] = [];
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
      return await this.#run(script, keys, args);
    } catch (cause) {
      this.failed(use);
      throw this.unavailable(cause);
    }
  };

  /**
   * A connection of its own, for what listens or blocks. Once it is made it connects again by itself;
   * `close` ends it. `blocksMs`: the longest that one of its commands waits in the server.
   */
  readonly connect = async (blocksMs = 0): Promise<RedisClient> => {
    try {
      if (this.#isClosed) throw closed();
      const timeoutMs = this.#options.timeoutMs + blocksMs;
      const client = await newClient(this.#url, { timeoutMs, isClosed: () => this.#isClosed });
      this.#others.add(client);
      client.on("end", () => this.#others.delete(client));
      await within(CONNECT_MS * 2, client.connect()).catch((error) => {
        client.disconnect();
        throw error;
      });
      return client;
    } catch (cause) {
      throw this.unavailable(cause);
    }
  };

  /** Counts a failure on a connection of `connect`. */
  readonly failed = (use: RedisUse): void => {
    this.#failures.set(use, (this.#failures.get(use) ?? 0) + 1);
  };

  readonly failures = (): ReadonlyMap<string, number> => this.#failures;

  /** Of the server that answers now. */
  readonly warnings = (): readonly string[] => this.#warnings.map((warning) => `${this.shown}: ${warning}`);

  /** Rejects with STORE_UNAVAILABLE: it is away, or not fit for what is kept there. */
  readonly open = async (): Promise<void> => {
    await this.#beginning();
    if (this.#trouble !== undefined) throw this.unavailable(this.#trouble);
  };

  /** Rejects unless a write would be kept now. */
  readonly check = async (): Promise<void> => {
    try {
      await this.#run(PROBE, [this.keyOf("probe", "probe")], [1]);
      const nodes = this.#client !== undefined && "nodes" in this.#client ? this.#client.nodes("master") : [];
      await Promise.all(nodes.map((node) => node.ping()));
    } catch (cause) {
      throw this.unavailable(cause);
    }
  };

  /**
   * Whether each master has at least so many replicas with all that was written over this connection. It
   * takes up to half of a call's time, for which later calls of the connection wait.
   */
  readonly replicated = async (replicas: number): Promise<boolean> => {
    try {
      const client = await this.#ready();
      const masters = "nodes" in client ? client.nodes("master") : [client];
      const waitMs = Math.ceil(this.#options.timeoutMs / 2);
      const counts = await Promise.all(masters.map((master) => master.wait(replicas, waitMs)));
      return counts.every((count) => count >= replicas);
    } catch (cause) {
      throw this.unavailable(cause);
    }
  };

  /** Waits for calls in flight, which their time limit ends. */
  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    await Promise.allSettled(this.#inFlight);
    this.#epoch += 1;
    clearTimeout(this.#again);
    const clients = this.#client === undefined ? this.#others : [...this.#others, this.#client];
    await Promise.all([...clients].map(endOf));
  };

  /** Rejects while there is no connection to a server that is fit. */
  async #ready(): Promise<RedisClient> {
    if (this.#isClosed) throw closed();
    if (this.#trouble !== undefined) await this.#beginning();
    if (this.#trouble !== undefined) throw this.#trouble;
    return this.#client as RedisClient;
  }

  /** In flight from the first moment: `close` waits for it. */
  async #run(script: RedisScript, keys: readonly string[], args: readonly RedisValue[]): Promise<unknown> {
    if (this.#inFlight.size >= MAX_IN_FLIGHT)
      throw new Error(`${MAX_IN_FLIGHT} calls are in flight: it answers too slowly`);
    const call = this.#sent(script, keys, args);
    this.#inFlight.add(call);
    try {
      return await call;
    } finally {
      this.#inFlight.delete(call);
    }
  }

  async #sent(
    { name, keys: numberOfKeys, lua }: RedisScript,
    keys: readonly string[],
    args: readonly RedisValue[],
  ) {
    const client = await this.#ready();
    const commands = client as unknown as Record<string, (...all: RedisValue[]) => Promise<unknown>>;
    if (commands[name] === undefined) client.defineCommand(name, { numberOfKeys, lua });
    return commands[name]?.(...keys, ...args);
  }

  #beginning(): Promise<void> {
    this.#begun ??= this.#begin();
    return this.#begun;
  }

  /** Connects for the first time. What fails here is tried again by the client. */
  async #begin(): Promise<void> {
    try {
      const client = await newClient(this.#url, {
        timeoutMs: this.#options.timeoutMs,
        isClosed: () => this.#isClosed,
        turnedAway: (error) => {
          this.#lastError = error;
        },
      });
      if (this.#isClosed) return;
      this.#client = client;
      client.on("error", (error) => {
        this.#lastError = error;
        if (this.#trouble !== undefined) this.#trouble = error;
      });
      client.on("close", () => {
        this.#epoch += 1;
        this.#trouble = this.#lastError ?? new Error("the connection has ended");
      });
      const found = new Promise<void>((resolve) => {
        client.on("ready", () => void this.#inspect(client).then(resolve));
      });
      await within(CONNECT_MS * 2, Promise.all([client.connect(), found]));
    } catch (error) {
      this.#trouble = this.#lastError ?? error;
    }
  }

  async #inspect(client: RedisClient): Promise<void> {
    this.#epoch += 1;
    const epoch = this.#epoch;
    try {
      const warnings = await inspected(client, this.#options.keeps ?? ALL);
      if (epoch !== this.#epoch) return;
      this.#warnings = warnings;
      this.#lastError = undefined;
      this.#trouble = undefined;
    } catch (error) {
      if (epoch !== this.#epoch) return;
      this.#lastError = error as Error;
      this.#trouble = error;
      this.#again = setTimeout(() => client.disconnect(true), AGAIN_MS);
      this.#again.unref();
    }
  }

  /** The error of a call that failed, without the arguments of the call. */
  readonly unavailable = (cause: unknown) => storeUnavailable(this.shown, withoutArguments(cause));
}

const closed = (): Error => new Error("the stores are closed");

/** What ioredis rejects with before it has noted that a connection ended. */
const NO_CONNECTION = /^(?:Stream isn't writeable|Cluster isn't ready|Connection is closed)/;

/** The errors of ioredis carry their command: the password, or what a session holds. */
function withoutArguments(cause: unknown): unknown {
  if (cause instanceof FrameworkError) return cause;
  const { name, message, code, lastNodeError } = cause as RedisError;
  if (name === "MaxRetriesPerRequestError")
    return new Error("the connection ended before the answer: whether the call had an effect is unknown");
  if (NO_CONNECTION.test(message)) return new Error("there is no connection");
  const words = lastNodeError === undefined ? message : `${message} ${lastNodeError.message}`;
  return Object.assign(new Error(words), code === undefined ? {} : { code });
}

interface RedisError extends Error {
  readonly code?: unknown;
  /** Of a cluster none of whose nodes answered. */
  readonly lastNodeError?: Error;
}
