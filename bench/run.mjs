// `npm run bench`: measures the built package beside what it is compared with.

import { writeFileSync } from "node:fs";

import { commandLine } from "../scripts/command-line.mjs";
import { lengthOf } from "./measure/length.mjs";
import { generator } from "./measure/load.mjs";
import { runSuite } from "./measure/run-suite.mjs";
import { buildInternals, buildPackage, installPeers } from "./prepare.mjs";
import { writeMarkdown } from "./report/markdown.mjs";
import { resultOf } from "./report/result.mjs";
import { describeRun } from "./report/run.mjs";
import { textTable } from "./report/table.mjs";
import { suites, suitesNamed } from "./suites.mjs";

const HELP = `npm run bench [-- [options] SUITE...]

Builds the package, installs the peers where they are missing, runs the suites (all
where none is named) and prints a table for each. A bar that is missed fails nothing.

  --rounds N        rounds of each arm (7; up to four times as many for a narrow control)
  --seconds N       length of a round (1, of a server's 2; wrk takes whole seconds)
  --short           2 rounds of 0.2 s: shows that all works, not how fast
  --json FILE       writes the results as JSON
  --markdown FILE   writes the tables between their markers in FILE
  --help            this text

Exit status: 0 done, 1 a suite failed, 2 wrong arguments.

Suites:
${suites.map(({ name, title }) => `  ${name.padEnd(22)}${title}`).join("\n")}`;

const OPTIONS = {
  rounds: { type: "string" },
  seconds: { type: "string" },
  short: { type: "boolean", default: false },
  json: { type: "string" },
  markdown: { type: "string" },
};

const { chosen, options } = commandLine(HELP, { options: OPTIONS, words: true }, ({ values, words }) => {
  const { json, markdown } = values;
  return { chosen: suitesNamed(words), options: { ...lengthOf(values), json, markdown } };
});
if (generator !== "wrk") progress("wrk is missing (apt-get install wrk): loading with autocannon");
installPeers();
buildPackage();
buildInternals();

const results = [];
let failed = false;
for (const suite of chosen) {
  const told = { ...options, progress: (text) => progress(`${suite.name}: ${text}`) };
  try {
    const result = resultOf(suite, await runSuite(suite, told), options.seconds);
    results.push(result);
    process.stdout.write(`\n${textTable(result)}`);
    // After each suite, so that a failure later on loses nothing.
    write();
  } catch (error) {
    failed = true;
    process.stderr.write(`${suite.name} failed: ${error.stack}\n`);
  }
}
process.exit(failed ? 1 : 0);

function write() {
  const report = { run: describeRun(), suites: results };
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  if (options.markdown !== undefined) writeMarkdown(options.markdown, report);
}

function progress(text) {
  process.stderr.write(`${text}\n`);
}
