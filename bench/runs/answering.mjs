// How a process of bench/runs is asked: a line with seconds on stdin, an answer as JSON on stdout.

import { createInterface } from "node:readline";

/** Calls `measure` for each line, one after another, until stdin ends. */
export async function answering(measure) {
  process.stdout.write("ready\n");
  for await (const line of createInterface({ input: process.stdin }))
    process.stdout.write(`${JSON.stringify(await measure(Number(line)))}\n`);
}

/** The value below which a share of the sorted numbers lies. */
export const percentile = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
