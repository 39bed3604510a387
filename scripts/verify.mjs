// The gate: `npm run verify`. The first step that fails ends it.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";

import { commandLine } from "./command-line.mjs";

/** Failures and second tries of the tests: printed again at the end. */
const NOTES = ".build/verify-notes.txt";

const STEPS = [
  ["format, lint and layers", "biome check --error-on-warnings ."],
  ["rooms", "node scripts/rooms.mjs"],
  ["types", "tsc -p tsconfig.json"],
  ["types of the page", "tsc -p src/inspector/ui/tsconfig.json"],
  ["dead code", "knip --tsConfig src/tsconfig.json"],
  ["tests", `node scripts/test.mjs --map --retry --notes ${NOTES}`],
  ["coverage", "node scripts/coverage.mjs"],
  ["heavy tests", `node scripts/test.mjs --heavy --retry --notes ${NOTES}`],
  ["build", "node scripts/build.mjs"],
  ["public types", "node scripts/api-report.mjs --check"],
  ["package", "node scripts/check-package.mjs"],
];

const USAGE = `npm run verify [-- --from STEP]

Runs these steps and ends at the first that fails:
${STEPS.map(([name, command]) => `  ${name}: ${command}`).join("\n")}

  --from STEP    begins at this step, or at the first whose name begins so: after a mended failure`;

const steps = commandLine(USAGE, { options: { from: { type: "string", default: "" } } }, ({ values }) => {
  const from = STEPS.findIndex(([name]) => name.startsWith(values.from));
  if (from === -1) throw new Error(`--from ${values.from}: no step has this name`);
  return STEPS.slice(from);
});

rmSync(NOTES, { force: true });
const times = [];
process.on("exit", () => {
  console.log(`\n${times.join("\n")}`);
  if (existsSync(NOTES)) process.stdout.write(readFileSync(NOTES, "utf8"));
});
for (const [name, command] of steps) {
  const began = performance.now();
  console.log(`\n== ${name}: ${command}`);
  const { status } = spawnSync(`npx --no-install ${command}`, { shell: true, stdio: "inherit" });
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  times.push(`${minutes.padStart(6)} min  ${name}`);
  if (status !== 0) {
    console.error(`\n${name} failed after ${minutes} min: ${command}`);
    process.exit(1);
  }
}
