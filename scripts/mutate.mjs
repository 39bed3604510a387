// Plants the faults of mutants.mjs, one at a time, in a copy and expects the tests to fail.

import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { commandLine } from "./command-line.mjs";
import { mutantsOf } from "./mutants.mjs";
import { makeCopy, restore, runIn } from "./repository-copy.mjs";
import { compileTests } from "./tests/compile.mjs";
import { coverageMap } from "./tests/coverage-map.mjs";
import { COMPILED } from "./tests/layout.mjs";
import { shuffle } from "./tests/plan.mjs";

/** One marked line in so many, another share with each commit. */
const MARKED_SHARE = 8;
/** At most ten test files: the nearest alone, because it notices most, then more at once. */
const GROUPS = [1, 3, 6];
/** So many more for a marked line: it must be noticed, by the farthest too. */
const MORE_FOR_MARKED = 20;
const TEST = fileURLToPath(new URL("test.mjs", import.meta.url));
/** What test.mjs prints of a file. */
const FAILED = /^FAILED .* s {2}(\S+)$/m;
const CONTRACTS = "src/testing/contracts/";
/** Fewer in a hundred noticed fail the run: of 60 chance takes 5 in a hundred more or less, of about 82. */
const LEAST_NOTICED = 65;

const HELP = `npm run mutate [-- OPTION... FILE_OR_FOLDER...]

Plants small faults in a copy and expects the tests to fail: in changed lines, in one in ${MARKED_SHARE} of the
lines marked "// hole: ...", and at random. A fault in a marked line must be noticed, and ${LEAST_NOTICED} % of all.
Needs the coverage of a full run: npm test -- --map, or npm run verify.

  FILE_OR_FOLDER  plants only there, at random
  --marked        plants every fault of the marked lines, and no others
  --count N       how many faults at most: 60
  --minutes N     begins no fault after N minutes: 5
  --since REF     lines are changed since REF: the merge base with origin/main, on main the commit before
  --seed N        which faults: a number made of the commit`;

const HEAD = git("rev-parse", "HEAD");

const OPTIONS = {
  marked: { type: "boolean", default: false },
  count: { type: "string", default: "60" },
  minutes: { type: "string", default: "5" },
  since: { type: "string" },
  seed: { type: "string", default: String(Number.parseInt(HEAD.slice(0, 8), 16)) },
};

const { options, paths, numbers } = commandLine(HELP, { options: OPTIONS, words: true }, (given) => {
  const read = ["count", "minutes", "seed"].map((name) => [name, given.count(name)]);
  return { options: given.values, paths: given.words, numbers: Object.fromEntries(read) };
});
const map = coverageMap();
if (map === undefined) throw new Error("No run has written which tests run what: npm test -- --map");
const began = performance.now();
const chosen = choose();
if (chosen.length === 0) throw new Error(`No fault can be planted in ${paths.join(", ") || "src"}`);
await compileTests();
const waiting = [...chosen];
const results = [];
const copies = Array.from({ length: Math.min(availableParallelism(), chosen.length) }, copyWithTests);
await Promise.all(copies.map(work));
await requireGreen(copies[0], [...new Set(results.flatMap(({ red }) => red ?? []))]);
process.exit(report() ? 0 : 1);

/** Plants nothing where no test runs: coverage tells of such code. */
function choose() {
  const files = git("ls-files", ...(paths.length > 0 ? paths : ["src"]))
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith(CONTRACTS));
  const made = files.flatMap((file) => mutantsOf(readFileSync(file, "utf8"), file));
  const all = shuffle(made, numbers.seed);
  const marked = all.filter(({ isMarked }) => isMarked);
  if (options.marked) return marked;
  const changed = paths.length > 0 ? new Set() : changedLines();
  const isChanged = (mutant) => changed.has(placeOf(mutant));
  const first = [...marked.filter(isChanged), ...(paths.length > 0 ? [] : shareOfMarked(marked))];
  const found = new Set();
  for (const mutant of [...first, ...all.filter(isChanged).slice(0, numbers.count / 2), ...all])
    if (found.size < numbers.count && (mutant.isMarked || testsOf(mutant).length > 0)) found.add(mutant);
  return [...found];
}

