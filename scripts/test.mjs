// Runs the tests: `npm test`, or `npm test -- PATH...` for files or folders, and
// `npm run test:heavy`.

import { randomInt } from "node:crypto";
import { appendFileSync, mkdirSync, rmSync, watch as watchFolder } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";

import { commandLine } from "./command-line.mjs";
import { shareOf } from "./share.mjs";
import { changedFiles, Selection } from "./tests/changed.mjs";
import { compileTests } from "./tests/compile.mjs";
import { writeMap } from "./tests/coverage-write.mjs";
import { Graph } from "./tests/graph.mjs";
import { COMPILED, SOURCES } from "./tests/layout.mjs";
import { failuresIn, lackingOf, passedLater, skippedIn, summaryOf } from "./tests/notes.mjs";
import { processesOf, testFiles } from "./tests/plan.mjs";
import { run } from "./tests/run.mjs";

const USAGE = `npm test [-- OPTION... FILE_OR_FOLDER...]
npm run test:heavy [-- OPTION...]
npm run test:no-codegen [-- OPTION... FILE_OR_FOLDER...]

Compiles src, native-tests and examples into .build/test and runs the files named *.test.ts
there, or below what is named. Files share processes, in an order that a seed decides.
npm run test:heavy runs native-tests/heavy: browsers, proxies, workers, stops under load.

  --changed      only the files that changes since the last commit can affect
  --map          writes for --changed which functions each file runs, in a process for each file.
                 A run of all files with NODE_V8_COVERAGE, as verify's, does so too
  --watch        runs again what a change affects, until it is stopped
  --one-in N     one file in N, with each commit another share
  --seed N       the order of an earlier run
  --no-codegen   as npm run test:no-codegen does: where code must not be generated from strings: tests and the programs they start
  --retry        runs a file that failed once more, alone, after the others, as CI does: what
                 passes then is named, and passes. More than 3 such files are too many
  --notes FILE   appends to FILE what failed, or passed at the second try
  --heavy        what npm run test:heavy passes

NO_SKIPS=1 fails where a test is skipped, as in CI.`;

/** More files than this that fail are no accident. */
const MAX_RETRIED = 3;
/** For one file. A heavy one has browsers and servers to start. */
const LIMIT_MS = { heavy: 300_000, other: 120_000 };

/** Of so many files the output is shown, of more only where they fail. */
const FEW = 3;
/** An editor writes a file in several steps. */
const SETTLE_MS = 100;

const OPTIONS = {
  changed: { type: "boolean", default: false },
  map: { type: "boolean", default: false },
  watch: { type: "boolean", default: false },
  "one-in": { type: "string", default: "1" },
  seed: { type: "string", default: String(randomInt(1_000_000)) },
  "no-codegen": { type: "boolean", default: false },
  retry: { type: "boolean", default: false },
  notes: { type: "string" },
  heavy: { type: "boolean", default: false },
};

const { options, paths, files, seed } = commandLine(
  USAGE,
  { options: OPTIONS, words: true },
  ({ values, words, count }) => {
    const files = shareOf(testFiles(words, values.heavy), count("one-in", 1));
    if (files.length === 0) throw new Error(`No test files below ${words.join(", ")}`);
    if (values.map && (words.length > 0 || values.changed || values.heavy))
      throw new Error("--map needs a run of all files of the first tier");
    return { options: values, paths: words, files, seed: count("seed") };
  },
);
const env = { ...process.env };
// By the environment, so that servers and compilers that a test starts inherit it.
if (options["no-codegen"])
  env.NODE_OPTIONS = `${env.NODE_OPTIONS ?? ""} --disallow-code-generation-from-strings`;

/** Where processes write what they ran. */
const coverage = options.map ? join(COMPILED, "coverage") : undefined;
if (options.map) {
  env.NODE_V8_COVERAGE = coverage;
  rmSync(coverage, { recursive: true, force: true });
  process.once("exit", () => rmSync(coverage, { recursive: true, force: true }));
}
const selection = new Selection();

