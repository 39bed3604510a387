// Two servers re-drive the same dead letters, and are killed within their steps: each letter is done
// under one run id, and none is left.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

const LETTERS = 24;
const KILLS = 3;
type Line = readonly [letter: number, step: string, run: string, epoch: number];

async function ran(env: NodeJS.ProcessEnv): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, programArguments("native-tests/support/redriving-server.ts"), {
    env: { ...bareEnvironment(), FRAMEWORK_PROFILE: "prod", ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  assert.ok(code === 0 || signal === "SIGKILL", `ended with ${code ?? signal}`);
  return signal;
}

async function redriven(storeIn: (folder: string) => string): Promise<readonly Line[]> {
  const folder = mkdtempSync(join(tmpdir(), "redriven-"));
  const LEDGER = join(folder, "ledger");
  const env = { STORE: storeIn(folder), LEDGER };
  try {
    writeFileSync(LEDGER, "");
    await ran({ ...env, LETTERS: String(LETTERS) });
    const slot = async (): Promise<void> => {
      for (let n = 0; n < KILLS; n += 1) await ran({ ...env, KILL_AT: String(randomInt(1, 7)) });
      await ran(env);
    };
    await Promise.all([slot(), slot()]);
    const lines = readFileSync(LEDGER, "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Line);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge(lines: readonly Line[]): void {
  for (let letter = 0; letter < LETTERS; letter += 1) {
    const own = lines.filter(([of]) => of === letter);
    const told = `letter ${letter}: ${JSON.stringify(own)}`;
    assert.equal(new Set(own.map(([, , run]) => run)).size, 1, told);
    for (const step of ["pay", "ship"]) {
      const epochs = own.filter(([, of]) => of === step).map(([, , , epoch]) => epoch);
      assert.ok(epochs.length > 0, told);
      assert.equal(new Set(epochs).size, epochs.length, `${told}: again only after a take-over`);
    }
  }
}

describe("dead letters that two servers re-drive, which are killed,", () => {
  test("are done under one run id each: SQLite", async () => {
    judge(await redriven((folder) => `sqlite:${folder}/shop.db`));
  });

  test("are done under one run id each: PostgreSQL", { skip: skipWithoutPostgres }, async () => {
    const server = await startPostgres([]);
    try {
      judge(await redriven(() => server.url));
    } finally {
      await server.stop();
    }
  });
});
