// The nodes of a circuit that an overview names: the slowest, and those that refused runs.

import type { CircuitMetrics, NodeMetrics, Window } from "./metrics.js";

/** Enclosing nodes: their time is that of the nodes inside, and a fault leaves from one of those. */
export const AROUND: ReadonlySet<string> = new Set([
  ...["Ingress", "Egress", "Layer", "Subgraph", "FanOut", "FanIn"],
]);

/** With fewer samples a p99 would equal the largest sample. */
const P99_SAMPLES = 100;
const MAX_REFUSING = 20;

/** Of each window the node with the highest p99 and that with the highest maximum; and nodes that refused runs. */
export function leadingNodes({ windows, nodes }: CircuitMetrics): NodeMetrics[] {
  const inner = nodes.filter(({ kind }) => !AROUND.has(kind));
  const named = new Set<NodeMetrics | undefined>(
    inner.filter((node) => node.windows.some(({ refused }) => refused > 0)).slice(0, MAX_REFUSING),
  );
  for (let n = 0; n < windows.length; n += 1) {
    named.add(highest(inner, n, ({ samples, latency }) => (samples < P99_SAMPLES ? 0 : latency?.p99_us)));
    named.add(highest(inner, n, ({ latency }) => latency?.max_us));
  }
  return nodes.filter((node) => named.has(node));
}

function highest(nodes: readonly NodeMetrics[], n: number, figure: (window: Window) => number | undefined) {
  let most = 0;
  let found: NodeMetrics | undefined;
  for (const node of nodes) {
    const window = node.windows[n];
    const us = (window && figure(window)) ?? 0;
    if (us > most) [most, found] = [us, node];
  }
  return found;
}
