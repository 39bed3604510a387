// What each test file of this process runs, itself and in the programs that it starts, written
// where NODE_V8_COVERAGE says, into a folder for each file. coverage-write.mjs reads them.

import { subscribe } from "node:diagnostics_channel";
import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeCoverage } from "node:v8";

import { PROGRAMS } from "./layout.mjs";

const folder = process.env.NODE_V8_COVERAGE;
let programs = [];

// Programs that are killed write no coverage: these tell which have been started.
if (folder !== undefined) subscribe("child_process", ({ process }) => programs.push(process));

/** What runs from here on is of this file. Programs inherit the variable whatever environment they are given. */
export function beginCoverage(file) {
  if (folder === undefined) return;
  process.env.NODE_V8_COVERAGE = join(folder, encodeURIComponent(file));
  mkdirSync(process.env.NODE_V8_COVERAGE, { recursive: true });
}

/** Writes what this process ran since the file before. */
export function endCoverage() {
  if (folder === undefined) return;
  takeCoverage();
  const own = process.env.NODE_V8_COVERAGE;
  for (const name of readdirSync(folder).filter((name) => name.startsWith(`coverage-${process.pid}-`)))
    renameSync(join(folder, name), join(own, name));
  const started = programs.map(({ pid, spawnargs }) => [pid, ...(spawnargs ?? [])]);
  writeFileSync(join(own, PROGRAMS), JSON.stringify(started));
  programs = [];
}
