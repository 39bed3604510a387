// Which functions of src no test of the first tier runs, by the map of the last full run
// (`npm test -- --map`). Whether a test notices a fault in a function that it runs is what
// `npm run mutate` finds out.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

import { commandLine } from "./command-line.mjs";
import { MAP } from "./tests/coverage-map.mjs";
import { functionsOf } from "./tests/functions.mjs";

/** Lines of functions that ran, in a hundred. */
const LEAST = 95;
/** Files shown: those with the most lines that did not run. */
const SHOWN = 15;

/** What runs in a browser, which the heavy tests do. */
const IN_BROWSER = /^src\/(inspector\/ui|openapi\/docs\/page)\//;

const USAGE = `npm run coverage [-- FILE_OR_FOLDER...]

Fails if less than ${LEAST} % of the lines of functions in src, or there, ran in the last npm test -- --map.`;

const paths = commandLine(USAGE, { words: true }, ({ words }) => (words.length > 0 ? words : ["src"]));

if (!existsSync(MAP)) throw new Error("No run has written what ran: npm test -- --map");
const { covered } = JSON.parse(readFileSync(MAP, "utf8"));
const files = execFileSync("git", ["ls-files", ...paths], { encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.ts$/.test(file) && !IN_BROWSER.test(file))
  .map(coverageOf);

for (const { file, lines, missed } of [...files].sort((a, b) => b.missed - a.missed).slice(0, SHOWN))
  if (missed > 0)
    console.log(`${String(missed).padStart(5)} of ${String(lines).padStart(4)} lines not run  ${file}`);
const sum = (of) => files.reduce((total, file) => total + file[of], 0);
const percent = 100 * (1 - sum("missed") / sum("lines"));
console.log(`${percent.toFixed(1)} % of ${sum("lines")} lines of functions ran: ${LEAST} are wanted`);
process.exit(percent >= LEAST ? 0 : 1);

/** A line belongs to the innermost function that begins or ends around it. */
function coverageOf(file) {
  const ran = new Set(covered[file]);
  const isRun = new Map();
  for (const { key, line, endLine } of functionsOf(readFileSync(file, "utf8"), file).functions)
    for (let at = line; at <= endLine; at += 1) isRun.set(at, ran.has(key));
  const missed = [...isRun.values()].filter((is) => !is).length;
  return { file, lines: isRun.size, missed };
}
