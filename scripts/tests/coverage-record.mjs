// Which programs a test file starts, written beside what they run where NODE_V8_COVERAGE is set:
// those that are killed write no coverage. coverage-write.mjs reads both.

import { subscribe } from "node:diagnostics_channel";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { PROGRAMS } from "./layout.mjs";

export function recordPrograms() {
  const folder = process.env.NODE_V8_COVERAGE;
  if (folder === undefined) return;
  const programs = [];
  subscribe("child_process", ({ process }) => programs.push(process));
  process.on("exit", () => {
    mkdirSync(folder, { recursive: true });
    const started = programs.map(({ pid, spawnargs }) => [pid, ...(spawnargs ?? [])]);
    writeFileSync(join(folder, PROGRAMS), JSON.stringify(started));
  });
}
