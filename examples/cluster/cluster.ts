// Three hosts of the shop behind HAProxy, with Redis and PostgreSQL: each on a machine of its own.

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { type Machine, type Network, network } from "./network.js";
import {
  listens,
  type Service,
  startBalancer,
  startPostgres,
  startPrometheus,
  startRedis,
} from "./programs.js";

const NAMES = ["a", "b", "c"];
const PORT = 3000;
const INSPECTOR_PORT = 3001;
/** This file is run from source, or compiled. */
const MAIN = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "main.ts" : "main.js", import.meta.url));

type Variables = Readonly<Record<string, string>>;

export interface ClusterOptions {
  /** Further variables of each host. */
  readonly env?: Variables;
  /** Starts Prometheus, with these alert rules. */
  readonly rules?: string;
  /** Arguments of Node.js that run main.ts. Default: those of this process. */
  readonly program?: readonly string[];
}

/** One process of the shop, on its machine. */
export class Host {
  readonly machine: Machine;
  readonly address: string;
  readonly inspector: string;
  readonly #env: Variables;
  readonly #program: readonly string[];
  #process: ChildProcess | undefined;
  #log = "";

  constructor(machine: Machine, program: readonly string[], env: Variables) {
    this.#program = program;
    this.machine = machine;
    this.address = `${machine.address}:${PORT}`;
    this.inspector = `${machine.address}:${INSPECTOR_PORT}`;
    const { name, address } = machine;
    const own = { HOST_NAME: name, FRAMEWORK_SERVER_HOST: address, FRAMEWORK_INSPECTOR_HOST: address };
    this.#env = { ...env, ...own };
  }

  /** Of all its processes. */
  get log(): string {
    return this.#log;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Resolves when it listens. One that runs is left as it is. */
  async start(env: Variables = {}): Promise<void> {
    if (this.#process !== undefined && !isOver(this.#process)) return;
    const child = this.machine.start(process.execPath, this.#program, { env: { ...this.#env, ...env } });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#log = (this.#log + text).slice(-200_000);
      });
    await listens(child, this.machine.address, PORT);
  }

  /** Sends a signal and resolves to its exit code, or to the signal that ended it. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | string | null> {
    return this.#process === undefined ? null : ended(this.#process, signal);
  }
}

const isOver = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | string | null> {
  if (!isOver(child))
    await new Promise((resolve) => {
      child.once("exit", resolve);
      child.kill(signal);
    });
  return child.exitCode ?? child.signalCode;
}

export interface Cluster {
  readonly network: Network;
  /** Of the balancer: host:port. */
  readonly address: string;
  readonly hosts: readonly Host[];
  readonly redis: Service;
  readonly postgres: Service;
  readonly prometheus: Service | undefined;
  /** Of the Inspectors. */
  readonly viewerToken: string;
  /** Kills all of it, the hosts first. */
  readonly stop: () => Promise<void>;
}

/** Resolves when each host listens and the balancer has its port. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { env = {}, rules, program = [...process.execArgv, MAIN] } = options;
  const made = network();
  const folder = mkdtempSync(join(tmpdir(), "cluster-"));
  // PostgreSQL is another user.
  chmodSync(folder, 0o711);
  const folderOf = (name: string): string => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const services: Service[] = [];
  const hosts: Host[] = [];
  const kept = async (starting: Promise<Service>): Promise<Service> => {
    const service = await starting;
    services.unshift(service);
    return service;
  };
  const stop = async (): Promise<void> => {
    // At once: nothing of it is needed again, and what hangs would not end otherwise.
    await Promise.all(hosts.map((host) => host.stop("SIGKILL")));
    for (const { process: child } of services) await ended(child, "SIGKILL");
    made.end();
    // Children of PostgreSQL end a moment after it.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const redis = await kept(startRedis(made.machine("redis"), folderOf("redis")));
    const postgres = await kept(startPostgres(made.machine("postgres"), folderOf("postgres")));
    const viewerToken = randomBytes(16).toString("hex");
    const shared: Variables = {
      FRAMEWORK_PROFILE: "dev",
      FRAMEWORK_PERSISTENCE_URL: postgres.address,
      FRAMEWORK_REDIS_URL: redis.address,
      FRAMEWORK_SERVER_PORT: `${PORT}`,
      // The balancer names the client. It needs 700 ms to see that a host drains.
      FRAMEWORK_SERVER_TRUSTED_PROXIES: made.gateway.address,
      FRAMEWORK_SERVER_SHUTDOWN_DELAY_SECS: "2",
      FRAMEWORK_SERVER_DRAIN_IDLE_SECS: "2",
      FRAMEWORK_INSPECTOR_PORT: `${INSPECTOR_PORT}`,
      FRAMEWORK_INSPECTOR_VIEWER_TOKEN: viewerToken,
      FRAMEWORK_INSPECTOR_BEARER_TOKEN: randomBytes(16).toString("hex"),
      ...env,
    };
    hosts.push(...NAMES.map((name) => new Host(made.machine(name), program, shared)));
    // The first one makes the tables.
    const [first, ...others] = hosts;
    await first?.start();
    await Promise.all(others.map((host) => host.start()));
    const addresses = hosts.map((host) => host.address);
    const { address } = await kept(startBalancer(made.gateway, await freeAddress(), addresses));
    const targets = hosts.map((host) => host.inspector);
    const prometheus =
      rules === undefined
        ? undefined
        : await kept(
            startPrometheus(made.gateway, folderOf("prometheus"), {
              ...{ listen: await freeAddress(), targets, viewerToken, rules },
            }),
          );
    return { network: made, address, hosts, redis, postgres, prometheus, viewerToken, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `127.0.0.1:${port}`;
}
