// Runs the tests: `npm test`, or `npm test -- PATH...` for files or folders.
// FRAMEWORK_NO_SKIPS=1 lets no skipped test pass.

import { spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const USAGE = `npm test [-- FILE_OR_FOLDER...]

Runs the files named *.test.ts below native-tests and examples, or below what is named.
--no-codegen (npm run test:no-codegen) runs them, and every program that they start, where
code must not be generated from strings.
FRAMEWORK_NO_SKIPS=1 fails where a test is skipped, as in CI.`;

const options = process.argv.slice(2);
if (options.includes("--help")) {
  console.log(USAGE);
  process.exit(0);
}
const args = options.filter((option) => option !== "--no-codegen");
// Under another name: FrameworkConfig refuses a FRAMEWORK_ variable that is no key.
const { FRAMEWORK_NO_SKIPS: NO_SKIPS, ...rest } = process.env;
const env = { ...rest, ...(NO_SKIPS !== undefined && { NO_SKIPS }) };
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
const node = ["--conditions=framework-source", "--import", "tsx", "--test", ...reporters, ...files];
const child = spawn(process.execPath, node, { stdio: "inherit", env });
child.on("exit", (code) => process.exit(code ?? 1));

function testFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
    .map((name) => join(path, name));
}
