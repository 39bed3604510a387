// Compares snapshots of the figures with the rules, and raises and resolves what follows.
//
//   RW1. Too few samples are no evidence: they raise nothing, and end what was raised.
//   RW2. What is just at its bound does not flap: an alert that is there ends only below
//        four fifths of what raises it.
//   RW3. Where two rules say the same of a circuit, the graver one speaks.

import type { CircuitMetrics, Metrics, NodeMetrics, Window } from "../api/metrics.js";
import type { AlertRule, ErrorRateRule, LatencyBudgetRule } from "./alert-rules.js";
import type { Alerts, RaisedAlert } from "./alerts.js";

/** Runs that show something, the newest or the slowest first: `failed` are those with an error of the server. */
export type ExampleRuns = (
  circuit: string,
  of: "failed" | "slowest",
  node: string | undefined,
) => readonly string[];

const STAYS_ABOVE = 0.8;

export class RuleWatch {
  readonly #rules: readonly AlertRule[];
  readonly #alerts: Alerts;
  readonly #examples: ExampleRuns;
  /** Raised here and not resolved. */
  #raised: ReadonlySet<string> = new Set();

  constructor(rules: readonly AlertRule[], alerts: Alerts, examples: ExampleRuns = () => []) {
    this.#rules = rules;
    this.#alerts = alerts;
    this.#examples = examples;
  }

  evaluate({ circuits }: Pick<Metrics["data"], "circuits">): void {
    const found = new Map<string, RaisedAlert>();
    for (const rule of this.#rules)
      for (const circuit of circuits) {
        if (rule.circuit !== undefined && rule.circuit !== circuit.circuit) continue;
        const alert =
          rule.kind === "error_rate" ? this.#errorRate(rule, circuit) : this.#latency(rule, circuit);
        if (alert !== undefined && found.get(alert.key)?.severity !== "critical") found.set(alert.key, alert);
      }
    for (const key of this.#raised) if (!found.has(key)) this.#alerts.resolve(key);
    for (const alert of found.values()) this.#alerts.raise(alert);
    this.#raised = new Set(found.keys());
  }

  #errorRate(rule: ErrorRateRule, metrics: CircuitMetrics): RaisedAlert | undefined {
    const { share: allowed, minRuns = 20, seconds = 60, severity = "warning" } = rule;
    const { circuit, nodes } = metrics;
    const runs = windowOf(metrics, seconds);
    if (runs === undefined || runs.count < minRuns) return undefined;
    const share = runs.errors / runs.count;
    const key = `error_rate:${circuit}`;
    if (!this.#isTooMuch(key, share, allowed)) return undefined;
    return {
      key,
      kind: "error_rate",
      severity,
      circuit,
      node: worstOf(nodes, seconds),
      title: `Many runs of '${circuit}' end in an error`,
      cause: `${percent(share)} of ${runs.count} runs ended in an error of the server (5xx, or unanswered) in ${seconds} s; at most ${percent(allowed)} may`,
      runIds: this.#examples(circuit, "failed", undefined),
    };
  }

  #latency(rule: LatencyBudgetRule, metrics: CircuitMetrics): RaisedAlert | undefined {
    const { node, percentile = "p99", budgetMs, minSamples = 100, seconds = 60, severity = "warning" } = rule;
    const { circuit } = metrics;
    const measured = node === undefined ? metrics : metrics.nodes.find((each) => each.node === node);
    const window = measured && windowOf(measured, seconds);
    if (window?.latency == null || window.samples < minSamples) return undefined;
    const foundMs = window.latency[`${percentile}_us`] / 1000;
    const key = `latency_budget:${node ?? circuit}:${percentile}`;
    if (!this.#isTooMuch(key, foundMs, budgetMs)) return undefined;
    const name = percentile.replace("_", ".");
    return {
      key,
      kind: "latency_budget",
      severity,
      circuit,
      node: node ?? null,
      title: `'${node ?? circuit}' takes longer than its budget`,
      cause: `${name} was ${milliseconds(foundMs)} over ${window.samples} samples in ${seconds} s; the budget is ${milliseconds(budgetMs)}`,
      runIds: this.#examples(circuit, "slowest", node),
    };
  }

  #isTooMuch(key: string, found: number, allowed: number): boolean {
    return found > (this.#raised.has(key) ? allowed * STAYS_ABOVE : allowed);
  }
}

const windowOf = (
  { windows }: { readonly windows: readonly Window[] },
  seconds: number,
): Window | undefined => windows.find((window) => window.seconds === seconds);

/** The node with the most errors. */
function worstOf(nodes: readonly NodeMetrics[], seconds: number): string | null {
  const errors = (node: NodeMetrics): number => windowOf(node, seconds)?.errors ?? 0;
  const [worst] = [...nodes].sort((a, b) => errors(b) - errors(a));
  return worst !== undefined && errors(worst) > 0 ? worst.node : null;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const milliseconds = (ms: number): string => `${ms < 100 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
