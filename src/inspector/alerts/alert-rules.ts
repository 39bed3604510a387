// What of the figures is too much.

import { invalidOption } from "#core/invalid-option.js";
import { namesOf, requireKnown } from "#http/known-options.js";
import { requireInteger } from "#http/required-integer.js";

interface CommonRule {
  /** Default: each. */
  readonly circuit?: string;
  /** The window: 1, 10 or 60. Default 60. */
  readonly seconds?: 1 | 10 | 60;
  /** Default warning. */
  readonly severity?: "warning" | "critical";
}

/** Runs that end in an error of the server: a 5xx, or a fault that no request was answered with. A refusal, 4xx, is none. */
export interface ErrorRateRule extends CommonRule {
  readonly kind: "error_rate";
  /** Above 0 and below 1: what is more is too much. */
  readonly share: number;
  /** Of fewer runs in the window nothing is said. Default 20. */
  readonly minRuns?: number;
}

/** How long runs, or one node of them, may take. */
export interface LatencyBudgetRule extends CommonRule {
  readonly kind: "latency_budget";
  /** A node's id in the Schematic. Default: the run. */
  readonly node?: string;
  /** Default p99. */
  readonly percentile?: "p50" | "p90" | "p95" | "p99" | "p99_9";
  readonly budgetMs: number;
  /** Of fewer durations in the window nothing is said. Default 100. */
  readonly minSamples?: number;
}

export type AlertRule = ErrorRateRule | LatencyBudgetRule;

/** Where a program says nothing: more than one run in twenty that ends in an error. */
export const DEFAULT_RULES: readonly AlertRule[] = [{ kind: "error_rate", share: 0.05 }];

const COMMON = { kind: true, circuit: true, seconds: true, severity: true } as const;
const ERROR_RATE = namesOf<ErrorRateRule>({ ...COMMON, share: true, minRuns: true });
const LATENCY_BUDGET = namesOf<LatencyBudgetRule>({
  ...COMMON,
  node: true,
  percentile: true,
  budgetMs: true,
  minSamples: true,
});
const PERCENTILES = ["p50", "p90", "p95", "p99", "p99_9"];

interface Judged {
  readonly circuit: string;
  readonly nodes: readonly { readonly node: string }[];
}

/** Throws CONFIG_INVALID for a rule about what is not there: it would never raise anything. */
export function requireJudged(rules: readonly AlertRule[], circuits: readonly Judged[]): void {
  for (const rule of rules) {
    const { circuit, node } = { node: undefined, ...rule };
    const call = `The alert rule ${JSON.stringify(rule)}`;
    const judged = circuit === undefined ? circuits : circuits.filter((one) => one.circuit === circuit);
    if (judged.length === 0 && circuit !== undefined)
      throw invalidOption(call, `no circuit '${circuit}' is mounted; there are ${namesIn(circuits)}`);
    if (node !== undefined && !judged.some(({ nodes }) => nodes.some((one) => one.node === node)))
      throw invalidOption(
        call,
        `no circuit that it is about measures a node '${node}'; there are ${measuredIn(judged)}`,
      );
  }
}

/** As many as somebody reads. */
const MAX_NAMED = 20;

const measuredIn = (circuits: readonly Judged[]): string =>
  circuits
    .flatMap(({ nodes }) => nodes.map(({ node }) => node))
    .slice(0, MAX_NAMED)
    .join(", ") || "none";

const namesIn = (circuits: readonly Judged[]): string =>
  circuits.map(({ circuit }) => circuit).join(", ") || "none";

/** Throws CONFIG_INVALID. */
export function requireRule(rule: AlertRule): AlertRule {
  const call = `The alert rule ${JSON.stringify(rule)}`;
  const { kind, seconds = 60, severity = "warning" } = rule;
  if (![1, 10, 60].includes(seconds)) throw invalidOption(call, "seconds is 1, 10 or 60");
  if (!["warning", "critical"].includes(severity))
    throw invalidOption(call, "severity is warning or critical");
  switch (kind) {
    case "error_rate":
      requireKnown(call, rule, ERROR_RATE);
      if (!(rule.share > 0 && rule.share < 1)) throw invalidOption(call, "share is above 0 and below 1");
      requireInteger("minRuns", rule.minRuns ?? 20, 1, Number.MAX_SAFE_INTEGER);
      return rule;
    case "latency_budget":
      requireKnown(call, rule, LATENCY_BUDGET);
      if (!(rule.budgetMs > 0)) throw invalidOption(call, "budgetMs is above 0");
      if (!PERCENTILES.includes(rule.percentile ?? "p99"))
        throw invalidOption(call, `percentile is one of ${PERCENTILES.join(", ")}`);
      requireInteger("minSamples", rule.minSamples ?? 100, 1, Number.MAX_SAFE_INTEGER);
      return rule;
    default:
      throw invalidOption(call, "kind is error_rate or latency_budget");
  }
}
