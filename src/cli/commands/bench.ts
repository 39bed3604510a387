import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { exceededIn } from "#bench/budget.js";
import { CALIBRATION } from "#bench/calibration.js";
import { ChildFailed } from "#bench/child.js";
import { compare } from "#bench/comparison.js";
import { type Measured, measure } from "#bench/measure.js";
import { type BenchReport, reportOf } from "#bench/report.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { progressLine } from "../terminal/progress.js";
import { markdownOf, textOf } from "./bench-text.js";

export async function bench(given: Given, surroundings: Surroundings): Promise<number> {
  const [file] = given.operands;
  if (file === undefined)
    throw new UsageError("the file is missing: framework bench bench.js; --help tells more");
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  if (given.flag("json") && given.flag("markdown"))
    throw new UsageError("--json and --markdown are two forms of one output: give one of them");
  const basePath = given.text("compare");
  if (basePath === undefined && given.text("fail-over") !== undefined)
    throw new UsageError("--fail-over is about a comparison: give --compare BASE.json too");
  const failOver = percent(given.text("fail-over") ?? "10%");
  const lengths = {
    rounds: number(given, "rounds", { byDefault: 7, least: 1, most: 100, isWhole: true }),
    seconds: number(given, "seconds", { byDefault: 0.5, least: 0.01, most: 60, isWhole: false }),
    connections: number(given, "connections", { byDefault: 16, least: 1, most: 1000, isWhole: true }),
  };
  const base = basePath === undefined ? undefined : await baseOf(basePath);
  const report = reportOf(await measured(file, given.text("export"), lengths, surroundings), lengths);
  const out = given.text("out");
  if (out !== undefined) await writeFile(out, `${JSON.stringify(report)}\n`);
  const found = {
    exceeded: exceededIn(report),
    ...(base !== undefined && { comparison: compare(base, report, failOver) }),
  };
  if (given.flag("json")) surroundings.out(`${JSON.stringify({ ...report, ...found }, undefined, 2)}\n`);
  else if (given.flag("markdown")) surroundings.out(markdownOf(report, found));
  else surroundings.out(textOf(report, found, surroundings));
  const hasFallen = found.comparison?.figures.some(({ verdict }) => verdict === "fell") === true;
  return hasFallen || found.exceeded.length > 0 ? 1 : 0;
}

/** Flags of Node.js that apply to this process only. */
const OWN_FLAGS = /^--(test|inspect|watch)/;

async function measured(
  file: string,
  ingress: string | undefined,
  lengths: Pick<BenchReport, "rounds" | "seconds" | "connections">,
  surroundings: Surroundings,
): Promise<readonly Measured[]> {
  const progress = progressLine(surroundings);
  const args = [
    ...process.execArgv.filter((flag) => !OWN_FLAGS.test(flag)),
    fileURLToPath(import.meta.resolve("#cli/commands/bench-process.js")),
    file,
    ...(ingress === undefined ? [] : [ingress]),
  ];
  try {
    const all = await measure({ args, ...lengths, progress: progress.show });
    if (all.length > 0) return all;
    throw new CommandError(
      `${file} declares no benchmark: import { bench } from "framework/bench", and call bench(name, axon, input) or bench.route("GET /path")`,
    );
  } catch (error) {
    throw error instanceof ChildFailed ? new CommandError(error.message) : error;
  } finally {
    progress.end();
  }
}

async function baseOf(path: string): Promise<BenchReport> {
  const wrong = (why: string): CommandError =>
    new CommandError(`--compare ${path}: ${why}: give what framework bench wrote with --out`);
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw wrong(cause.code === "ENOENT" ? "there is no such file" : cause.message);
  });
  let base: Partial<BenchReport> | null;
  try {
    base = JSON.parse(text);
  } catch {
    throw wrong("it is no JSON");
  }
  if (base?.kind !== "framework.bench.v1" || !Array.isArray(base.benchmarks))
    throw wrong("it is no report of benchmarks");
  if (base.calibration !== CALIBRATION)
    throw wrong("another release wrote it, with figures relative to other work; measure the base anew");
  return base as BenchReport;
}

function percent(text: string): number {
  const value = Number(/^(\d+(?:\.\d+)?)%?$/.exec(text)?.[1]) / 100;
  if (value > 0 && value <= 10) return value;
  throw new UsageError(`--fail-over ${text}: give a percentage above 0, as 10%`);
}

interface Range {
  readonly byDefault: number;
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
}

function number(given: Given, option: string, { byDefault, least, most, isWhole }: Range): number {
  const text = given.text(option);
  if (text === undefined) return byDefault;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  throw new UsageError(
    `--${option} ${text}: give a ${isWhole ? "whole number" : "number"} from ${least} to ${most}`,
  );
}
