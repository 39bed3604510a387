import type { HistogramValue } from "./family.js";
import { CELLS, middleOf } from "./log-linear.js";

/** Upper bounds of the buckets of every histogram, in seconds. */
export const BUCKETS = [
  0.00001, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
  10,
] as const;

/**
 * By cell: the bucket that contains its middle. A sample within 1/64 of a bound may count on the
 * other side.
 */
const bucketOf = Uint8Array.from({ length: CELLS }, (_, cell) => {
  const at = BUCKETS.findIndex((bound) => middleOf(cell) <= Math.round(bound * 1e6));
  return at < 0 ? BUCKETS.length : at;
});

/** Bucket counts of a histogram, kept beside the cells, so that a scrape need not walk over them. */
export class BucketCounts {
  /** Per bucket, not cumulative; the last one is above all bounds. */
  readonly #counts = new Float64Array(BUCKETS.length + 1);
  #sumUs = 0;

  add(cell: number, count: number): void {
    const bucket = bucketOf[cell] as number;
    this.#counts[bucket] = (this.#counts[bucket] as number) + count;
  }

  took(sumUs: number): void {
    this.#sumUs += sumUs;
  }

  histogram(): HistogramValue {
    const buckets: number[] = [];
    let count = 0;
    for (let at = 0; at < BUCKETS.length; at += 1) {
      count += this.#counts[at] as number;
      buckets.push(count);
    }
    return { buckets, count: count + (this.#counts[BUCKETS.length] as number), sum: this.#sumUs / 1e6 };
  }
}
