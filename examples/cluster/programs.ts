// Redis, PostgreSQL, HAProxy and Prometheus on machines of the example.

import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import type { Machine } from "./network.js";

const VERSIONS = "/usr/lib/postgresql";

/** A program that serves, and the machine it is on. */
export interface Service {
  readonly machine: Machine;
  /** host:port, or a URL. */
  readonly address: string;
  readonly process: ChildProcess;
}

const fileBeside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Daemons are in folders that not every PATH has. */
export function findProgram(name: string, ...folders: readonly string[]): string | undefined {
  const all = [...folders, ...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return all.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function required(name: string, ...folders: readonly string[]): string {
  const found = findProgram(name, ...folders);
  if (found === undefined) throw new Error(`${name} is not installed`);
  return found;
}

/** Resolves when the program takes connections; rejects with what it wrote if it ends first. */
export async function listens(child: ChildProcess, host: string, port: number): Promise<void> {
  let written = "";
  const note = (data: Buffer): void => {
    written = (written + data).slice(-4000);
  };
  child.stdout?.on("data", note);
  child.stderr?.on("data", note);
  while (!(await isOpen(host, port))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${child.spawnfile} ended before it listened on ${host}:${port}: ${written}`);
    await pause(50);
  }
}

const isOpen = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 });
    const end = (is: boolean) => () => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });

export async function startRedis(machine: Machine, folder: string): Promise<Service> {
  const { address } = machine;
  const open = ["--bind", address, "--port", "6379", "--protected-mode", "no"];
  const args = [...open, "--dir", folder, "--save", "", "--maxmemory-policy", "noeviction"];
  const child = machine.start(required("redis-server"), args);
  await listens(child, address, 6379);
  // The network is this machine's own: elsewhere rediss://, with a user and a password.
  return { machine, process: child, address: `redis://${address}:6379?tls=off` };
}

export async function startPostgres(machine: Machine, folder: string): Promise<Service> {
  const { address } = machine;
  // Debian has a folder for each version, elsewhere PATH has it.
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).map(Number) : [];
  const bin = join(VERSIONS, `${Math.max(...versions)}`, "bin");
  const data = join(folder, "data");
  // PostgreSQL does not run as root: then it runs as Debian's user for it.
  const user = "postgres";
  if (process.getuid?.() === 0) execFileSync("chown", ["postgres", folder]);
  const flags = ["-D", data, "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"];
  const made = machine.start(required("initdb", bin), flags, { user, cwd: folder });
  made.stdout?.resume();
  const [said] = await Promise.all([made.stderr === null ? "" : text(made.stderr), once(made, "close")]);
  if (made.exitCode !== 0) throw new Error(`initdb failed: ${said}`);
  writeFileSync(join(data, "pg_hba.conf"), "host all all samenet trust\n");
  const settings = [`listen_addresses=${address}`, "port=5432", "unix_socket_directories="];
  const args = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const child = machine.start(required("postgres", bin), args, { user, cwd: folder });
  await listens(child, address, 5432);
  const url = `postgres://postgres@${address}:5432/postgres?sslmode=disable`;
  return { machine, process: child, address: url };
}

export async function startBalancer(
  machine: Machine,
  listen: string,
  hosts: readonly string[],
): Promise<Service> {
  const [a, b, c] = hosts;
  const env = { LISTEN: listen, SERVER_A: a, SERVER_B: b, SERVER_C: c };
  const child = machine.start(required("haproxy"), ["-db", "-q", "-f", fileBeside("haproxy.cfg")], { env });
  const [host = "", port] = listen.split(":");
  await listens(child, host, Number(port));
  return { machine, process: child, address: listen };
}

export interface Scraped {
  readonly listen: string;
  /** Addresses of the Inspectors. */
  readonly targets: readonly string[];
  readonly viewerToken: string;
  readonly rules: string;
}

/** Prometheus reads what prometheus.yml names from the folder of that file: `folder` gets all of it. */
export async function startPrometheus(machine: Machine, folder: string, scraped: Scraped): Promise<Service> {
  const { listen, targets, viewerToken, rules } = scraped;
  copyFileSync(fileBeside("prometheus.yml"), join(folder, "prometheus.yml"));
  copyFileSync(rules, join(folder, "alert-rules.yml"));
  writeFileSync(join(folder, "targets.json"), JSON.stringify([{ targets }]));
  writeFileSync(join(folder, "viewer-token"), viewerToken);
  chmodSync(join(folder, "viewer-token"), 0o600);
  const files = [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "tsdb")}`,
  ];
  const child = machine.start(required("prometheus"), [...files, `--web.listen-address=${listen}`]);
  const [host = "", port] = listen.split(":");
  await listens(child, host, Number(port));
  const address = `http://${listen}`;
  while (!(await fetch(`${address}/-/ready`)).ok) await pause(50);
  return { machine, process: child, address };
}
