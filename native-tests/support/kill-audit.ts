// Kills processes that append to one audit log, at random times, and judges what is left: whether the
// log verifies, and whether each acknowledged event is in it.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { fileAnchor, generateSigningKey, publicKeys, verifyAudit } from "framework/audit";
import { openAudit } from "framework/store";
import { startPostgres } from "./postgres-server.js";
import { bareEnvironment, programArguments } from "./run-program.js";

export interface KillAuditOptions {
  readonly store: "sqlite" | "postgres" | "file";
  readonly kills: number;
  readonly seed: number;
  readonly onKill?: (kills: number) => void;
}

export interface KillAuditReport {
  readonly kills: number;
  readonly acknowledged: number;
  readonly events: number;
  /** Acknowledged events that are not in the log. */
  readonly lost: readonly string[];
  readonly failures: readonly string[];
}

/** Processes at once; one for files. */
const PROCESSES = 2;
const NEVER_DONE = "1000000000";

export async function killAudit({ store, kills, seed, onKill }: KillAuditOptions): Promise<KillAuditReport> {
  const folder = mkdtempSync(join(tmpdir(), "kill-audit-"));
  const server = store === "postgres" ? await startPostgres() : undefined;
  try {
    const url = server?.url ?? (store === "file" ? `file:${folder}/log` : `sqlite:${folder}/audit.db`);
    const [key, anchor] = [join(folder, "audit.pem"), join(folder, "anchor.jsonl")];
    const { privateKey, publicKey } = generateSigningKey();
    writeFileSync(key, privateKey, { mode: 0o600 });
    const acknowledged: string[] = [];
    const random = randomOf(seed);
    let killed = 0;
    const lane = async (): Promise<void> => {
      while (killed < kills) {
        killed += 1;
        acknowledged.push(...(await killedWriter([url, `p${killed}`, NEVER_DONE, "8", key, anchor], random)));
        onKill?.(killed);
      }
    };
    await Promise.all(Array.from({ length: store === "file" ? 1 : PROCESSES }, lane));
    // Opening it as a writer does: files are cut behind their last whole line. What is signed last is anchored.
    await ended([url, "end", "1", "1", key, anchor]);
    const log = openAudit(url);
    const { failures, events } = await verifyAudit(log, {
      keys: publicKeys(publicKey),
      anchor: fileAnchor(anchor),
    });
    const found = new Set<string>();
    for await (const row of log.rows()) if ("event" in row) found.add(row.event.id);
    await log.close();
    return {
      ...{ kills: killed, acknowledged: acknowledged.length, events },
      lost: acknowledged.filter((id) => !found.has(id)),
      failures: failures.map(({ message }) => message),
    };
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const writerOf = (args: readonly string[]) =>
  spawn(process.execPath, programArguments("native-tests/support/audit-writer.ts", ...args), {
    stdio: ["ignore", "pipe", "inherit"],
    env: bareEnvironment(),
  });

/** The ids that a writer acknowledged before it was killed, some time after the first one. */
async function killedWriter(args: readonly string[], random: () => number): Promise<readonly string[]> {
  const child = writerOf(args);
  let text = "";
  let isDue = false;
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    if (isDue) return;
    isDue = true;
    setTimeout(() => child.kill("SIGKILL"), random() * 40);
  });
  await new Promise((done) => child.once("close", done));
  return text.split("\n").slice(0, -1);
}

async function ended(args: readonly string[]): Promise<void> {
  const child = writerOf(args);
  child.stdout.resume();
  const code = await new Promise((done) => child.once("close", done));
  if (code !== 0) throw new Error(`The last writer ended with ${code}`);
}

/** Numbers below 1 of a linear congruential generator. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
