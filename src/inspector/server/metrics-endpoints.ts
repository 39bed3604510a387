import { respond } from "#core/bus/reply.js";
import { planned } from "../api/fault.js";
import { Metrics, MetricsQuery, OneCircuitMetrics, OneMetricsQuery } from "../api/metrics.js";
import { Unmatched, UnmatchedQuery } from "../api/unmatched.js";
import { DEFAULT_LIMIT } from "../unmatched/unmatched.js";
import { circuitUnknown } from "./circuit-endpoints.js";
import { type Endpoint, endpoint, having } from "./endpoint.js";
import type { InspectorParts } from "./parts.js";

const NO_METRICS = planned("metrics", "This server counts nothing");
const NO_UNMATCHED = planned("unmatched", "This server keeps no requests without a route");
const PROMETHEUS = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };

export const metricsEndpoints = ({ metrics, unmatched, peers }: InspectorParts): readonly Endpoint[] => [
  endpoint({
    route: "GET /api/v1/metrics",
    role: "viewer",
    summary: "Figures of all circuits over 1, 10 and 60 seconds, or one window",
    takes: MetricsQuery,
    gives: Metrics,
    run: having(metrics, NO_METRICS, (figures, { window }) => figures.snapshot(window)),
  }),
  endpoint({
    route: "GET /api/v1/metrics/:name",
    role: "viewer",
    summary: "Figures of one circuit",
    takes: OneMetricsQuery,
    gives: OneCircuitMetrics,
    run: having(
      metrics,
      NO_METRICS,
      async (figures, { name, window }) => (await figures.circuit(name, window)) ?? circuitUnknown(name),
    ),
  }),
  endpoint({
    route: "GET /metrics",
    role: "viewer",
    summary: "All figures in the text format of Prometheus",
    run: having(metrics, NO_METRICS, (figures) => figures.text()),
    responds: (body) => respond({ headers: PROMETHEUS, body }),
  }),
  endpoint(
    {
      route: "GET /api/v1/unmatched",
      role: "viewer",
      summary: "Requests that no route matched, the newest first",
      takes: UnmatchedQuery,
      gives: Unmatched,
      across: {
        merged: (own, others, { input: { limit = DEFAULT_LIMIT } }) => ({
          ...own,
          requests: [own, ...others]
            .flatMap(({ requests }) => requests)
            .sort((one, other) => other.at - one.at)
            .slice(0, limit),
          not_kept: others.reduce((sum, { not_kept }) => sum + not_kept, own.not_kept),
        }),
      },
      run: having(unmatched, NO_UNMATCHED, (kept, query) => ({ ...kept.list(query), workers_silent: 0 })),
    },
    peers,
  ),
];
