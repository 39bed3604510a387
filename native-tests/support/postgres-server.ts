import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Issued } from "./issued-certificate.js";

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
  readonly stop: () => Promise<void>;
}

/** PostgreSQL and PgBouncer refuse to run as root: then they run as Debian's user for them. */
export function account(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((kind) => Number(execFileSync("id", [kind, "postgres"]).toString()));
  return { uid: uid as number, gid: gid as number };
}

/** A server of its own on 127.0.0.1, in a new folder. With `fsync` off, unless the test ends the machine. */
export async function startPostgres(
  settings: readonly string[] = ["fsync=off"],
  tls?: Issued,
): Promise<PostgresServer> {
  const bin = programs() ?? "";
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  const { uid, gid } = account();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const data = join(folder, "data");
  const flags = ["-D", data, "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"];
  execFileSync(join(bin, "initdb"), flags, { stdio: "ignore", cwd: folder, ...account() });
  if (tls !== undefined)
    for (const [name, text] of [["server.crt", tls.cert] as const, ["server.key", tls.key] as const]) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      if (uid !== undefined && gid !== undefined) chownSync(join(data, name), uid, gid);
    }
  const port = await freePort();
  const start = async (): Promise<ChildProcess> => {
    const options = [
      `port=${port}`,
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${folder}`,
      ...(tls === undefined ? [] : ["ssl=on"]),
      ...settings,
    ];
    const args = ["-D", data, ...options.flatMap((option) => ["-c", option])];
    const child = spawn(join(bin, "postgres"), args, { stdio: "ignore", cwd: folder, ...account() });
    await accepts(port, child);
    return child;
  };
  const server = { process: await start() };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    folder,
    get process() {
      return server.process;
    },
    async makeDatabase(name) {
      const flags = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres"];
      execFileSync(join(bin, "createdb"), [...flags, name], { stdio: "ignore" });
    },
    async restart() {
      await ended(server.process);
      server.process = await start();
    },
    async stop() {
      server.process.kill("SIGQUIT");
      await ended(server.process);
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

/** A connection is accepted before the server has recovered. */
async function accepts(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode}`);
    const { status } = spawnSync(join(programs() ?? "", "pg_isready"), [
      "-q",
      "-h",
      "127.0.0.1",
      "-p",
      String(port),
    ]);
    if (status === 0) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error("postgres does not accept connections");
}
