// Measures a route: one process serves it, another one loads it. In slices, between which the same
// server's calibration is loaded.

import { type EventLoopUtilization, performance } from "node:perf_hooks";

import type { BenchPorts } from "./bench-server.js";
import type { Child } from "./child.js";
import type { Loaded } from "./load.js";
import { median } from "./median.js";
import type { Sampled } from "./sample.js";

const SLICES = 6;
/** By requests: V8 compiles what ran often, and a route took five times as long before. */
const WARM_UP = [
  ["route", 5000],
  ["calibration", 3000],
] as const;
const WARM_UP_SLICE_MS = 50;
const MAX_WARM_UP_MS = 3000;
const PATIENCE_MS = 60_000;

/** What the load needs to know. */
export interface Served extends BenchPorts {
  readonly method: string;
  /** In base64. */
  readonly request: string;
}

interface RouteOptions {
  readonly name: string;
  readonly seconds: number;
  readonly connections: number;
}

/** Of a server since it began. */
interface Spent {
  readonly cpuUs: number;
  readonly loop: EventLoopUtilization;
}

interface Slice {
  readonly requests: number;
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly busy: number;
}

/** Rejects with ChildFailed, also for a response that is none to measure. */
export async function measuredRoute(start: () => Child, options: RouteOptions): Promise<Sampled> {
  const { name, seconds, connections } = options;
  const server = start();
  const load = start();
  try {
    const served = await server.ask<Served>("serve", { name }, PATIENCE_MS);
    await load.ask("open", { ...served, connections }, PATIENCE_MS);
    const slice = async (of: "route" | "calibration", ms: number): Promise<Slice> => {
      const before = await server.ask<Spent>("spent", {}, PATIENCE_MS);
      const loaded = await load.ask<Loaded>("load", { of, ms }, PATIENCE_MS);
      const after = await server.ask<Spent>("spent", {}, PATIENCE_MS);
      const { utilization } = performance.eventLoopUtilization(after.loop, before.loop);
      return {
        requests: loaded.requests,
        perSecond: (1000 * loaded.requests) / loaded.ms,
        cpuUs: (after.cpuUs - before.cpuUs) / loaded.requests,
        busy: Math.max(utilization, loaded.busy),
      };
    };
    for (const [of, most] of WARM_UP) {
      const endsAt = performance.now() + MAX_WARM_UP_MS;
      for (let requests = 0; requests < most && performance.now() < endsAt; )
        requests += (await slice(of, WARM_UP_SLICE_MS)).requests;
    }
    await load.ask("latencies", {}, PATIENCE_MS);
    const ms = (1000 * seconds) / SLICES;
    const slices: { readonly route: Slice; readonly calibration: Slice }[] = [];
    let before = await slice("calibration", ms / 3);
    for (let i = 0; i < SLICES; i += 1) {
      const route = await slice("route", ms);
      const after = await slice("calibration", ms / 3);
      slices.push({ route, calibration: between(before, after) });
      before = after;
    }
    const { p50, p99 } = await load.ask<{ p50: number; p99: number }>("latencies", {}, PATIENCE_MS);
    const of = (figure: "perSecond" | "cpuUs") => ({
      value: median(slices.map(({ route }) => route[figure])),
      relative: median(slices.map(({ route, calibration }) => route[figure] / calibration[figure])),
    });
    const busy = median(slices.map(({ route }) => route.busy));
    return {
      // Its own time is the processor's whatever it waits for.
      cpu_us_a_request: { ...of("cpuUs"), busy: 1 },
      requests_per_second: { ...of("perSecond"), busy },
      p50_us: { value: p50 },
      p99_us: { value: p99 },
    };
  } finally {
    await Promise.all([server.stop(), load.stop()]);
  }
}

const between = (one: Slice, other: Slice): Slice => ({
  requests: one.requests + other.requests,
  perSecond: (one.perSecond + other.perSecond) / 2,
  cpuUs: (one.cpuUs + other.cpuUs) / 2,
  busy: Math.max(one.busy, other.busy),
});
