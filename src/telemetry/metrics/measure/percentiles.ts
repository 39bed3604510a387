import type { Cells } from "./distribution.js";
import { middleOf } from "./log-linear.js";

const SHARES = [
  ["p50_us", 0.5],
  ["p90_us", 0.9],
  ["p95_us", 0.95],
  ["p99_us", 0.99],
  ["p99_9_us", 0.999],
] as const;

/** In the names of the Inspector's API. */
export type Percentiles = Record<(typeof SHARES)[number][0] | "max_us" | "mean_us", number>;

/** The number of samples. */
export function samplesOf({ pairs }: Cells): number {
  let samples = 0;
  for (let at = 1; at < pairs.length; at += 2) samples += pairs[at] as number;
  return samples;
}

/**
 * Each percentile is the smallest value that the given share of samples does not exceed, exact to
 * 1/64 or half a microsecond. Maximum and mean are exact. Null without samples.
 */
export function percentilesOf(cells: Cells): Percentiles | null {
  const samples = samplesOf(cells);
  if (samples === 0) return null;
  const found = { p50_us: 0, p90_us: 0, p95_us: 0, p99_us: 0, p99_9_us: 0 };
  const walk = new Walk(cells);
  for (const [name, share] of SHARES) found[name] = walk.to(rankOf(share, samples));
  return { ...found, max_us: cells.maxUs, mean_us: cells.sumUs / samples };
}

export function p99Of(cells: Cells): number | null {
  const samples = samplesOf(cells);
  return samples === 0 ? null : new Walk(cells).to(rankOf(0.99, samples));
}

/** A product like 0.999 * 1000 may be slightly above the exact integer. */
const rankOf = (share: number, samples: number): number => Math.ceil(share * samples * (1 - 1e-12));

class Walk {
  readonly #cells: Cells;
  #at = -2;
  #passed = 0;

  constructor(cells: Cells) {
    this.#cells = cells;
  }

  /** The value of the sample of that rank. Ranks must not decrease between calls. */
  to(rank: number): number {
    const { pairs, maxUs } = this.#cells;
    while (this.#passed < rank) {
      this.#at += 2;
      this.#passed += pairs[this.#at + 1] as number;
    }
    // The middle of the last cell may exceed the maximum.
    return Math.min(middleOf(pairs[this.#at] as number), maxUs);
  }
}
