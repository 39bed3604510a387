// The gate: `npm run verify`. Every step must pass; the first that does not ends it.

import { spawnSync } from "node:child_process";

const STEPS = [
  ["format, lint and layers", "biome check --error-on-warnings ."],
  ["types", "tsc -p tsconfig.json"],
  ["dead code", "knip --tsConfig src/tsconfig.json"],
  ["named lines", "node scripts/mutate.mjs --check"],
  ["tests and coverage", "c8 node scripts/test.mjs"],
  ["build", "node scripts/build.mjs"],
  ["package", "node scripts/check-package.mjs"],
];

if (process.argv.includes("--help")) {
  console.log(`npm run verify\n\n${STEPS.map(([name, command]) => `  ${name}: ${command}`).join("\n")}`);
  process.exit(0);
}

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
