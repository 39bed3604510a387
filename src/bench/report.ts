// What a run of `framework bench` found: the JSON that a later run is compared with.

import { cpus } from "node:os";

import { CALIBRATION } from "./calibration.js";
import type { Listed } from "./listed.js";
import type { Measured } from "./measure.js";
import { median } from "./median.js";
import { FIGURES, type FigureName, type Sample } from "./sample.js";

export interface BenchReport {
  readonly kind: "framework.bench.v1";
  readonly measured_at: string;
  readonly machine: { readonly node: string; readonly platform: string; readonly cpu: string };
  /** Figures that are relative to another work cannot be compared. */
  readonly calibration: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly benchmarks: readonly BenchRow[];
}

export interface BenchRow {
  readonly name: string;
  readonly kind: Listed["kind"];
  readonly budget?: { readonly p99_ms?: number; readonly bytes?: number };
  readonly figures: { readonly [Name in FigureName]?: BenchFigure };
}

export interface BenchFigure {
  /** The median of all measurements. */
  readonly value: number;
  /** By how much the control differs: 0.02 is 2 %. */
  readonly control: number;
  /** Of the benchmark and of its control, a measurement a round. */
  readonly arms: readonly [readonly Sample[], readonly Sample[]];
}

type Lengths = Pick<BenchReport, "rounds" | "seconds" | "connections">;

export function reportOf(
  measured: readonly Measured[],
  { rounds, seconds, connections }: Lengths,
): BenchReport {
  return {
    kind: "framework.bench.v1",
    measured_at: new Date().toISOString(),
    machine: {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      cpu: cpus()[0]?.model ?? "unknown",
    },
    calibration: CALIBRATION,
    ...{ rounds, seconds, connections },
    benchmarks: measured.map(rowOf),
  };
}

function rowOf({ name, kind, budget, arms }: Measured): BenchRow {
  const names = Object.keys(FIGURES) as FigureName[];
  const of = (figure: FigureName, arm: 0 | 1): Sample[] =>
    arms[arm].flatMap((sampled) => sampled[figure] ?? []);
  const figures = names.flatMap((figure): [FigureName, BenchFigure][] => {
    const both = [of(figure, 0), of(figure, 1)] as const;
    if (both[0].length === 0) return [];
    const value = median(both.flat().map((sample) => sample.value));
    return [[figure, { value, control: controlOf(both, FIGURES[figure].least), arms: both }]];
  });
  return {
    name,
    kind,
    ...(budget && {
      budget: {
        ...(budget.p99Ms !== undefined && { p99_ms: budget.p99Ms }),
        ...(budget.bytes !== undefined && { bytes: budget.bytes }),
      },
    }),
    figures: Object.fromEntries(figures),
  };
}

/** The ratio of both arms' medians, as its distance from 1. */
function controlOf(arms: BenchFigure["arms"], least: number): number {
  const comparable = comparableBy(arms.flat());
  const [one, other] = arms.map((samples) => median(samples.map(comparable))) as [number, number];
  return Math.abs(one - other) <= least ? 0 : Math.max(one, other) / Math.min(one, other) - 1;
}

/** Below this share of computing, a figure is one of waiting, which no machine's speed changes. */
const BUSY = 0.2;

/** What of a sample is compared with others: its value, or the one relative to the calibration. */
export function comparableBy(samples: readonly Sample[]): (sample: Sample) => number {
  const isWaiting = median(samples.map(({ busy = 0 }) => busy)) < BUSY;
  return ({ value, relative }) => (isWaiting ? value : (relative ?? value));
}
