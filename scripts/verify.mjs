// The gate: `npm run verify`. Every step must pass; the first that does not ends it.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";

import { commandLine } from "./command-line.mjs";

/** What the tests say last, behind which coverage prints a long table. */
const NOTES = ".build/verify-notes.txt";

const STEPS = [
  ["format, lint and layers", "biome check --error-on-warnings ."],
  ["types", "tsc -p tsconfig.json"],
  ["types of the page", "tsc -p src/inspector/ui/tsconfig.json"],
  ["dead code", "knip --tsConfig src/tsconfig.json"],
  ["named lines", "node scripts/mutate.mjs --check"],
  ["tests and coverage", `c8 node scripts/test.mjs --retry --notes ${NOTES}`],
  ["build", "node scripts/build.mjs"],
  ["package", "node scripts/check-package.mjs"],
];

commandLine(`npm run verify

${STEPS.map(([name, command]) => `  ${name}: ${command}`).join("\n")}`);

rmSync(NOTES, { force: true });
process.on("exit", () => {
  if (existsSync(NOTES)) process.stdout.write(readFileSync(NOTES, "utf8"));
});
for (const [name, command] of STEPS) {
  const began = performance.now();
  console.log(`\n== ${name}: ${command}`);
  const { status } = spawnSync(`npx --no-install ${command}`, { shell: true, stdio: "inherit" });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (status !== 0) {
    console.error(`\n${name} failed after ${seconds} s: ${command}`);
    process.exit(1);
  }
  console.log(`== ${name}: passed in ${seconds} s`);
}
