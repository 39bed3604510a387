// Judges a run of `framework bench` against an earlier one.
//
//   C1. What is compared are figures relative to the calibration that was timed around each: the hour,
//       the machine and its neighbours slow both. Those of bytes, and of waiting, as they are.
//   C2. A figure's loss is the median of all quotients of a measurement of the one run and one of the
//       other (Hodges and Lehmann): no outlier moves it.
//   C3. Its noise is the largest of: what the control differs by in either run, and how far the loss
//       may be off by the order of the measurements alone (Mann and Whitney, one-sided 0.5 %). A loss
//       within the noise, or within the threshold, is none.

import { median } from "./median.js";
import { type BenchFigure, type BenchReport, comparableBy } from "./report.js";
import { FIGURES, type FigureName } from "./sample.js";

/** `unclear`: the noise is larger than the threshold, and the change is not above it. */
export type Verdict = "fell" | "rose" | "same" | "unclear";

export interface ComparedFigure {
  readonly name: string;
  readonly figure: FigureName;
  readonly base: number;
  readonly value: number;
  /** 0.15 is a loss of 15 %, below 0 a gain. Infinite where the base is 0. */
  readonly loss: number;
  readonly noise: number;
  readonly verdict: Verdict;
}

export interface Comparison {
  readonly fail_over: number;
  readonly figures: readonly ComparedFigure[];
  /** Names that the base does not have. */
  readonly added: readonly string[];
  /** Names that only the base has. */
  readonly removed: readonly string[];
  /** Where the base was measured otherwise: on another processor say. */
  readonly differences: readonly string[];
}

export function compare(base: BenchReport, report: BenchReport, failOver: number): Comparison {
  const known = new Map(base.benchmarks.map((row) => [row.name, row]));
  const names = new Set(report.benchmarks.map(({ name }) => name));
  const figures = report.benchmarks.flatMap(({ name, figures }) =>
    (Object.keys(figures) as FigureName[]).flatMap((figure): ComparedFigure[] => {
      const before = known.get(name)?.figures[figure];
      const now = figures[figure];
      if (before === undefined || now === undefined || !FIGURES[figure].isJudged) return [];
      const change = figure === "bytes_a_run" ? grown(before, now) : slowed(figure, before, now);
      const verdict = verdictOf(change, failOver);
      return [{ name, figure, base: before.value, value: now.value, ...change, verdict }];
    }),
  );
  return {
    fail_over: failOver,
    figures,
    added: [...names].filter((name) => !known.has(name)),
    removed: [...known.keys()].filter((name) => !names.has(name)),
    differences: differencesOf(base, report),
  };
}

type Change = Pick<ComparedFigure, "loss" | "noise">;

function verdictOf({ loss, noise }: Change, failOver: number): Verdict {
  const certain = Math.max(noise, failOver);
  // A gain is the loss of the other run.
  const gain = 1 / (1 + loss) - 1;
  if (loss > certain) return "fell";
  if (gain > certain) return "rose";
  return noise > failOver ? "unclear" : "same";
}

/** Of one side: 0.5 %. */
const Z = 2.576;

function slowed(figure: FigureName, before: BenchFigure, now: BenchFigure): Change {
  const [ones, others] = [before.arms.flat(), now.arms.flat()];
  const comparable = comparableBy([...ones, ...others]);
  const isLower = FIGURES[figure].better === "lower";
  const quotients = others
    .flatMap((other) => ones.map((one) => Math.log(comparable(other) / comparable(one)) * (isLower ? 1 : -1)))
    .sort((a, b) => a - b);
  const loss = median(quotients);
  const [m, n] = [ones.length, others.length];
  const rank = Math.floor((m * n) / 2 - Z * Math.sqrt((m * n * (m + n + 1)) / 12));
  const [least, most] = [quotients[rank], quotients.at(-1 - rank)];
  // Too few measurements for any bound.
  const spread =
    least === undefined || most === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(loss - least, most - loss);
  return { loss: Math.expm1(loss), noise: Math.max(Math.expm1(spread), before.control, now.control) };
}

/** Counted once for each arm, and nearly the same each time. */
function grown(before: BenchFigure, now: BenchFigure): Change {
  const noise = Math.max(before.control, now.control);
  const change = now.value - before.value;
  // Of nothing any part is infinite.
  return { loss: Math.abs(change) < FIGURES.bytes_a_run.least ? 0 : change / before.value, noise };
}

function differencesOf(base: BenchReport, report: BenchReport): readonly string[] {
  const of = ({ machine: { node, platform, cpu }, connections }: BenchReport) => ({
    "Node.js": node,
    platform,
    processor: cpu,
    connections: String(connections),
  });
  const [one, other] = [of(base), of(report)];
  return (Object.keys(one) as (keyof typeof one)[])
    .filter((key) => one[key] !== other[key])
    .map((key) => `${key} ${one[key]}, now ${other[key]}`);
}
