// Formats the figures of a window. A percentile with too few samples is not shown.

import type { Percentiles, Window } from "../../api/metrics.js";
import { duration } from "./duration.js";
import { count, counted } from "./quantity.js";

export type Percentile = Exclude<keyof Percentiles, "mean_us">;

/** With fewer samples the percentile would equal the largest sample. */
const NEEDED: Record<Percentile, number> = {
  p50_us: 2,
  p90_us: 10,
  p95_us: 20,
  p99_us: 100,
  p99_9_us: 1000,
  max_us: 1,
};

/** In microseconds; undefined with too few samples. */
export function percentile(window: Window | undefined, which: Percentile): number | undefined {
  if (window === undefined || window.latency === null || window.samples < NEEDED[which]) return undefined;
  return window.latency[which];
}

/**
 * The figure to compare `windows` by: p99 if at least one window has enough samples for it, else
 * the maximum. With p99, windows with too few samples do not take part.
 */
export function slowBy(windows: Iterable<Window | undefined>): "p99_us" | "max_us" {
  for (const window of windows) if (percentile(window, "p99_us") !== undefined) return "p99_us";
  return "max_us";
}

/** Display names of the results of `slowBy`. */
export const SLOW_NAMES = { p99_us: "p99", max_us: "max" } as const;

/** "1.24 ms", "too few", or a dash without samples. */
export function latency(window: Window | undefined, which: Percentile): string {
  if (window === undefined || window.samples === 0) return "–";
  const us = percentile(window, which);
  return us === undefined ? "too few" : duration(us);
}

/** The basis of a figure: "p99, last 10 s, 412 of 6600 runs timed". */
export function basis(which: string, window: Window | undefined, what = "run"): string {
  if (window === undefined) return `${which}: no data yet`;
  const sampled =
    window.samples === window.count
      ? counted(window.count, what)
      : `${count(window.samples)} of ${counted(window.count, what)} timed`;
  return `${which}, ${windowText(window.seconds)}, ${sampled}`;
}

/** Null: since start. */
export type WindowSeconds = Window["seconds"];

export const windowText = (seconds: WindowSeconds): string =>
  seconds === null ? "since start" : `last ${duration(seconds * 1e6).replace("1\u00a0min", "60\u00a0s")}`;

export function windowOf<W extends Window>(windows: readonly W[], seconds: WindowSeconds): W | undefined {
  return windows.find((window) => window.seconds === seconds);
}

/** Share of runs that ended in a fault with a response below 500. */
export function refusedShare(window: Window | undefined): number {
  return window === undefined || window.count === 0 ? 0 : window.refused / window.count;
}
