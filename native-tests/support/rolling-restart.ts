// Two processes behind HAProxy with the configuration of examples/deploy, restarted one
// after the other while clients ask. For a test and for scripts/rolling-restart.mjs.

import { type ChildProcess, spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { createServer } from "node:net";

import { findProgram } from "./debian-program.js";
import { type ServerProcess, startIngress } from "./server-process.js";

const CONFIG = "examples/deploy/haproxy.cfg";
const CLIENTS = 16;

export interface RestartOutcome {
  readonly sent: number;
  /** What went wrong, at most one a request. */
  readonly failures: readonly string[];
  /** The processes that answered: two before, two after. */
  readonly answered: ReadonlySet<string>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

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
  const load = new Load(listen, pauseMs);
  try {
    await load.isAnsweredBy(servers[0] as ServerProcess);
    await load.isAnsweredBy(servers[1] as ServerProcess);
    const clients = load.run();
    for (const [i, old] of servers.entries()) {
      const code = await old.stop("SIGTERM");
      if (code !== 0) load.failures.push(`a server ended with ${code}: ${old.stderr()}`);
      servers[i] = await startOne(old.address);
      await load.isAnsweredBy(servers[i]);
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

class Load implements RestartOutcome {
  sent = 0;
  ends = false;
  readonly failures: string[] = [];
  readonly answered = new Set<string>();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  readonly #address: string;
  readonly #pauseMs: number;

  constructor(address: string, pauseMs: number) {
    this.#address = address;
    this.#pauseMs = pauseMs;
  }

  run(): readonly Promise<void>[] {
    return Array.from({ length: CLIENTS }, () => this.#client());
  }

  async end(clients: readonly Promise<void>[]): Promise<void> {
    this.ends = true;
    await Promise.all(clients);
    this.#agent.destroy();
  }

  /** Resolves once the proxy gives requests to it. */
  async isAnsweredBy({ process: { pid } }: ServerProcess): Promise<void> {
    for (let i = 0; i < 400 && !this.answered.has(String(pid)); i += 1) {
      await pause(25);
      // While the clients run they see who answers.
      if (this.sent === 0) this.answered.add(await this.#ask("GET", "/").catch(() => ""));
    }
    if (!this.answered.has(String(pid))) throw new Error(`The proxy gave nothing to process ${pid}`);
  }

  async #client(): Promise<void> {
    while (!this.ends) {
      const number = this.sent;
      this.sent += 1;
      try {
        await this.#one(number);
      } catch (error) {
        this.failures.push(`request ${number}: ${(error as Error).message}`);
      }
      await pause(this.#pauseMs);
    }
  }

  async #one(number: number): Promise<void> {
    if (number % 3 === 0) {
      const [pid = "", body] = (await this.#ask("POST", "/echo", `body ${number}`)).split(/ (.*)/);
      if (body !== `body ${number}`) throw new Error(`answered ${body}`);
      this.answered.add(pid);
    } else {
      this.answered.add(await this.#ask("GET", number % 3 === 1 ? "/" : "/later"));
    }
  }

  #ask(method: string, path: string, body?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const [host, port] = this.#address.split(":");
      const headers = body === undefined ? {} : { "content-type": "text/plain" };
      request({ agent: this.#agent, host, port, method, path, headers }, (response) => {
        let text = "";
        response
          .on("data", (data) => {
            text += data;
          })
          .on("end", () => {
            if (response.statusCode === 200) resolve(text);
            else reject(new Error(`${method} ${path} was answered ${response.statusCode}: ${text}`));
          })
          .on("error", reject);
      })
        .on("error", (error: NodeJS.ErrnoException) => reject(new Error(`${method} ${path}: ${error.code}`)))
        .end(body);
    });
  }
}
