// A figure of a window, or why there is none: fewer samples than it needs make no figure.

import type { Percentiles, Window } from "../../api/metrics.js";
import { duration } from "./duration.js";
import { count, counted } from "./quantity.js";

export type Percentile = Exclude<keyof Percentiles, "mean_us">;

/** With fewer samples the figure would be the largest of them by another name. */
const NEEDED: Record<Percentile, number> = {
  p50_us: 2,
  p90_us: 10,
  p95_us: 20,
  p99_us: 100,
  p99_9_us: 1000,
  max_us: 1,
};

/** Microseconds, or undefined where the window has too few samples. */
export function percentile(window: Window | undefined, which: Percentile): number | undefined {
  if (window === undefined || window.latency === null || window.samples < NEEDED[which]) return undefined;
  return window.latency[which];
}

/**
 * What the slowest of `windows` can be told by: a p99 where one of them has enough samples for
 * it, and those with too few have no part in it; else the largest value of each.
 */
export function slowBy(windows: Iterable<Window | undefined>): "p99_us" | "max_us" {
  for (const window of windows) if (percentile(window, "p99_us") !== undefined) return "p99_us";
  return "max_us";
}

/** The name of the figure that `slowBy` chose. */
export const SLOW_NAMES = { p99_us: "p99", max_us: "max" } as const;

/** "1.24 ms", "too few", or a dash where nothing happened. */
export function latency(window: Window | undefined, which: Percentile): string {
  if (window === undefined || window.count === 0) return "–";
  const us = percentile(window, which);
  return us === undefined ? "too few" : duration(us);
}

/** What a figure stands on: "p99, last 10 s, 412 of 6600 runs timed". */
export function basis(which: string, window: Window | undefined, what = "run"): string {
  if (window === undefined) return `${which}: nothing yet`;
  const sampled =
    window.samples === window.count
      ? counted(window.count, what)
      : `${count(window.samples)} of ${counted(window.count, what)} timed`;
  return `${which}, last ${window.seconds}\u00a0s, ${sampled}`;
}

export function windowOf(windows: readonly Window[], seconds: number): Window | undefined {
  return windows.find((window) => window.seconds === seconds);
}

/** Of its runs, how many ended in a fault that was answered below 500. */
export function refusedShare(window: Window | undefined): number {
  return window === undefined || window.count === 0 ? 0 : window.refused / window.count;
}
