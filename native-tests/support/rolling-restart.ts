// Two processes behind HAProxy with the configuration of examples/deploy, restarted one
// after the other while clients ask. For a test and for scripts/rolling-restart.mjs.

import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";

import { findProgram } from "./debian-program.js";
import { pause } from "./patience.js";
import { type ServerProcess, startIngress } from "./server-process.js";
import { type Ask, type RestartOutcome, SteadyLoad } from "./steady-load.js";

const CONFIG = "examples/deploy/haproxy.cfg";
const CLIENTS = 16;

/**
 * Below the ports that the kernel gives to clients: one of theirs could take it while its
 * server is away. Not 0 either, where the engine lets nobody have the port for a minute.
 */
async function freeAddress(): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await new Promise((resolve) => {
      server.once("listening", () => resolve(true)).once("error", () => resolve(false));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return `127.0.0.1:${port}`;
  }
}

export interface RestartOptions {
  /** At least; it goes on until both have been restarted. */
  readonly requests: number;
  /** How long each client waits between two. */
  readonly pauseMs: number;
  /** How long a stopping server waits for idle connections. Default: as in production. */
  readonly drainIdleMs?: number;
}

export async function restartUnderLoad(options: RestartOptions): Promise<RestartOutcome> {
  const { requests, pauseMs, drainIdleMs = 12_000 } = options;
  const startOne = (ADDRESS: string): Promise<ServerProcess> =>
    startIngress("rolling-ingress.ts", { address: ADDRESS, drainIdleMs });
  const servers = [await startOne(await freeAddress()), await startOne(await freeAddress())];
  const listen = await freeAddress();
  const proxy = startProxy(listen, servers);
  const load = new SteadyLoad({ address: listen, clients: CLIENTS, pauseMs, one: echoed });
  try {
    for (const server of servers) await load.isAnsweredBy(`${server.process.pid}`);
    const clients = load.run();
    for (const [i, old] of servers.entries()) {
      const code = await old.stop("SIGTERM");
      if (code !== 0) load.failures.push(`a server ended with ${code}: ${old.stderr()}`);
      servers[i] = await startOne(old.address);
      await load.isAnsweredBy(`${servers[i].process.pid}`);
    }
    while (load.sent < requests) await pause(20);
    await load.end(clients);
    return load;
  } finally {
    load.ends = true;
    proxy.kill();
    for (const server of servers) server.process.kill("SIGKILL");
  }
}

function startProxy(listen: string, servers: readonly ServerProcess[]): ChildProcess {
  const [a, b] = servers as [ServerProcess, ServerProcess];
  return spawn(findProgram("haproxy") as string, ["-db", "-q", "-f", CONFIG], {
    stdio: "ignore",
    env: { ...process.env, LISTEN: listen, SERVER_A: a.address, SERVER_B: b.address },
  });
}

async function echoed(number: number, ask: Ask): Promise<string> {
  if (number % 3 !== 0) return ask({ method: "GET", path: number % 3 === 1 ? "/" : "/later" });
  const headers = { "content-type": "text/plain" };
  const text = await ask({ method: "POST", path: "/echo", headers, body: `body ${number}` });
  const [pid = "", body] = text.split(/ (.*)/);
  if (body !== `body ${number}`) throw new Error(`answered ${body}`);
  return pid;
}
