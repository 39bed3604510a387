import type { Static } from "@sinclair/typebox";

import { respond } from "#core/bus/reply.js";
import { planned } from "../api/fault.js";
import { Metrics, OneCircuitMetrics } from "../api/metrics.js";
import { Unmatched, UnmatchedQuery } from "../api/unmatched.js";
import { ByName, circuitUnknown } from "./circuit-endpoints.js";
import { type Endpoint, endpoint, enveloped } from "./endpoint.js";
import type { InspectorParts } from "./parts.js";

const NO_METRICS = planned("metrics", "This server counts nothing");
const NO_UNMATCHED = planned("unmatched", "This server keeps no requests without a route");
const PROMETHEUS = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };

export const metricsEndpoints = ({ metrics, unmatched }: InspectorParts): readonly Endpoint[] => [
  endpoint({
    route: "GET /api/v1/metrics",
    role: "viewer",
    summary: "Figures of all circuits over 1, 10 and 60 seconds",
    gives: Metrics,
    run: async () => (metrics === undefined ? NO_METRICS : enveloped("metrics", await metrics.snapshot())),
  }),
  endpoint<Static<typeof ByName>>({
    route: "GET /api/v1/metrics/:name",
    role: "viewer",
    summary: "Figures of one circuit",
    takes: ByName,
    gives: OneCircuitMetrics,
    run: async ({ name }) => {
      if (metrics === undefined) return NO_METRICS;
      const found = await metrics.circuit(name);
      return found === undefined ? circuitUnknown(name) : enveloped("circuit_metrics", found);
    },
  }),
  endpoint({
    route: "GET /metrics",
    role: "viewer",
    summary: "All figures in the text format of Prometheus",
    run: async () =>
      metrics === undefined ? NO_METRICS : respond({ headers: PROMETHEUS, body: await metrics.text() }),
  }),
  endpoint<UnmatchedQuery>({
    route: "GET /api/v1/unmatched",
    role: "viewer",
    summary: "Requests that no route matched, the newest first",
    takes: UnmatchedQuery,
    gives: Unmatched,
    run: async (query) =>
      unmatched === undefined ? NO_UNMATCHED : enveloped("unmatched", await unmatched.list(query)),
  }),
];
