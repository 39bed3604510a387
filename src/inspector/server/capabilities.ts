// The capabilities and limits of /status.

import { bodyMemoryOf } from "#http/exchange/body-memory.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import type { Status } from "../api/status.js";
import type { InspectorParts } from "./parts.js";

type Capability = Status["capabilities"][number];

export function capabilitiesOf(
  plan: IngressPlan,
  parts: Omit<InspectorParts, "status">,
  { capturePayloads, sampleRatio }: { readonly capturePayloads: string; readonly sampleRatio: number },
): Capability[] {
  const has = (name: string, part: unknown, note: string | null = null): Capability => ({
    name,
    status: part === undefined ? "off" : "available",
    note,
  });
  return [
    has("routes", parts.circuits),
    has("samples", parts.samples),
    has("schematics", parts.circuits),
    has("relay", parts.relay),
    has("rerun", parts.rerun, parts.rerun === undefined ? 'capture_payloads is not "full"' : null),
    has("metrics", parts.metrics),
    has("traces", parts.traces, `${sampleRatio * 100} % of the runs are traced`),
    has("unmatched", parts.unmatched),
    { name: "payloads", status: capturePayloads === "off" ? "off" : "available", note: capturePayloads },
    has("events", parts.circuits),
    has("breakpoints", parts.steering),
    has("in_flight", parts.inFlight),
    has("stalls", parts.stalls),
    has("offload_advice", parts.offload),
    has("alerts", parts.alerts),
    has(
      "dead_letters",
      parts.deadLetters,
      parts.deadLetters === undefined ? "no circuit keeps letters that can be listed" : null,
    ),
    has("runs", parts.runs, parts.runs === undefined ? "no circuit keeps its runs" : null),
    has("audit", parts.audit, parts.audit === undefined ? "the server has no audit log" : null),
    ...mountedOn(plan),
  ];
}

/** Capabilities of the inspected server. */
function mountedOn({ routes, tls, compression, tracing, stores, workers }: IngressPlan): Capability[] {
  const of = (name: string, isMounted: boolean, note: string | null = null): Capability => ({
    name,
    status: isMounted ? "available" : "off",
    note: isMounted ? note : null,
  });
  const counted = (count: number): string => `${count} ${count === 1 ? "route" : "routes"}`;
  const sockets = routes.filter(({ webSocket }) => webSocket !== undefined).length;
  const streams = routes.filter(({ events }) => events !== undefined).length;
  return [
    of("websocket", sockets > 0, counted(sockets)),
    of("server_sent_events", streams > 0, counted(streams)),
    of("tls", tls !== undefined),
    of("compression", compression !== undefined),
    of("tracing", tracing !== undefined),
    of("stores", stores !== undefined, stores?.shown),
    of("workers", workers !== 1, String(workers)),
  ];
}

/** Limits from the server's options. */
export const limitsOf = (plan: IngressPlan): Status["limits"] => [
  { name: "body", value: plan.bodyLimit, unit: "bytes" },
  { name: "target", value: plan.targetLimit, unit: "characters" },
  { name: "route_timeout", value: plan.routeTimeoutMs, unit: "ms" },
  { name: "body_timeout", value: plan.bodyTimeoutMs, unit: "ms" },
  { name: "connections", value: plan.maxConnections, unit: "connections" },
  { name: "requests_in_flight", value: plan.maxInFlight, unit: "requests" },
  { name: "body_bytes_in_flight", value: bodyMemoryOf(plan), unit: "bytes" },
  { name: "event_streams", value: plan.maxEventStreams, unit: "streams" },
  { name: "shutdown_timeout", value: plan.shutdownTimeoutMs, unit: "ms" },
  { name: "header_fields", value: 98, unit: "fields" },
  { name: "idle_connection", value: 10_000, unit: "ms" },
];
