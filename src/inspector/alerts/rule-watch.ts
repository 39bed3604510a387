// Compares snapshots of the figures with the rules, and raises and resolves what follows.
//
//   RW1. Too few samples are no evidence: they raise nothing, and end what was raised.
//   RW2. What is just at its bound does not flap: an alert that is there ends only below
//        four fifths of what raises it.
//   RW3. Where two rules say the same of a circuit, the graver one speaks.

import type { MaybePromise } from "#core/outcome-types.js";
import type { CircuitMetrics, Metrics, NodeMetrics, Window } from "../api/metrics.js";
import type { AlertRule, ErrorRateRule, LatencyBudgetRule } from "./alert-rules.js";
import type { Alerts, RaisedAlert } from "./alerts.js";

/** Which runs would show a cause: those with an error of the server, or the slowest. */
export interface ExamplesWanted {
  readonly circuit: string;
  readonly of: "failed" | "slowest";
  readonly node?: string;
}

/** Answers for each the ids of runs that show it, the newest or the slowest first. */
export type ExampleRuns = (wanted: readonly ExamplesWanted[]) => MaybePromise<readonly (readonly string[])[]>;

/** What was found, before anybody has looked for runs that show it. */
interface Found {
  readonly alert: RaisedAlert;
  readonly examples: ExamplesWanted;
}

const STAYS_ABOVE = 0.8;

export class RuleWatch {
  readonly #rules: readonly AlertRule[];
  readonly #alerts: Alerts;
  readonly #examples: ExampleRuns;
  /** Raised here and not resolved. */
  #raised: ReadonlySet<string> = new Set();

  constructor(rules: readonly AlertRule[], alerts: Alerts, examples: ExampleRuns = none) {
    this.#rules = rules;
    this.#alerts = alerts;
    this.#examples = examples;
  }

  /** Once more only when it is done: at once where the examples are. */
  evaluate({ circuits }: Pick<Metrics["data"], "circuits">): MaybePromise<void> {
    const found = new Map<string, Found>();
    for (const rule of this.#rules)
      for (const circuit of circuits) {
        if (rule.circuit !== undefined && rule.circuit !== circuit.circuit) continue;
        const one =
          rule.kind === "error_rate" ? this.#errorRate(rule, circuit) : this.#latency(rule, circuit);
        if (one !== undefined && found.get(one.alert.key)?.alert.severity !== "critical")
          found.set(one.alert.key, one);
      }
    for (const key of this.#raised) if (!found.has(key)) this.#alerts.resolve(key);
    this.#raised = new Set(found.keys());
    if (found.size === 0) return undefined;
    const all = [...found.values()];
    const examples = this.#examples(all.map((one) => one.examples));
    return examples instanceof Promise
      ? examples.then(
          (given) => this.#raise(all, given),
          (error: unknown) => {
            // What was found is so without runs that show it, too.
            this.#raise(all, []);
            throw error;
          },
        )
      : this.#raise(all, examples);
  }

  #raise(all: readonly Found[], examples: readonly (readonly string[])[]): void {
    for (const [at, { alert }] of all.entries()) this.#alerts.raise({ ...alert, runIds: examples[at] ?? [] });
  }

  #errorRate(rule: ErrorRateRule, metrics: CircuitMetrics): Found | undefined {
    const { share: allowed, minRuns = 20, seconds = 60, severity = "warning" } = rule;
    const { circuit, nodes } = metrics;
    const runs = windowOf(metrics, seconds);
    if (runs === undefined || runs.count < minRuns) return undefined;
    const share = runs.errors / runs.count;
    const key = `error_rate:${circuit}`;
    if (!this.#isTooMuch(key, share, allowed)) return undefined;
    const alert: RaisedAlert = {
      key,
      kind: "error_rate",
      severity,
      circuit,
      node: worstOf(nodes, seconds),
      title: `Many runs of '${circuit}' end in an error`,
      cause: `${percent(share)} of ${runs.count} runs ended in an error of the server (5xx, or unanswered) in ${seconds} s; at most ${percent(allowed)} may`,
    };
    return { alert, examples: { circuit, of: "failed" } };
  }

  #latency(rule: LatencyBudgetRule, metrics: CircuitMetrics): Found | undefined {
    const { node, percentile = "p99", budgetMs, minSamples = 100, seconds = 60, severity = "warning" } = rule;
    const { circuit } = metrics;
    const measured = node === undefined ? metrics : metrics.nodes.find((each) => each.node === node);
    const window = measured && windowOf(measured, seconds);
    if (window?.latency == null || window.samples < minSamples) return undefined;
    const foundMs = window.latency[`${percentile}_us`] / 1000;
    const key = `latency_budget:${node ?? circuit}:${percentile}`;
    if (!this.#isTooMuch(key, foundMs, budgetMs)) return undefined;
    const name = percentile.replace("_", ".");
    const alert: RaisedAlert = {
      key,
      kind: "latency_budget",
      severity,
      circuit,
      node: node ?? null,
      title: `'${node ?? circuit}' takes longer than its budget`,
      cause: `${name} was ${milliseconds(foundMs)} over ${window.samples} samples in ${seconds} s; the budget is ${milliseconds(budgetMs)}`,
    };
    return { alert, examples: { circuit, of: "slowest", ...(node !== undefined && { node }) } };
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

const none: ExampleRuns = () => [];
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const milliseconds = (ms: number): string => `${ms < 100 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
