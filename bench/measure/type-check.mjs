// Suites that time the type checker on a program made for it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root as here } from "../root.mjs";
import { atExit } from "./at-exit.mjs";
import { outputOf } from "./children.mjs";

/** A suite of programs: an arm's `program` is TypeScript text that imports the package by its path from the folder it is written to. */
export const typeCheckSuite = (suite) => ({
  unit: "s",
  better: "lower",
  more: [],
  ...suite,
  open: async (arm, { root = here }) => {
    const folder = writeProgram(root, arm.program);
    await check(root, folder);
    return {
      async measure() {
        const began = performance.now();
        await check(root, folder);
        return { figure: (performance.now() - began) / 1000 };
      },
      close: async () => {},
    };
  },
});

/** A folder below bench, from which types and the built package resolve. */
function writeProgram(root, text) {
  const parent = join(root, "bench/.build");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "types-"));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "program.ts"), text);
  // Without the condition that leads to the sources: as whoever installed the package.
  const compilerOptions = { customConditions: [] };
  const config = { extends: "../../../tsconfig.json", compilerOptions, include: ["program.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  return folder;
}

const check = (root, folder) =>
  outputOf(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
