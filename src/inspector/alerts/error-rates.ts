// Error rates of circuits against the rules of the program.

import { invalidOption } from "#core/invalid-option.js";
import { namesOf, requireInteger, requireKnown } from "#http/refusal/option-checks.js";
import type { CircuitMetrics, NodeMetrics, Window } from "../api/metrics.js";
import type { Cause } from "./cause.js";

/** Runs that end in an error of the server: a 5xx, or a fault that no request was answered with. A refusal, 4xx, is none. */
export interface ErrorRateRule {
  readonly kind: "error_rate";
  /** Default: each. */
  readonly circuit?: string;
  /** Above 0 and below 1: a larger share raises the alert. */
  readonly share: number;
  /** Fewer runs in the window raise nothing. Default 20. */
  readonly minRuns?: number;
  /** The window: 1, 10 or 60. Default 60. */
  readonly seconds?: 1 | 10 | 60;
  /** Default warning. */
  readonly severity?: "warning" | "critical";
}

export type AlertRule = ErrorRateRule;

const OPTIONS = namesOf<ErrorRateRule>({
  kind: true,
  circuit: true,
  share: true,
  minRuns: true,
  seconds: true,
  severity: true,
});

const callOf = (rule: AlertRule): string => `The alert rule ${JSON.stringify(rule)}`;

/** Throws CONFIG_INVALID. */
export function requireRule(rule: AlertRule): AlertRule {
  const call = callOf(rule);
  const { kind, share, minRuns = 20, seconds = 60, severity = "warning" } = rule;
  if (kind !== "error_rate")
    throw invalidOption(call, "kind is error_rate; the rest is rules of Prometheus, see docs/metrics.md");
  requireKnown(call, rule, OPTIONS);
  if (!(share > 0 && share < 1)) throw invalidOption(call, "share is above 0 and below 1");
  requireInteger("minRuns", minRuns, 1, Number.MAX_SAFE_INTEGER);
  if (![1, 10, 60].includes(seconds)) throw invalidOption(call, "seconds is 1, 10 or 60");
  if (!["warning", "critical"].includes(severity))
    throw invalidOption(call, "severity is warning or critical");
  return rule;
}

/** Throws CONFIG_INVALID for a rule about a circuit that is not mounted: it would never raise anything. */
export function requireMounted(rules: readonly AlertRule[], circuits: readonly string[]): void {
  for (const rule of rules)
    if (rule.circuit !== undefined && !circuits.includes(rule.circuit)) {
      const mounted = circuits.join(", ") || "none";
      throw invalidOption(callOf(rule), `no circuit '${rule.circuit}' is mounted; there are ${mounted}`);
    }
}

/** An active alert ends only below this part of what raises it: a figure at its bound does not flap. */
export const STAYS_ABOVE = 0.8;

interface Known {
  readonly isActive: (key: string) => boolean;
  readonly failedRuns: (circuit: string) => readonly string[];
}

/** If two rules find the same of a circuit, the graver one counts. */
export function errorRates(
  rules: readonly AlertRule[],
  circuits: readonly CircuitMetrics[],
  known: Known,
): readonly Cause[] {
  const found = new Map<string, Cause>();
  for (const rule of rules)
    for (const metrics of circuits) {
      if (rule.circuit !== undefined && rule.circuit !== metrics.circuit) continue;
      const cause = errorRate(rule, metrics, known);
      if (cause !== undefined && found.get(cause.key)?.severity !== "critical") found.set(cause.key, cause);
    }
  return [...found.values()];
}

function errorRate(
  { share: allowed, minRuns = 20, seconds = 60, severity = "warning" }: AlertRule,
  { circuit, windows, nodes }: CircuitMetrics,
  { isActive, failedRuns }: Known,
): Cause | undefined {
  const runs = windowIn(windows, seconds);
  // Too few runs are no evidence: they end an alert, too.
  if (runs === undefined || runs.count < minRuns) return undefined;
  const share = runs.errors / runs.count;
  const key = `error_rate:${circuit}`;
  if (share <= (isActive(key) ? allowed * STAYS_ABOVE : allowed)) return undefined;
  return {
    key,
    kind: "error_rate",
    severity,
    circuit,
    node: worstOf(nodes, seconds),
    title: `Many runs of '${circuit}' end in an error`,
    cause: `${percent(share)} of ${runs.count} runs ended in an error of the server (5xx, or unanswered) in ${seconds} s; at most ${percent(allowed)} may`,
    run_ids: failedRuns(circuit),
  };
}

/** The node with the most errors. */
function worstOf(nodes: readonly NodeMetrics[], seconds: number): string | null {
  const errors = ({ windows }: NodeMetrics): number => windowIn(windows, seconds)?.errors ?? 0;
  const [worst] = [...nodes].sort((a, b) => errors(b) - errors(a));
  return worst !== undefined && errors(worst) > 0 ? worst.node : null;
}

export const windowIn = (windows: readonly Window[], seconds: number): Window | undefined =>
  windows.find((window) => window.seconds === seconds);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
