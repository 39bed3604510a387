import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import pg from "pg";

import type { Issued } from "./issued-certificate.js";
import { fromRoot } from "./root.js";

/** Folder of PostgreSQL's programs: Debian keeps them out of the PATH. */
function programs(): string | undefined {
  try {
    const [newest] = readdirSync("/usr/lib/postgresql").sort((a, b) => Number(b) - Number(a));
    return newest && `/usr/lib/postgresql/${newest}/bin`;
  } catch {
    return undefined;
  }
}

/** For a test's `skip`: false if a PostgreSQL server can be started, else what is missing. */
export const skipWithoutPostgres: string | false =
  programs() === undefined ? "postgresql is not installed" : false;

export interface PostgresServer {
  readonly url: string;
  /** Has its unix socket. */
  readonly folder: string;
  readonly process: ChildProcess;
  readonly makeDatabase: (name: string) => Promise<void>;
  /** Starts the server again after its process ended. */
  readonly restart: () => Promise<void>;
  /** Lets it take no writes, without ending its connections, or take them again. */
  readonly readOnly: (isOn: boolean) => Promise<void>;
  /** Makes it a standby, which it becomes by a restart. */
  readonly demote: () => Promise<void>;
  /** Ends its processes where they stand. */
  readonly crash: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** PostgreSQL and PgBouncer refuse to run as root: then they run as Debian's user for them. */
export function account(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((kind) => Number(execFileSync("id", [kind, "postgres"]).toString()));
  return { uid: uid as number, gid: gid as number };
}

/** A program that fails is an error with what it wrote to stderr. */
const run = (program: string, args: readonly string[], cwd?: string): void =>
  void execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"], cwd, ...(cwd && account()) });

/** The folder of a new server's data, for copies: initdb takes 20 times as long as a copy. */
function freshData(bin: string, folder: string): string {
  const kept = fromRoot(`.build/postgres-${basename(dirname(bin))}-${account().uid ?? process.getuid?.()}`);
  if (existsSync(kept)) return kept;
  const made = join(folder, "fresh");
  const flags = ["-D", made, "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"];
  run(join(bin, "initdb"), flags, folder);
  const copy = `${kept}.${process.pid}`;
  mkdirSync(dirname(kept), { recursive: true });
  run("cp", ["-a", made, copy]);
  try {
    renameSync(copy, kept);
  } catch {
    // Another process was first.
    rmSync(copy, { recursive: true });
  }
  return kept;
}

interface Placed {
  /** Default: a free one. */
  readonly port?: number;
  /** URL of the server that it follows, with a copy of its data. */
  readonly standbyOf?: string;
}

/** A server of its own on 127.0.0.1, in a new folder. With `fsync` off, unless the test ends the machine. */
export async function startPostgres(
  settings: readonly string[] = ["fsync=off"],
  tls?: Issued,
  { port: given, standbyOf }: Placed = {},
): Promise<PostgresServer> {
  const bin = programs() ?? "";
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  const { uid, gid } = account();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const data = join(folder, "data");
  if (standbyOf === undefined) run("cp", ["-a", freshData(bin, folder), data]);
  else {
    const flags = ["-D", data, "-R", "-d", standbyOf, "--checkpoint=fast", "--no-sync"];
    run(join(bin, "pg_basebackup"), flags, folder);
  }
  if (tls !== undefined)
    for (const [name, text] of [["server.crt", tls.cert] as const, ["server.key", tls.key] as const]) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      if (uid !== undefined && gid !== undefined) chownSync(join(data, name), uid, gid);
    }
  const port = given ?? (await freePort());
  const start = async (): Promise<ChildProcess> => {
    const options = [
      `port=${port}`,
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${folder}`,
      ...(tls === undefined ? [] : ["ssl=on"]),
      ...settings,
    ];
    const args = ["-D", data, ...options.flatMap((option) => ["-c", option])];
    const child = spawn(join(bin, "postgres"), args, {
      ...{ stdio: ["ignore", "ignore", "pipe"], cwd: folder, ...account() },
    });
    await isReady(child);
    return child;
  };
  const server = { process: await start() };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const crash = async (): Promise<void> => {
    server.process.kill("SIGQUIT");
    await ended(server.process);
  };
  return {
    url,
    folder,
    get process() {
      return server.process;
    },
    async makeDatabase(name) {
      const flags = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres"];
      run(join(bin, "createdb"), [...flags, name]);
    },
    async restart() {
      await ended(server.process);
      server.process = await start();
    },
    async readOnly(isOn) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE");
      await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${isOn}`);
      await client.query("SELECT pg_reload_conf()");
      await client.end();
    },
    async demote() {
      server.process.kill("SIGINT");
      await ended(server.process);
      writeFileSync(join(data, "standby.signal"), "");
      server.process = await start();
    },
    crash,
    async stop() {
      await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}

const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((done) => child.once("exit", done));

/** Connections are accepted before the server has recovered: its log says when it has. */
async function isReady(child: ChildProcess): Promise<void> {
  let log = "";
  await new Promise<void>((ready, failed) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (/ready to accept (read-only )?connections/.test(log)) ready();
    });
    child.once("exit", (code) => failed(new Error(`postgres ended with ${code}: ${log}`)));
  });
  child.stderr?.removeAllListeners("data").resume();
}