/** One fault of each line of this seed's share. */
function shareOfMarked(marked) {
  const byPlace = new Map(marked.map((mutant) => [placeOf(mutant), mutant]));
  const isShare = (_, at) => at % MARKED_SHARE === numbers.seed % MARKED_SHARE;
  const share = [...byPlace.keys()].sort().filter(isShare);
  return share.map((place) => byPlace.get(place));
}

/** "file:line" of each line that is new since the base. */
function changedLines() {
  const shared = git("merge-base", "HEAD", "origin/main");
  const base = options.since ?? (shared === "" || shared === HEAD ? "HEAD~1" : shared);
  const lines = new Set();
  let file;
  for (const text of git("diff", "-U0", "--no-ext-diff", base, "--", "src").split("\n")) {
    if (text.startsWith("+++ ")) file = text.slice("+++ b/".length);
    const [, first, count = "1"] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(text) ?? [];
    for (let n = 0; first !== undefined && n < Number(count); n += 1)
      lines.add(`${file}:${Number(first) + n}`);
  }
  return lines;
}

function copyWithTests() {
  const folder = makeCopy();
  const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
  cpSync(COMPILED, join(folder, COMPILED), options);
  return folder;
}

/** Plants one fault after the other. */
async function work(copy) {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (performance.now() - began > numbers.minutes * 60_000) break;
    const red = await redTest(copy, next);
    results.push({ mutant: next, red });
    const word = red === undefined ? "SURVIVED" : "noticed ";
    console.log(`${results.length}/${chosen.length}`.padStart(7), word, placeOf(next), next.what);
  }
}

/** The test files that run into a fault, the nearest first. The map may not know yet what has changed. */
function testsOf(mutant) {
  const ran = map.testsOf(mutant.file, mutant.start);
  const found = ran.length > 0 ? ran : map.testsOfChange(mutant.file, ...texts(mutant));
  return found.filter((file) => file.endsWith(".test.ts"));
}

/** The source without a fault and with it. */
function texts({ file, start, end, text }) {
  const code = readFileSync(file, "utf8");
  return [code, code.slice(0, start) + text + code.slice(end)];
}

/** Resolves to the test file that failed or never ended, or to undefined if all passed. */
async function redTest(copy, mutant) {
  const tests = testsOf(mutant);
  writeFileSync(join(copy, mutant.file), texts(mutant)[1]);
  try {
    for (const count of mutant.isMarked ? [...GROUPS, MORE_FOR_MARKED] : GROUPS) {
      const group = tests.splice(0, count);
      if (group.length === 0) return undefined;
      const { passed, output } = await runIn(copy, `node ${TEST} ${group.join(" ")}`, { last: FAILED });
      if (!passed) return FAILED.exec(output)?.[1] ?? group[0];
    }
  } finally {
    restore(copy);
  }
}

/** A test that fails without a fault notices none. */
async function requireGreen(copy, files) {
  if (files.length === 0) return;
  const { passed, output } = await runIn(copy, `node ${TEST} --retry ${files.join(" ")}`);
  if (!passed) throw new Error(`These tests fail without a fault too:\n${output.slice(-2000)}`);
}

/** Prints the faults that no test noticed. True if these may be. */
function report() {
  const survived = results.filter(({ red }) => red === undefined).map(({ mutant }) => mutant);
  for (const mutant of survived) {
    const lost = readFileSync(mutant.file, "utf8").slice(mutant.start, mutant.end);
    console.log(`\n${placeOf(mutant)}  ${mutant.what}\n  - ${shown(lost)}\n  + ${shown(mutant.text)}`);
  }
  const noticed = results.length - survived.length;
  const percent = Math.floor((100 * noticed) / results.length);
  console.log(`\n${noticed} of ${results.length} faults noticed: ${percent} % (seed ${numbers.seed})`);
  if (results.length < chosen.length) console.log(`No time for ${chosen.length - results.length} more`);
  const holes = survived.filter(({ isMarked }) => isMarked).length;
  if (holes > 0) console.error(`${holes} of them in lines marked as holes in security: add tests`);
  return holes === 0 && percent >= LEAST_NOTICED;
}

function placeOf({ file, line }) {
  return `${file}:${line}`;
}

function shown(text) {
  return text.replace(/\s+/g, " ").trim().slice(0, 200);
}

/** What git prints, or "": a clone may lack origin/main and the commit before. */
function git(...args) {
  return spawnSync("git", args, { encoding: "utf8", maxBuffer: 1 << 26 }).stdout.trim();
}
