// Prints how many bytes of heap and nanoseconds the question takes whether a request leaves
// a trace, where it leaves none: `node count-trace-bytes.ts RATIO [traceparent]`.

import { ClientReader } from "#http/client/client.js";
import { Exchange } from "#http/exchange/exchange.js";
import type { NativeRequest, NativeResponse } from "#http/native/port.js";
import { RequestTraces } from "#http/request/request-traces.js";
import { initTelemetry } from "#telemetry/init-telemetry.js";
import { loaded } from "./config-folder.js";

const REQUESTS = 1_000_000;

const [ratio, traceparent = ""] = process.argv.slice(2);
const config = loaded(
  `telemetry.otlp_endpoint = "http://127.0.0.1:1"\ntelemetry.otlp_protocol = "http"\ntelemetry.sample_ratio = ${ratio}`,
);
const tracing = initTelemetry(config);
if (tracing === undefined) throw new Error("No endpoint is set");
const observed = { observers: [], facts: new Map(), route: undefined, reportOf: () => ({}) };
const clients = new ClientReader({
  trustedProxies: [],
  forwardedHeader: "x-forwarded-for",
  proxyProtocol: "off",
});
const traces = new RequestTraces(tracing, clients, observed, {} as never);
const request = { getHeader: (name: string) => (name === "traceparent" ? traceparent : "") };
const exchange = new Exchange({} as NativeResponse, {} as never);
exchange.isTraced = traceparent !== "";
const batch = () => {
  for (let i = 0; i < REQUESTS; i += 1) traces.begin(exchange, request as NativeRequest);
};

batch();
batch();
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const atRest = process.memoryUsage().heapUsed;
const began = performance.now();
batch();
const tookMs = performance.now() - began;
const after = process.memoryUsage().heapUsed;
const bytes = (after - atRest - (atRest - before)) / REQUESTS;
const nanoseconds = (tookMs * 1e6) / REQUESTS;
console.log(JSON.stringify({ bytes, nanoseconds, kept: exchange.particulars.kept !== null }));
