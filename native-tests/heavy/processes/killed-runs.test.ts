// A process that is killed in the middle of a run, over and over, wherever it is: the next one
// goes on with the run. Nothing here waits for a time: it is killed at what it says it does.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { ManualClock } from "framework/runtime";
import { runStoreContract } from "framework/testing/contracts";
import { FileRuns } from "../../support/file-runs.js";
import { programArguments } from "../../support/run-program.js";

const KILLS = 4;
/** Of the two dozen things that happen in a run. */
const MANY = 14;

/** Runs it, to its end or until so much has happened. Answers what it printed; undefined where it was killed. */
async function ran(folder: string, how: string, killedAt: number): Promise<string | undefined> {
  const args = programArguments("native-tests/support/killed-run.ts", folder, how, String(killedAt));
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const [code, signal] = await once(child, "close");
  assert.ok(code === 0 || signal === "SIGKILL", `ended with ${code}`);
  return signal === null ? printed : undefined;
}

/** Kills it a few times, then lets it end. */
async function survived(how: string) {
  const folder = mkdtempSync(join(tmpdir(), "framework-killed-"));
  try {
    const killedAt = Array.from({ length: KILLS }, () => randomInt(1, MANY));
    let kills = 0;
    let printed: string | undefined;
    for (const at of killedAt) {
      printed = await ran(folder, how, at);
      if (printed !== undefined) break;
      kills += 1;
    }
    printed ??= await ran(folder, how, 0);
    const effects = readFileSync(join(folder, "effects"), "utf8").trim().split("\n");
    const unfinished = new FileRuns(join(folder, "runs")).unfinished();
    const told = `killed at ${killedAt}: ${effects.join(", ")}`;
    return { kills, outcome: JSON.parse(printed ?? ""), effects, unfinished, told };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What was done, each once, and how often something was done again. */
function inTurn(effects: readonly string[]): { readonly each: readonly string[]; readonly again: number } {
  const each = effects.filter((effect, i) => effect !== effects[i - 1]);
  return { each, again: effects.length - each.length };
}

describe("a process that is killed", () => {
  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  runStoreContract("files", () => {
    const folder = mkdtempSync(join(tmpdir(), "framework-runs-"));
    folders.push(folder);
    const clock = new ManualClock();
    return { store: new FileRuns(folder, clock), pass: (ms) => clock.advance(ms) };
  });

  const all = [1, 2, 3, 4, 5].map((at) => `do ${at}`);
  for (const [how, expected, comesTo] of [
    ["good", all, { outcome: 15 }],
    ["bad", [...all, "undo 4", "undo 2", "undo 1"], { fault: "bad" }],
  ] as const)
    test(`leaves a run that comes to what it would have, each step in its turn: ${how}`, async () => {
      const { kills, outcome, effects, unfinished, told } = await survived(how);
      const { each, again } = inTurn(effects);

      assert.deepEqual(outcome, comesTo, told);
      // Only what was at work when it was killed is done again, and that right away.
      assert.deepEqual(each, expected, told);
      assert.ok(again <= kills, told);
      assert.deepEqual(unfinished, []);
      assert.ok(kills > 0, told);
    });
});
