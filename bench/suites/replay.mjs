// framework replay over an export of runs, as CI calls it: a process each time.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { outputOf } from "../measure/children.mjs";
import { root as here } from "../root.mjs";

const RUNS = 100;

const replay = ({ root, file, program }) =>
  outputOf(process.execPath, [
    join(root, "dist/cli/main.js"),
    "replay",
    "--sample",
    `${RUNS}`,
    file,
    program,
  ]);

/** Imports the program and prints its structure. */
const importing = ({ root, program }) =>
  outputOf(process.execPath, [join(root, "dist/cli/main.js"), "schematic", "export", program]);

export default {
  name: "replay",
  title: "Replay of 100 runs of 20 steps",
  measures:
    "the command framework replay --sample 100 on a file of 100 runs of one Axon of 20 steps: 8 are pure, 8 declare nothing, 4 are effects whose stored outcome is given back; each hands on ten lines of an order. Beside it the command that imports the same program and prints its structure. A process each time.",
  leavesOut: "large programs, TypeScript run without a build, exporting, runs of many jumps.",
  unit: "s",
  better: "lower",
  more: [],
  arms: [
    { name: "importing", ours: true, command: importing, ends: /"step19"/ },
    { name: "100 runs", ours: true, command: replay, ends: /100 runs: 100 the same, 0 differ, 0 could not/ },
  ],
  bars: [{ arm: "100 runs", over: "importing", atMost: 2, aim: 0.5 }],
  open: async ({ command, ends }, { root = here }) => {
    const program = join(root, "bench/runs/replayed.mjs");
    const { record } = await import(pathToFileURL(program).href);
    const folder = mkdtempSync(join(tmpdir(), "bench-"));
    const file = join(folder, "runs.jsonl");
    writeFileSync(file, await record(RUNS));
    const run = async () => assert.match(await command({ root, file, program }), ends);
    await run();
    return {
      async measure() {
        const began = performance.now();
        await run();
        return { figure: (performance.now() - began) / 1000 };
      },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};
