// Runs the tests: `npm test`, or `npm test -- PATH...` for files or folders.
// NO_SKIPS=1 lets no skipped test pass.

import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { commandLine } from "./command-line.mjs";
import { failuresIn, lackingOf, passedLater, skippedIn } from "./test-notes.mjs";

const USAGE = `npm test [-- OPTION... FILE_OR_FOLDER...]

Runs the files named *.test.ts below native-tests and examples, or below what is named.

  --no-codegen   (npm run test:no-codegen) where code must not be generated from strings:
                 them, and every program that they start
  --retry        runs a file that failed once more, alone, after the others, as CI does: what
                 passes then is named, and passes. More than 3 such files are too many
  --notes FILE   writes what failed, or passed at the second try, behind what is in FILE

NO_SKIPS=1 fails where a test is skipped, as in CI.`;

// Most tests wait, for a server or for a time to pass: more of them than there are cores.
const CONCURRENCY = availableParallelism() + 1;
/** More files than this that fail are no accident. */
const MAX_RETRIED = 3;

const OPTIONS = {
  "no-codegen": { type: "boolean" },
  retry: { type: "boolean", default: false },
  notes: { type: "string" },
};

const { options, files } = commandLine(USAGE, { options: OPTIONS, words: true }, ({ values, words }) => {
  const files = (words.length > 0 ? words : ["native-tests", "examples"]).flatMap(testFiles).sort();
  if (files.length === 0) throw new Error(`No test files below ${words.join(", ")}`);
  return { options: values, files };
});
const env = { ...process.env };
// By the environment, so that servers and compilers that a test starts inherit it.
if (options["no-codegen"])
  env.NODE_OPTIONS = `${env.NODE_OPTIONS ?? ""} --disallow-code-generation-from-strings`;

const records = mkdtempSync(join(tmpdir(), "framework-test-records-"));
process.on("exit", () => rmSync(records, { recursive: true, force: true }));
process.exit(await verdict());

/** Runs the files, and again those that failed. Answers the exit code. */
async function verdict() {
  const first = await run(files, CONCURRENCY);
  if (first.skipped.length > 0) console.log(skippedIn(first));
  const isSkipped = process.env.NO_SKIPS === "1" && lackingOf(first.skipped).length > 0;
  if (isSkipped) note("NO_SKIPS is set: a skipped test fails.");
  const code = await lastTry(first);
  return isSkipped ? 1 : code;
}

async function lastTry(first) {
  if (first.code === 0) return 0;
  if (!options.retry || first.files.length === 0) return failure(first);
  if (first.files.length > MAX_RETRIED) {
    note(`${first.files.length} files failed: more than the ${MAX_RETRIED} that get a second try.`);
    return failure(first);
  }
  console.log(`Once more, alone: ${first.files.join(", ")}\n`);
  const second = await run(first.files, 1);
  const saved = second.code === 0 ? first.files : first.files.filter((file) => !second.files.includes(file));
  if (saved.length > 0) note(passedLater(first, saved));
  return second.code === 0 ? 0 : failure(second);
}

function failure(run) {
  note(failuresIn(run));
  return run.code;
}

function note(text) {
  console.log(`\n${text}`);
  if (options.notes === undefined) return;
  mkdirSync(dirname(options.notes), { recursive: true });
  appendFileSync(options.notes, `\n${text}\n`);
}

/** Answers the exit code, the files that failed, and the records of what failed in them and of what was skipped. */
async function run(files, concurrency) {
  const path = join(records, `${concurrency}`);
  const node = [
    "--conditions=framework-source",
    "--import",
    "tsx",
    "--test",
    `--test-concurrency=${concurrency}`,
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=./scripts/test-records.mjs",
    `--test-reporter-destination=${path}`,
    ...files,
  ];
  const child = spawn(process.execPath, node, { stdio: "inherit", env });
  const code = await new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  const all = lines.map((line) => JSON.parse(line));
  const [ended, failed, skipped] = ["file", "failed", "skipped"].map((of) =>
    all.filter(({ kind }) => kind === of),
  );
  return { code, files: ended.map(({ file }) => file).sort(), failed, skipped };
}

function testFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
    .map((name) => join(path, name));
}
