import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findProgram } from "./debian-program.js";
import { account, freePort } from "./postgres-server.js";

export interface Bouncer {
  /** Of the same database, through PgBouncer. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** PgBouncer in front of a server, with more lines for its section `pgbouncer`. */
export async function startPgBouncer(serverUrl: string, settings: readonly string[]): Promise<Bouncer> {
  const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `postgres = host=127.0.0.1 port=${new URL(serverUrl).port} user=postgres`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    ...settings,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  const { uid, gid } = account();
  if (uid !== undefined && gid !== undefined) {
    chownSync(folder, uid, gid);
    chownSync(file, uid, gid);
  }
  const child = spawn(findProgram("pgbouncer") as string, [file], {
    ...{ stdio: ["ignore", "ignore", "pipe"], cwd: folder, ...account() },
  });
  const ended = once(child, "exit");
  let log = "";
  await new Promise<void>((isUp, failed) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (log.includes("process up")) isUp();
    });
    child.once("exit", () => failed(new Error(log)));
  });
  return {
    url: serverUrl.replace(/:\d+\//, `:${port}/`),
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
