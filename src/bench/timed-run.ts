// Times one function in a process of its own, in slices between which the calibration is timed.

import { performance } from "node:perf_hooks";

import { calibrate } from "./calibration.js";
import type { RunBenchmark } from "./declared.js";
import { median } from "./median.js";
import { repeatedRun, WARM_UP_MS } from "./repeated-run.js";
import type { Sampled } from "./sample.js";
import { tinybench } from "./tinybench.js";

const SLICES = 10;
const CALIBRATION_WARM_UP_MS = 50;

/** Throws what the function throws, and an Error for an outcome that is a fault. */
export async function timedRun(benchmark: RunBenchmark, seconds: number): Promise<Sampled> {
  const { Bench } = await tinybench();
  const time = async (call: () => unknown, isAsync: boolean, ms: number): Promise<Latency> => {
    const bench = new Bench({ time: ms, iterations: 1, warmup: false, throws: true });
    bench.add(benchmark.name, call, { async: isAsync });
    const [task] = await bench.run();
    if (task?.result.state !== "completed") throw new Error(`tinybench ended as ${task?.result.state}`);
    return task.result.latency;
  };
  const { call, isAsync, runs } = await repeatedRun(
    benchmark.run,
    CALL_MS,
    Math.min(WARM_UP_MS, 1000 * seconds),
  );
  await time(calibrate, false, CALIBRATION_WARM_UP_MS);
  const sliceMs = (seconds * 1000) / SLICES;
  const slices: { p50: number; p99: number; relative: number }[] = [];
  const busy: number[] = [];
  let before = await time(calibrate, false, sliceMs / 4);
  for (let slice = 0; slice < SLICES; slice += 1) {
    const loop = performance.eventLoopUtilization();
    const { p50, p99 } = await time(call, isAsync, sliceMs);
    busy.push(performance.eventLoopUtilization(loop).utilization);
    const after = await time(calibrate, false, sliceMs / 4);
    slices.push({ p50: p50 / runs, p99: p99 / runs, relative: (2 * p50) / runs / (before.p50 + after.p50) });
    before = after;
  }
  return {
    ns_a_run: {
      value: 1e6 * median(slices.map(({ p50 }) => p50)),
      relative: median(slices.map(({ relative }) => relative)),
      busy: median(busy),
    },
    p99_ns: { value: 1e6 * median(slices.map(({ p99 }) => p99)) },
  };
}

/** In milliseconds. */
type Latency = { readonly p50: number; readonly p99: number };

/** Many runs a call: what tinybench itself takes for one, about 0.1 us, is spread over them. */
const CALL_MS = 0.1;
