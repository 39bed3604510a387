// `node bench/instructions.mjs SUITE`: what a request costs, where noise does not reach.

import { spawnSync } from "node:child_process";

import { commandLine } from "../scripts/command-line.mjs";
import { countInstructions } from "./measure/callgrind.mjs";
import { buildInternals, buildPackage, installPeers } from "./prepare.mjs";
import { suites } from "./suites.mjs";

const HELP = `node bench/instructions.mjs [options] SUITE [ARM...]

Runs the arms of a suite of servers (all where none is named) under callgrind, and prints
for each what a request costs in user space: instructions, and lines of code and data that
were not in the first cache. Collecting and compiling are left out: they come in bursts.
It builds the package first. A minute for each arm.

  --warm N          requests before it counts (40000): until all is compiled
  --requests N      requests that are counted (2000)
  --functions N     the functions with most instructions, of each arm (0)
  --help            this text

Exit status: 0 done, 1 an arm failed, 2 wrong arguments.`;

const OPTIONS = {
  warm: { type: "string", default: "40000" },
  requests: { type: "string", default: "2000" },
  functions: { type: "string", default: "0" },
};

const { suite, arms, options } = commandLine(
  HELP,
  { options: OPTIONS, words: true },
  ({ words: [name, ...named], count }) => {
    const suite = suites.find((one) => one.name === name);
    if (suite?.request === undefined) throw new Error(`Name a suite of servers: '${name ?? ""}' is none`);
    const known = suite.arms.filter(({ server }) => server !== undefined);
    const unknown = named.find((arm) => !known.some((one) => one.name === arm));
    if (unknown !== undefined) throw new Error(`'${unknown}' is no arm of ${name}`);
    return {
      suite,
      arms: named.length === 0 ? known : known.filter((one) => named.includes(one.name)),
      options: { warm: count("warm", 1), requests: count("requests", 1), functions: count("functions") },
    };
  },
);
if (spawnSync("valgrind", ["--version"]).error !== undefined) {
  process.stderr.write("valgrind is missing: apt-get install valgrind\n");
  process.exit(1);
}
installPeers();
buildPackage();
buildInternals();
process.stdout.write(row("", ["instructions", "in compiled code", "code misses", "data misses", "ratio"]));
let first;
let failed = false;
for (const arm of arms)
  try {
    const functions = await countInstructions(suite, arm, options);
    const counted = functions.filter(({ kind }) => kind === "compiled" || kind === "native");
    const instructions = sum(counted, "instructions");
    first ??= instructions;
    const compiled = sum(
      counted.filter(({ kind }) => kind === "compiled"),
      "instructions",
    );
    const misses = [sum(counted, "codeMisses"), sum(counted, "dataMisses")];
    const figures = [instructions, compiled, ...misses].map((figure) => figure.toFixed(0));
    process.stdout.write(row(arm.name, [...figures, (instructions / first).toFixed(3)]));
    for (const one of functions.slice(0, options.functions))
      process.stdout.write(row(`  ${one.name.slice(0, 60)}`, [one.instructions.toFixed(0)]));
  } catch (error) {
    failed = true;
    process.stderr.write(`${arm.name} failed: ${error.stack}\n`);
  }
process.exit(failed ? 1 : 0);

function sum(functions, figure) {
  return functions.reduce((total, one) => total + one[figure], 0);
}

function row(name, cells) {
  return `${name.padEnd(62)}${cells.map((cell) => cell.padStart(18)).join("")}\n`;
}
