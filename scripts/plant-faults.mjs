// Proves that each checker checks: plants one fault for each in a copy of the
// repository and expects red. A checker that stays green here is worth nothing.

import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const LINT = "biome check --error-on-warnings .";
const TYPES = "tsc -p tsconfig.json";
const DEAD_CODE = "knip --tsConfig src/tsconfig.json";
const PACKAGE = "node scripts/build.mjs && node scripts/check-package.mjs";

const COVERAGE = "c8 --include src/core/mode.ts node scripts/test.mjs native-tests/core/mode.test.ts";

const append = (file, text) => (copy) => appendFileSync(join(copy, file), text);
const write = (file, text) => (copy) => writeFileSync(join(copy, file), text);
const replace = (file, from, to) => (copy) => {
  const text = readFileSync(join(copy, file), "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)} to replace`);
  writeFileSync(join(copy, file), text.replace(from, to));
};

/** What is planted, the checker that must see it, and what it must say. */
const FAULTS = [
  {
    name: "an import against the layers",
    plant: append("src/core/mode.ts", '\nexport { Program } from "#runtime/program.js";\n'),
    check: LINT,
    says: /noRestrictedImports/,
  },
  {
    name: "an import of another layer by its path",
    plant: append("src/runtime/used-keys.ts", '\nexport { mode } from "../core/mode.js";\n'),
    check: LINT,
    says: /noRestrictedImports/,
  },
  {
    name: "a static import of the native server",
    plant: append("src/http/native/gate.ts", '\nexport * from "uWebSockets.js";\n'),
    check: LINT,
    says: /noRestrictedImports/,
  },
  {
    name: "an import cycle",
    plant: append("src/core/interned.ts", '\nexport { Control } from "./outcome.js";\n'),
    check: LINT,
    says: /noImportCycles/,
  },
  {
    name: "a floating promise",
    plant: append("src/http/address.ts", "\nexport function planted(): void {\n  Promise.resolve(1);\n}\n"),
    check: LINT,
    says: /noFloatingPromises/,
  },
  {
    name: "code that is not formatted",
    plant: append("src/core/mode.ts", "\nexport const planted   =  1\n"),
    check: LINT,
    says: /Formatter would have printed/,
  },
  {
    name: "a type error in an example",
    plant: replace("examples/orders/loyal-discount.ts", "Math.round(", "String("),
    check: TYPES,
    says: /TS2345|TS2322|not assignable/,
  },
  {
    name: "an expected type error that is none",
    plant: append(
      "native-tests/types/axon.types.ts",
      "\n// @ts-expect-error nothing is wrong here\nexport const planted = 1;\n",
    ),
    check: TYPES,
    says: /Unused '@ts-expect-error'/,
  },
  {
    name: "a file that nothing uses",
    plant: write("src/core/planted.ts", "export const planted = 1;\n"),
    check: DEAD_CODE,
    says: /Unused files/,
  },
  {
    name: "an export that nothing uses",
    plant: append("src/runtime/node-id.ts", "\nexport const planted = 1;\n"),
    check: DEAD_CODE,
    says: /Unused exports/,
  },
  {
    name: "a dependency that nothing uses",
    plant: replace("package.json", '"dependencies": {', '"dependencies": {\n    "planted": "1.0.0",'),
    check: DEAD_CODE,
    says: /Unused dependencies/,
  },
  {
    name: "a broken exports entry",
    plant: replace("package.json", '"./dist/http/index.js"', '"./dist/http/planted.js"'),
    check: PACKAGE,
    says: /does not exist|planted/,
  },
  {
    name: "code that no test runs",
    plant: append(
      "src/core/mode.ts",
      `\nexport function planted(n: number): number {\n${"  if (n > 1) return planted(n - 1);\n".repeat(400)}  return n;\n}\n`,
    ),
    check: COVERAGE,
    says: /does not meet global threshold/,
  },
];

if (process.argv.includes("--help")) {
  console.log(
    `npm run plant-faults\n\nPlants in a copy, and expects red:\n${FAULTS.map(({ name }) => `  ${name}`).join("\n")}`,
  );
  process.exit(0);
}

const copy = mkdtempSync(join(tmpdir(), "framework-faults-"));
let unseen = 0;
try {
  copyRepository(copy);
  // A checker that is red already would be red for any fault.
  for (const check of new Set(FAULTS.map((fault) => fault.check))) {
    const { status, output } = run(check, copy);
    if (status !== 0)
      throw new Error(`Without a fault this is red already: ${check}\n${output.slice(-2000)}`);
  }
  for (const { name, plant, check, says } of FAULTS) {
    plant(copy);
    const { status, output } = run(check, copy);
    const seen = status !== 0 && says.test(output);
    console.log(`${seen ? "seen  " : "UNSEEN"}  ${name}  (${check})`);
    if (!seen) {
      unseen += 1;
      console.log(output.slice(-2000));
    }
    execFileSync("git", ["checkout", "-q", "--", "."], { cwd: copy });
    execFileSync("git", ["clean", "-qfd"], { cwd: copy });
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exit(unseen === 0 ? 0 : 1);

function copyRepository(to) {
  const files = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").filter(Boolean);
  for (const file of files) {
    mkdirSync(join(to, dirname(file)), { recursive: true });
    cpSync(file, join(to, file));
  }
  symlinkSync(resolve("node_modules"), join(to, "node_modules"));
  mkdirSync(join(to, ".build"));
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
  ])
    execFileSync("git", args, { cwd: to });
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "copy"], {
    cwd: to,
  });
}

function run(command, cwd) {
  const path = `${resolve("node_modules/.bin")}:${process.env.PATH}`;
  const { status, stdout, stderr } = spawnSync(command, {
    cwd,
    shell: true,
    encoding: "utf8",
    env: { ...process.env, PATH: path },
  });
  return { status, output: stdout + stderr };
}
