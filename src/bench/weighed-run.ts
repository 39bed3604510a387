// Counts the bytes of heap that a run allocates, in a process of its own whose flags keep collections
// out of the count.

import type { RunBenchmark } from "./declared.js";
import { repeatedRun } from "./repeated-run.js";
import type { Sampled } from "./sample.js";

/** New objects have room for more than a count allocates. */
export const WEIGHING_FLAGS = ["--expose-gc", "--min-semi-space-size=128", "--max-semi-space-size=128"];
const ROOM_BYTES = 64 * 1024 * 1024;

const LOOKS = 10;
const CALL_MS = 2;
const CALLS_A_LOOK = 10;

export async function weighedRun({ run }: RunBenchmark): Promise<Sampled> {
  const { call, runs } = await repeatedRun(run, CALL_MS);
  const first = await allocatedBy(call, 1);
  const calls = Math.max(1, Math.min(CALLS_A_LOOK, Math.floor(ROOM_BYTES / Math.max(1, first))));
  const looks: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) looks.push(await allocatedBy(call, calls));
  // The least: V8 still compiles in others. Less than a tenth of a byte is what the calls take.
  const bytes = Math.min(...looks) / (calls * runs);
  return { bytes_a_run: { value: Math.round(10 * Math.max(0, bytes)) / 10 } };
}

async function allocatedBy(call: () => unknown, calls: number): Promise<number> {
  globalThis.gc?.();
  const first = process.memoryUsage().heapUsed;
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < calls; i += 1) await call();
  // A look itself allocates what it did between the first two.
  return process.memoryUsage().heapUsed - before - (before - first);
}
