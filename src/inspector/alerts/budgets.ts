// Circuits whose slowest runs take longer than their Axon's budget allows.

import type { Schematic } from "#core/flow/schematic.js";
import type { CircuitMetrics } from "../api/metrics.js";
import type { Cause } from "./cause.js";
import { STAYS_ABOVE, windowIn } from "./error-rates.js";

/** The p99 that each circuit is allowed, in milliseconds. */
export type Budgets = ReadonlyMap<string, number>;

export function budgetsOf(schematics: readonly Schematic[]): Budgets {
  const budgets = new Map<string, number>();
  for (const { name, nodes } of schematics) {
    const p99Ms = nodes.find(({ kind }) => kind === "Ingress")?.budget?.p99_ms;
    if (p99Ms !== undefined) budgets.set(name, p99Ms);
  }
  return budgets;
}

const SECONDS = 60;
/** The p99 of fewer durations is the slowest alone. */
const MIN_SAMPLES = 100;

export function overBudget(
  budgets: Budgets,
  circuits: readonly CircuitMetrics[],
  isActive: (key: string) => boolean,
): readonly Cause[] {
  return circuits.flatMap(({ circuit, windows }): Cause[] => {
    const allowedMs = budgets.get(circuit);
    const window = windowIn(windows, SECONDS);
    if (allowedMs === undefined || !window?.latency || window.samples < MIN_SAMPLES) return [];
    const key = `budget:${circuit}`;
    const p99Ms = window.latency.p99_us / 1000;
    if (p99Ms <= (isActive(key) ? allowedMs * STAYS_ABOVE : allowedMs)) return [];
    const waitedMs = (window.waited_us ?? 0) / 1000;
    const waits = `; on average a run waited ${waitedMs.toFixed(1)} ms for its log and locks, outside its steps`;
    return [
      {
        key,
        kind: "budget",
        severity: "warning",
        circuit,
        node: null,
        title:
          p99Ms - waitedMs > allowedMs
            ? `'${circuit}' is slower than its budget`
            : `'${circuit}' waits for its store beyond its budget`,
        cause: `The p99 of ${window.samples} runs was ${p99Ms.toFixed(1)} ms in ${SECONDS} s; at most ${allowedMs} ms are allowed${waitedMs > 0 ? waits : ""}`,
        run_ids: [],
      },
    ];
  });
}
