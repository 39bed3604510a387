// Figures that exceed one message of the feed come in parts.

import type { FeedEvent } from "../../api/events.js";
import type { CircuitMetrics } from "../../api/metrics.js";
import type { MetricsData } from "../client/api.js";

/** Returns the whole figures with their last part, before it undefined. */
export function figureJoiner(): (event: Extract<FeedEvent, { kind: "metrics" }>) => MetricsData | undefined {
  let joined: MetricsData | undefined;
  let next = 1;
  return ({ metrics, part = { n: 1, of: 1 } }) => {
    if (part.n === 1) joined = metrics;
    else joined = part.n === next && joined?.at === metrics.at ? joinFigures(joined, metrics) : undefined;
    next = part.n + 1;
    return part.n === part.of ? joined : undefined;
  };
}

export function joinFigures(before: MetricsData, part: MetricsData): MetricsData {
  const { http, circuits, pool } = part;
  return {
    ...part,
    http: { ...http, by_route: [...before.http.by_route, ...http.by_route] },
    circuits: circuits.reduce(withCircuit, before.circuits),
    pool: pool && { ...pool, steps: [...(before.pool?.steps ?? []), ...pool.steps] },
  };
}

/** A long circuit continues in the next part with further nodes. */
function withCircuit(before: CircuitMetrics[], circuit: CircuitMetrics): CircuitMetrics[] {
  const last = before.at(-1);
  if (last?.circuit !== circuit.circuit) return [...before, circuit];
  return [...before.slice(0, -1), { ...circuit, nodes: [...last.nodes, ...circuit.nodes] }];
}
