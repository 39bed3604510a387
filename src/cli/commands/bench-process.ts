// A process of `framework bench`: imports the file and, on request over its channel, measures one of its
// benchmarks, serves its routes, or sends load to them.

import { performance } from "node:perf_hooks";
import { inspect } from "node:util";

import { bytesOf } from "#bench/bench-request.js";
import { type BenchedIngress, serve } from "#bench/bench-server.js";
import { type Benchmark, declared, type RouteBenchmark, type RunBenchmark } from "#bench/declared.js";
import { listed } from "#bench/listed.js";
import { Load } from "#bench/load.js";
import type { Served } from "#bench/measured-route.js";
import { timedRun } from "#bench/timed-run.js";
import { weighedRun } from "#bench/weighed-run.js";
import { ingressOf, moduleOf } from "../application/application.js";

const [file = "", ingressName] = process.argv.slice(2);
let loads: { readonly route: Load; readonly calibration: Load } | undefined;

const ingress = async (): Promise<BenchedIngress> =>
  (await ingressOf(file, ingressName)) as unknown as BenchedIngress;

async function found<B extends Benchmark>({ name }: { readonly name: string }): Promise<B> {
  await moduleOf(file);
  return declared().find((one) => one.name === name) as B;
}

const answers: Readonly<Record<string, (given: never) => unknown>> = {
  list: async () => {
    await moduleOf(file);
    return listed(declared(), async () => (await ingress()).plan);
  },
  time: async (given: { readonly name: string; readonly seconds: number }) =>
    timedRun(await found<RunBenchmark>(given), given.seconds),
  weigh: async (given: { readonly name: string }) => weighedRun(await found<RunBenchmark>(given)),
  serve: async (given: { readonly name: string }) => {
    const { resources } = await moduleOf(file);
    const { method, target, request } = await found<RouteBenchmark>(given);
    const ports = await serve({ ingress: await ingress(), resources });
    const bytes = bytesOf({ method, target, request }, `127.0.0.1:${ports.port}`);
    return { ...ports, method, request: bytes.toString("base64") };
  },
  spent: () => {
    const { user, system } = process.cpuUsage();
    return { cpuUs: user + system, loop: performance.eventLoopUtilization() };
  },
  open: async ({ connections, ...served }: Served & { readonly connections: number }) => {
    const request = Buffer.from(served.request, "base64");
    const route = await Load.open({ ...served, request, connections });
    const calibration = {
      port: served.calibration,
      method: "GET",
      request: CALIBRATION_REQUEST,
      connections,
    };
    loads = { route, calibration: await Load.open(calibration) };
  },
  load: ({ of, ms }: { readonly of: "route" | "calibration"; readonly ms: number }) => loads?.[of].run(ms),
  latencies: () => loads?.route.latencies(),
};

const CALIBRATION_REQUEST = Buffer.from("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");

process.on("message", async ({ question, given }: { question: string; given: never }) => {
  try {
    process.send?.({ answer: (await answers[question]?.(given)) ?? null });
  } catch (error) {
    process.send?.({ error: textOf(error) });
  }
});
// The command has ended.
process.once("disconnect", () => process.exit());

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  const { message, cause } = error;
  return cause === undefined ? message : `${message}\n  because ${textOf(cause)}`;
}
