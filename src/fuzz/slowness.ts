// Responses that take long: a finding of their own.

import { performance } from "node:perf_hooks";

import type { FuzzedRoute } from "./fuzzed-route.js";
import type { Violation } from "./violation.js";

interface Spent {
  readonly ms: number;
  /** Time of it in which the event loop ran code. */
  readonly busyMs: number;
}

/** Returns a function for the time since this call. */
export function started(): () => Spent {
  const loop = performance.eventLoopUtilization();
  const at = performance.now();
  return () => ({
    ms: performance.now() - at,
    busyMs: performance.eventLoopUtilization(loop).active,
  });
}

/** `spent` is undefined if no response came. `slowMs` 0: nothing is slow. */
export function slowness(
  { row }: Pick<FuzzedRoute, "row">,
  spent: Spent | undefined,
  slowMs: number,
  patienceMs: number,
): Violation | undefined {
  if (slowMs === 0) return undefined;
  if (spent === undefined) return { key: `${row} late`, message: `no response within ${patienceMs} ms` };
  const { ms, busyMs } = spent;
  if (ms < slowMs) return undefined;
  const busy = busyMs > ms / 2 ? `; its steps blocked the event loop for ${Math.round(busyMs)} ms of it` : "";
  return { key: `${row} slow`, message: `slow: the response took ${Math.round(ms)} ms${busy}` };
}
