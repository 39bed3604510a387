import { isPromise } from "node:util/types";

import { faultOf } from "./declared.js";

const MAX_RUNS = 100_000;
/** Of computing, so that V8 has compiled what it will; a run that waits computes less in a second. */
export const WARM_UP_MS = 250;
const MAX_WARM_UP_MS = 1500;

export interface RepeatedRun {
  /** Runs it `runs` times. */
  readonly call: () => unknown;
  readonly runs: number;
  readonly isAsync: boolean;
}

/** Warms a run up, and repeats it so often that a call takes about `callMs`. Throws for an outcome that is a fault. */
export async function repeatedRun(
  run: () => unknown,
  callMs: number,
  warmUpMs = WARM_UP_MS,
): Promise<RepeatedRun> {
  const first = run();
  const isAsync = isPromise(first);
  const check = (outcome: unknown): void => {
    const fault = faultOf(outcome);
    if (fault !== undefined) throw new Error(fault);
  };
  check(await first);
  const at = { runs: 1 };
  let last: unknown;
  const now = (): void => {
    // Into a variable that outlives the call, or V8 may leave out what a run makes.
    for (let i = 0; i < at.runs; i += 1) last = run();
    check(last);
  };
  const later = async (): Promise<void> => {
    for (let i = 0; i < at.runs; i += 1) last = await run();
    check(last);
  };
  const call = isAsync ? later : now;
  const cpu = process.cpuUsage();
  const endsAt = performance.now() + MAX_WARM_UP_MS;
  let ms = 0;
  do {
    const began = performance.now();
    await call();
    ms = performance.now() - began;
    if (ms < callMs / 2) at.runs = Math.min(2 * at.runs, MAX_RUNS);
    // The first calls were not compiled yet.
    else if (ms > 2 * callMs) at.runs = Math.max(1, at.runs >> 1);
  } while (process.cpuUsage(cpu).user < 1000 * warmUpMs && performance.now() < endsAt);
  return { call, runs: at.runs, isAsync };
}
