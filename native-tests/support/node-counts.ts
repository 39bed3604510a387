import type { NodeCounts } from "framework/core";

/** Counts of a circuit with one node. */
export const nodeCounts = (entered: number, faulted: number): NodeCounts => ({
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
