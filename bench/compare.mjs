// `node bench/compare.mjs A B`: what a change does to speed, measured side by side.

import { writeFileSync } from "node:fs";

import { commandLine } from "../scripts/command-line.mjs";
import { checkOut, commitNamed } from "./measure/checkouts.mjs";
import { lengthOf } from "./measure/length.mjs";
import { measureWhenQuiet } from "./measure/quiet.mjs";
import { medianFigure, ratioOf } from "./measure/rounds.mjs";
import { measureArms } from "./measure/run-suite.mjs";
import { installPeers } from "./prepare.mjs";
import { comparisonTable } from "./report/comparison-table.mjs";
import { suitesNamed } from "./suites.mjs";

const HELP = `node bench/compare.mjs [options] A B [SUITE...]

Checks out two commits in temporary worktrees, builds each, and measures our arms of
the suites (all where none is named) of both in interleaved rounds, with the
benchmarks of this checkout. Prints the median ratio of B to A for each arm; A runs
twice, as control. Where the control differs from 1 by more than 3 % the machine is
not quiet: it waits a minute and measures that arm again, and says so where it stays.

  --rounds N        rounds of each (7)
  --seconds N       length of a round (1, of a server's 2; wrk takes whole seconds)
  --tries N         how often an arm is measured at most, for a narrow control (3)
  --short           2 rounds of 0.2 s: once: shows that all works, not how fast
  --json FILE       writes the results as JSON
  --help            this text

Exit status: 0 done, 1 an arm failed, 2 wrong arguments.`;

const OPTIONS = {
  rounds: { type: "string" },
  seconds: { type: "string" },
  tries: { type: "string" },
  short: { type: "boolean", default: false },
  json: { type: "string" },
};

const { commits, chosen, options } = commandLine(
  HELP,
  { options: OPTIONS, words: true },
  ({ values, words: [nameOfA, nameOfB, ...names], count }) => {
    if (nameOfB === undefined) throw new Error("Name two commits");
    const commits = [nameOfA, nameOfB].map((name) => ({ name, id: commitNamed(name) }));
    const tries = values.tries === undefined ? (values.short ? 1 : 3) : count("tries", 1);
    return {
      commits,
      chosen: suitesNamed(names),
      options: { ...lengthOf(values), tries, json: values.json },
    };
  },
);
installPeers();
const [a, b] = commits.map(({ name, id }) => {
  progress(`checking out and building ${name}`);
  return { name, id, root: checkOut(id) };
});

const rows = [];
let failed = false;
for (const suite of chosen) {
  for (const arm of suite.arms.filter(({ ours }) => ours)) {
    try {
      const told = (text) => progress(`${suite.name}, ${arm.name}: ${text}`);
      rows.push(await measureWhenQuiet(() => compare(suite, arm), { ...options, progress: told }));
    } catch (error) {
      failed = true;
      process.stderr.write(`${suite.name}, ${arm.name} failed: ${error.stack}\n`);
    }
  }
}
process.stdout.write(`\n${comparisonTable(a.name, b.name, rows)}`);
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ a: a.id, b: b.id, rows }, null, 2)}\n`);
process.exit(failed ? 1 : 0);

async function compare(suite, arm) {
  const seconds = options.seconds ?? suite.seconds ?? 1;
  const of = (name, root) => ({ name, open: () => suite.open(arm, { ...options, seconds, root }) });
  const told = { ...options, progress: (text) => progress(`${suite.name}, ${arm.name}: ${text}`) };
  const arms = [of(a.name, a.root), of(`${a.name} (control)`, a.root), of(b.name, b.root)];
  const [base, control, changed] = (await measureArms(arms, told)).map(({ measured }) => measured);
  return {
    suite: suite.name,
    arm: arm.name,
    unit: suite.unit,
    better: suite.better,
    a: medianFigure(base),
    b: medianFigure(changed),
    ratio: ratioOf(changed, base),
    control: ratioOf(control, base),
  };
}

function progress(text) {
  process.stderr.write(`${text}\n`);
}