if (options.watch) await watch();
else process.exit(await tested(await chosen()));

/** The files to run: all that were named, or those of them that changes can affect. */
async function chosen(changed = options.changed ? changedFiles() : undefined) {
  await compileTests();
  if (changed === undefined) return files;
  const { files: affected, how } = selection.of(files, changed);
  console.log(`${affected.length} of ${files.length} files can be affected, ${how}`);
  return affected;
}

/** Runs the files, and again those that failed. Resolves to the exit code. */
async function tested(chosen) {
  const began = performance.now();
  if (chosen.length === 0) {
    console.log("Nothing to run: no test depends on what changed.");
    return 0;
  }
  // What runs once in a process, as modules do when they are loaded, is wanted of each file.
  const processes = processesOf(chosen, new Graph(), seed, options.map ? 1 : undefined);
  console.log(`${chosen.length} files in ${processes.length} processes, seed ${seed}`);
  const first = await run(processes, running(chosen.length));
  if (options.map)
    writeMap(
      coverage,
      first.files.filter(({ passed }) => passed).map(({ file }) => file),
    );
  if (first.skipped.length > 0) console.log(skippedIn(first));
  const isSkipped = process.env.NO_SKIPS === "1" && lackingOf(first.skipped).length > 0;
  if (isSkipped) note("NO_SKIPS is set: a skipped test fails.");
  const code = await lastTry(first);
  console.log(
    summaryOf(first, {
      ms: performance.now() - began,
      seed,
      isWhole: paths.length === 0 && !options.changed,
      isHeavy: options.heavy,
    }),
  );
  return isSkipped ? 1 : code;
}

async function lastTry(first) {
  if (first.failed.length === 0) return 0;
  const files = [...new Set(first.failed.map(({ file }) => file))].sort();
  if (!options.retry || files.length === 0) return failure(first);
  if (files.length > MAX_RETRIED) {
    note(`${files.length} files failed: more than the ${MAX_RETRIED} that get a second try.`);
    return failure(first);
  }
  console.log(`Once more, alone: ${files.join(", ")}\n`);
  const second = await run(
    files.map((file) => ({ files: [file], isApart: true })),
    { ...running(files.length), concurrency: 1 },
  );
  const saved = files.filter((file) => !second.failed.some((test) => test.file === file));
  if (saved.length > 0) note(passedLater(first, saved));
  return second.failed.length === 0 ? 0 : failure(second);
}

function failure(result) {
  note(failuresIn(result));
  return 1;
}

function note(text) {
  console.log(`\n${text}`);
  if (options.notes === undefined) return;
  mkdirSync(dirname(options.notes), { recursive: true });
  appendFileSync(options.notes, `\n${text}\n`);
}

/** How files are run, and a line for each that ended. */
function running(count) {
  let ended = 0;
  return {
    concurrency: 2 * availableParallelism(),
    limitMs: options.heavy ? LIMIT_MS.heavy : LIMIT_MS.other,
    env,
    onFile: ({ file, passed, ms }, written) => {
      if (!passed || count <= FEW) process.stdout.write(written);
      ended += 1;
      const seconds = (ms / 1000).toFixed(1).padStart(6);
      console.log(`${passed ? "ok    " : "FAILED"} ${`${ended}/${count}`.padStart(8)} ${seconds} s  ${file}`);
    },
  };
}

/** Runs all files once, and from then on those that a change affects. */
async function watch() {
  let changed;
  let wake;
  for (const folder of SOURCES)
    watchFolder(folder, { recursive: true }, (_, name) => {
      changed = [...(changed ?? []), join(folder, name)];
      wake?.();
    });
  await tested(await chosen());
  for (;;) {
    console.log("\nWatching for changes; Ctrl-C ends.");
    if (changed === undefined)
      await new Promise((resolve) => {
        wake = resolve;
      });
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const now = changed;
    changed = undefined;
    try {
      await tested(await chosen(now));
    } catch (error) {
      console.error(error.message);
    }
  }
}
