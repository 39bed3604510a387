import type { Distribution } from "./distribution.js";
import type { HistogramValue } from "./family.js";
import { CELLS, middleOf } from "./log-linear.js";

/** Upper bounds of the buckets of every histogram, in seconds. */
export const BUCKETS = [
  0.00001, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
  10,
] as const;

/** The first cell that is beyond each bound: a sample next to a bound may count on its other side, within 1/64. */
const ENDS = BUCKETS.map((bound) => {
  let cell = 0;
  while (cell < CELLS && middleOf(cell) <= Math.round(bound * 1e6)) cell += 1;
  return cell;
});

export function histogramOf(distribution: Distribution): HistogramValue {
  let cell = 0;
  let passed = 0;
  const buckets = ENDS.map((end) => {
    for (; cell < end; cell += 1) passed += distribution.at(cell);
    return passed;
  });
  return { buckets, count: distribution.count, sum: distribution.sumUs / 1e6 };
}
