// Runs the tests: `npm test`, or `npm test -- PATH...` for files or folders.
// NO_SKIPS=1 lets no skipped test pass.

import { spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

const USAGE = `npm test [-- FILE_OR_FOLDER...]

Runs the files named *.test.ts below native-tests and examples, or below what is named.
--no-codegen (npm run test:no-codegen) runs them, and every program that they start, where
code must not be generated from strings.
NO_SKIPS=1 fails where a test is skipped, as in CI.`;

// Most tests wait, for a server or for a time to pass: more of them than there are cores.
const CONCURRENCY = availableParallelism() + 1;

const options = process.argv.slice(2);
if (options.includes("--help")) {
  console.log(USAGE);
  process.exit(0);
}
const args = options.filter((option) => option !== "--no-codegen");
const env = { ...process.env };
// By the environment, so that servers and compilers that a test starts inherit it.
if (args.length < options.length)
  env.NODE_OPTIONS = `${env.NODE_OPTIONS ?? ""} --disallow-code-generation-from-strings`;

const files = (args.length > 0 ? args : ["native-tests", "examples"]).flatMap(testFiles).sort();
if (files.length === 0) {
  console.error(`No test files below ${args.join(", ")}\n\n${USAGE}`);
  process.exit(2);
}

const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"].concat([
  "--test-reporter=./scripts/skip-reporter.mjs",
  "--test-reporter-destination=stdout",
]);
const node = [
  "--conditions=framework-source",
  "--import",
  "tsx",
  "--test",
  `--test-concurrency=${CONCURRENCY}`,
  ...reporters,
  ...files,
];
const child = spawn(process.execPath, node, { stdio: "inherit", env });
child.on("exit", (code) => process.exit(code ?? 1));

function testFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
    .map((name) => join(path, name));
}
