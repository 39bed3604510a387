import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Redis } from "ioredis";

import { findProgram, skipWithout } from "./debian-program.js";
import { freePort } from "./free-port.js";
import { until } from "./patience.js";

/** For a test's `skip`. */
export const skipWithoutRedis: string | false = skipWithout("redis-server");

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** A client with the defaults of ioredis, for the test itself. */
  readonly client: Redis;
  /** Of the server that runs now. */
  readonly process: () => ChildProcess;
  /** Starts it again, with its data if it writes them: `--appendonly yes`. */
  readonly restart: () => Promise<void>;
  /** Ends it at once. */
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a server on a free port of loopback. `options` are those of its command line. */
export async function startRedis(options: readonly string[] = [], port?: number): Promise<RedisServer> {
  const at = port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  let running: ChildProcess | undefined;
  const client = new Redis({ port: at, lazyConnect: true, retryStrategy: () => 50, disconnectTimeout: 1 });
  client.on("error", () => {});
  const start = async (): Promise<void> => {
    const flags = ["--port", `${at}`, "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...options];
    running = spawn(findProgram("redis-server") as string, flags, { stdio: "ignore" });
    await until("the Redis server answers", async () => (await client.ping().catch(() => "")) === "PONG");
  };
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => running?.once("exit", resolve));
    if (running?.exitCode !== null || running.signalCode !== null) return;
    running.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    ...{ url: `redis://127.0.0.1:${at}`, port: at, client, kill },
    process: () => running as ChildProcess,
    restart: async () => {
      await kill();
      await start();
    },
    stop: async () => {
      client.disconnect();
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
