import type { NodeCounts } from "framework/core";

/** Counts of a circuit with one node, which each run enters. */
export const nodeCounts = (entered: number, faulted: number): NodeCounts => ({
  runs: { begun: entered, refused: 0, failed: 0 },
  entered: Float64Array.of(entered),
  faulted: Float64Array.of(faulted),
  synchronous: {
    calls: new Float64Array(1),
    sumUs: new Float64Array(1),
    long: new Float64Array(1),
    longSumUs: new Float64Array(1),
    longestUs: new Float64Array(1),
  },
});
