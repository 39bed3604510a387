// Alerts from figures: those of one process, or summed over several. A cause has one alert for
// as long as it is found; its key names a node or a circuit, so that the program bounds how
// many there are.

import type { WorkerCrashes } from "#http/plan/extension.js";
import { crashLoop } from "#http/serving/workers/crashes.js";
import type { CircuitMetrics } from "../api/metrics.js";
import type { Alert, Stall } from "../api/watching.js";
import { type Budgets, overBudget } from "./budgets.js";
import type { Cause } from "./cause.js";
import { type AlertRule, errorRates, requireRule } from "./error-rates.js";
import type { LetterCount } from "./letter-counts.js";

export interface Figures {
  readonly stalls: readonly Stall[];
  readonly letters: readonly LetterCount[];
  /** Default: none. */
  readonly crashes?: WorkerCrashes | undefined;
  /** Default: error rates and budgets are not judged, and their alerts stay as they are. */
  readonly circuits?: readonly CircuitMetrics[];
  /** Runs of a circuit that ended in an error, the newest first. Default: none. */
  readonly failedRuns?: (circuit: string) => readonly string[];
}

export interface AlertsOptions {
  /** Default: more than 5 % errors of 20 runs or more within 60 s. */
  readonly rules?: readonly AlertRule[] | undefined;
  /** Default: none. */
  readonly budgets?: Budgets;
  /** Called when an alert begins, changes its severity, and ends. Must not throw. */
  readonly tell: (alert: Alert) => void;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

const DEFAULT_RULES: readonly AlertRule[] = [{ kind: "error_rate", share: 0.05 }];
const MAX_RUN_IDS = 5;
/** Beyond, those that are over are forgotten, the oldest first. */
const MAX_ALERTS = 200;

export class Alerts {
  readonly #rules: readonly AlertRule[];
  readonly #budgets: Budgets;
  readonly #tell: (alert: Alert) => void;
  readonly #wallClock: () => number;
  /** In the order in which they began. */
  readonly #kept = new Map<string, Alert>();

  /** Throws CONFIG_INVALID. */
  constructor({ rules = DEFAULT_RULES, budgets = new Map(), tell, wallClock = Date.now }: AlertsOptions) {
    this.#rules = rules.map(requireRule);
    this.#budgets = budgets;
    this.#tell = tell;
    this.#wallClock = wallClock;
  }

  evaluate({ stalls, letters, crashes, circuits, failedRuns = () => [] }: Figures): void {
    this.#settle("stall", stalled(stalls));
    this.#settle("dead_letter", letters.map(deadLetter));
    this.#settle("worker_crash", crashing(crashes, this.#wallClock()));
    if (circuits !== undefined) {
      const isActive = (key: string): boolean => this.#kept.get(key)?.state === "active";
      this.#settle("error_rate", errorRates(this.#rules, circuits, { isActive, failedRuns }));
      this.#settle("budget", overBudget(this.#budgets, circuits, isActive));
    }
    for (const { key, state } of this.#kept.values())
      if (this.#kept.size > MAX_ALERTS && state === "resolved") this.#kept.delete(key);
  }

  /** Active ones first, each the newest first. */
  list(): readonly Alert[] {
    const newest = [...this.#kept.values()].reverse();
    return [
      ...newest.filter(({ state }) => state === "active"),
      ...newest.filter(({ state }) => state === "resolved"),
    ];
  }

  #settle(kind: Alert["kind"], causes: readonly Cause[]): void {
    const now = this.#wallClock();
    const found = new Set(causes.map(({ key }) => key));
    for (const alert of this.#kept.values()) {
      if (alert.kind !== kind || alert.state === "resolved" || found.has(alert.key)) continue;
      const over: Alert = { ...alert, state: "resolved", resolved_at: now };
      this.#kept.set(alert.key, over);
      this.#tell(over);
    }
    for (const cause of causes) this.#raise(cause, now);
  }

  #raise(cause: Cause, now: number): void {
    const before = this.#kept.get(cause.key);
    const known = before?.state === "active" ? before : undefined;
    const alert: Alert = {
      ...cause,
      state: "active",
      since: known?.since ?? now,
      last_at: cause.last_at ?? now,
      resolved_at: null,
      run_ids: [...new Set([...cause.run_ids, ...(known?.run_ids ?? [])])].slice(0, MAX_RUN_IDS),
    };
    // One that begins anew goes behind those that have begun.
    if (known === undefined) this.#kept.delete(cause.key);
    this.#kept.set(cause.key, alert);
    if (known?.severity !== alert.severity) this.#tell(alert);
  }
}

/** One for each node, however many runs stall there. */
function stalled(stalls: readonly Stall[]): readonly Cause[] {
  const byNode = new Map<string, Stall[]>();
  for (const stall of stalls) {
    const others = byNode.get(stall.node);
    if (others === undefined) byNode.set(stall.node, [stall]);
    else others.push(stall);
  }
  return [...byNode.values()].map((all) => {
    const { circuit, node, label, threshold_ms } = all[0] as Stall;
    const newest = [...all].sort((a, b) => b.entered_at - a.entered_at);
    const others = all.length === 1 ? "" : `, as ${all.length - 1} other${all.length === 2 ? "" : "s"} did`;
    const longest = Math.max(...all.map(({ stalled_ms }) => stalled_ms));
    return {
      key: `stall:${node}`,
      kind: "stall",
      severity: "warning",
      circuit,
      node,
      title: `'${label}' is stalled`,
      cause: `A run entered it ${seconds(longest)} ago and has not left it${others}; at most ${seconds(threshold_ms)} are expected`,
      run_ids: newest.map(({ run_id }) => run_id),
    };
  });
}

const deadLetter = ({ circuit, node, label, count, last_at, run_ids }: LetterCount): Cause => ({
  key: `dead_letter:${node}`,
  kind: "dead_letter",
  severity: "warning",
  circuit,
  node,
  title: `'${label}' exhausted its retries`,
  cause: count === 1 ? "It left a dead letter" : `It left ${count} dead letters`,
  last_at,
  run_ids,
});

function crashing(crashes: WorkerCrashes | undefined, now: number): readonly Cause[] {
  const cause = crashes && crashLoop(crashes, now);
  if (cause === undefined) return [];
  return [
    {
      key: "worker_crash",
      kind: "worker_crash",
      severity: "critical",
      circuit: null,
      node: null,
      title: "Workers crash",
      cause,
      last_at: crashes?.at.at(-1) ?? now,
      run_ids: [],
    },
  ];
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
