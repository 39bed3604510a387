// Orders circuits by severity. Severities are rounded to coarse steps: figures change each second,
// and rows should keep their places.

import type { CircuitMetrics, NodeMetrics, Window } from "../../../api/metrics.js";
import { percentile, slowBy, type WindowSeconds, windowOf } from "../../format/figure.js";
import { AROUND } from "../../format/node-name.js";

export interface Slowest {
  readonly node: NodeMetrics;
  readonly us: number;
  /** The figure in `us`. p99 and maximum are not comparable. */
  readonly by: "p99_us" | "max_us";
}

export function slowestNode({ nodes }: CircuitMetrics, seconds: WindowSeconds): Slowest | undefined {
  const inner = nodes.filter(({ kind }) => !AROUND.has(kind));
  const by = slowBy(inner.map(({ windows }) => windowOf(windows, seconds)));
  let slowest: Slowest | undefined;
  for (const node of inner) {
    const us = percentile(windowOf(node.windows, seconds), by);
    if (us !== undefined && (slowest === undefined || us > slowest.us)) slowest = { node, us, by };
  }
  return slowest;
}

export interface Refusals {
  readonly node: string;
  readonly refused: number;
}

/** Nodes with faults below 500, and the input of the circuit, most refusals first. */
export function refusals(
  { circuit, windows, nodes }: CircuitMetrics,
  seconds: WindowSeconds,
): readonly Refusals[] {
  const input = windowOf(windows, seconds)?.refused_input ?? 0;
  return nodes
    .filter(({ kind }) => !AROUND.has(kind))
    .map((node): Refusals => ({ node: node.node, refused: windowOf(node.windows, seconds)?.refused ?? 0 }))
    .concat({ node: `${circuit}:in`, refused: input })
    .filter(({ refused }) => refused > 0)
    .sort((a, b) => b.refused - a.refused);
}

export function bySeverity(
  circuits: readonly CircuitMetrics[],
  seconds: WindowSeconds,
): readonly CircuitMetrics[] {
  const keyed = circuits.map((circuit) => ({ circuit, key: painOf(windowOf(circuit.windows, seconds)) }));
  keyed.sort((a, b) => {
    for (let n = 0; n < a.key.length; n += 1) {
      const by = (b.key[n] as number) - (a.key[n] as number);
      if (by !== 0) return by;
    }
    return a.circuit.circuit < b.circuit.circuit ? -1 : 1;
  });
  return keyed.map(({ circuit }) => circuit);
}

function painOf(window: Window | undefined): readonly number[] {
  if (window === undefined || window.count === 0) return [-1, -1, -1];
  const errors = [0.001, 0.01, 0.05, 0.2, 0.5].filter((share) => window.error_share >= share).length;
  // The maximum, since a circuit with few runs has no p99.
  const slow = Math.round(Math.log2(1 + (percentile(window, "max_us") ?? 0)));
  return [errors, slow, Math.round(Math.log2(1 + window.per_second))];
}
