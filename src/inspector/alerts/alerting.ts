// Brings together what is noticed and who is told: figures, stalls, dead letters and
// violations on one side, the list, the feed and the hooks on the other.

import { type Clock, MAX_TIMER_MS, systemClock } from "#core/clock.js";
import type { MaybePromise } from "#core/outcome-types.js";
import type { Recorder, TracedRun } from "#core/recorder.js";
import { type Reporter, reportAsWarning } from "#core/reporter.js";
import type { TimelineEvent } from "#core/timeline.js";
import { namesOf, requireKnown } from "#http/known-options.js";
import { requireInteger } from "#http/required-integer.js";
import type { Metrics } from "../api/metrics.js";
import type { Alert } from "../api/watching.js";
import type { StallEvent } from "../stalls/stalls.js";
import { AlertDispatcher, type AlertDispatcherOptions } from "./alert-dispatcher.js";
import type { AlertHook } from "./alert-hook.js";
import { type AlertRule, DEFAULT_RULES, requireRule } from "./alert-rules.js";
import { Alerts } from "./alerts.js";
import { type ExampleRuns, RuleWatch } from "./rule-watch.js";

export interface AlertingOptions {
  /** Default: none. The list and the feed have all alerts in any case. */
  readonly hooks?: readonly AlertHook[];
  /** What of the figures is too much. Default: more than 5 % of 20 runs or more fault within 60 s. */
  readonly rules?: readonly AlertRule[];
  /** The figures that the rules are compared with. Default: none, and no rule speaks. */
  readonly metrics?: () => MaybePromise<Pick<Metrics["data"], "circuits">>;
  /** Runs that show a cause. Default: none. */
  readonly examples?: ExampleRuns;
  /** Whether what a run leaves at a node is a letter that was there before. Default: never. */
  readonly isLetterAgain?: (run: TracedRun, node: string) => boolean;
  /** Milliseconds from one comparison to the next. Default 5000. */
  readonly everyMs?: number;
  /** A dead letter or a violation is over when none like it came for so long. Default 600 000. */
  readonly quietMs?: number;
  /** Alerts kept. Default 200. */
  readonly maxAlerts?: number;
  /** Of what goes to the hooks. */
  readonly delivery?: Omit<AlertDispatcherOptions, "reporter" | "clock">;
  /** Told of what the hooks are told of. */
  readonly tell?: (alert: Alert) => void;
  readonly reporter?: Reporter;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

const OPTIONS = namesOf<AlertingOptions>({
  hooks: true,
  rules: true,
  metrics: true,
  examples: true,
  isLetterAgain: true,
  everyMs: true,
  quietMs: true,
  maxAlerts: true,
  delivery: true,
  tell: true,
  reporter: true,
  clock: true,
  wallClock: true,
});

/** What somebody did that a policy forbids. */
export interface Violation {
  /** The policy's rule: with circuit and node it is what makes two violations the same. */
  readonly rule: string;
  /** In words, without the values of a request. */
  readonly detail: string;
  readonly circuit?: string;
  readonly node?: string;
  readonly runId?: string;
}

export class Alerting implements Recorder {
  readonly #alerts: Alerts;
  readonly #dispatcher: AlertDispatcher;
  readonly #rules: RuleWatch;
  readonly #metrics: AlertingOptions["metrics"];
  readonly #everyMs: number;
  readonly #quietMs: number;
  readonly #reporter: Reporter;
  readonly #clock: Clock;
  readonly #tell: (alert: Alert) => void;
  readonly #isLetterAgain: (run: TracedRun, node: string) => boolean;
  /** Told of each change of its own alerts. */
  #changed: (alert: Alert) => void = (alert) => this.announce(alert);
  /** Runs that stall at a node, by the alert's key. */
  readonly #stalled = new Map<string, Set<string>>();
  /** Dead letters since an alert was raised, by its key. */
  readonly #letters = new Map<string, number>();
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  /** Throws CONFIG_INVALID. */
  constructor(options: AlertingOptions = {}) {
    requireKnown("the alerts", options, OPTIONS);
    const { hooks = [], rules = DEFAULT_RULES, maxAlerts, tell = () => {}, wallClock } = options;
    this.#tell = tell;
    this.#isLetterAgain = options.isLetterAgain ?? (() => false);
    this.#reporter = options.reporter ?? reportAsWarning;
    this.#clock = options.clock ?? systemClock;
    this.#dispatcher = new AlertDispatcher(hooks, {
      ...options.delivery,
      reporter: this.#reporter,
      clock: this.#clock,
    });
    this.#alerts = new Alerts({
      ...(maxAlerts !== undefined && { maxAlerts }),
      ...(wallClock !== undefined && { wallClock }),
      tell: (alert) => this.#changed(alert),
      full: ({ title }) =>
        this.#reporter({
          code: "ALERTS_FULL",
          message: `As many alerts are active as may be kept: "${title}", and what else comes, is told to nobody until one of them is over`,
        }),
    });
    this.#rules = new RuleWatch(rules.map(requireRule), this.#alerts, options.examples);
    this.#metrics = options.metrics;
    this.#everyMs = requireInteger("everyMs", options.everyMs ?? 5000, 1, MAX_TIMER_MS);
    this.#quietMs = requireInteger("quietMs", options.quietMs ?? 600_000, 1, Number.MAX_SAFE_INTEGER);
  }

  /** From here on somebody else says which changes are announced: who knows those of all processes. */
  shareWith(changed: (alert: Alert) => void): void {
    this.#changed = changed;
  }

  /** Tells the feed and the hooks. */
  announce(alert: Alert): void {
    this.#tell(alert);
    this.#dispatcher.dispatch(alert);
  }

  /** Begins to look at the figures. */
  start(): void {
    if (!this.#isClosed) this.#cancelTimer ??= this.#clock.after(this.#everyMs, this.#look);
  }

  /** Ends what is on its way to the hooks. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#dispatcher.close();
  }

  /** Active ones first, each the newest first. */
  list(): readonly Alert[] {
    return this.#alerts.list();
  }

  /** Alerts that a hook was never told of, and those that had to make room here or found none. */
  get dropped(): { readonly undelivered: number; readonly forgotten: number } {
    return { undelivered: this.#dispatcher.dropped, forgotten: this.#alerts.dropped };
  }

  /** Of the recorder port: dead letters alone. */
  readonly visits = false;

  /** Of the recorder port: a dead letter of a traced run. */
  readonly event = (run: TracedRun, event: TimelineEvent): void => {
    if (event.kind !== "dlq_exhausted") return;
    const circuit = run.circuit.name;
    const { node } = event;
    // Who has it done again is told what came of it.
    if (this.#isLetterAgain(run, node)) return;
    const key = `dead_letter:${node}`;
    const count = (this.#alerts.isActive(key) ? (this.#letters.get(key) ?? 0) : 0) + 1;
    this.#letters.set(key, count);
    this.#alerts.raise({
      key,
      kind: "dead_letter",
      severity: "warning",
      circuit,
      node,
      title: `'${labelOf(run, node)}' failed for good`,
      cause: count === 1 ? "It left a dead letter" : `It left ${count} dead letters`,
      runIds: [run.runId],
      quietMs: this.#quietMs,
    });
  };

  /** What stall detection tells. */
  readonly stall = (event: StallEvent, circuit: string): void => {
    const { node, run_id } = event.kind === "stall_detected" ? event.stall : event;
    const key = `stall:${node}`;
    const runs = this.#stalled.get(key) ?? new Set();
    if (event.kind === "stall_ended") {
      runs.delete(run_id);
      if (runs.size > 0) return;
      this.#stalled.delete(key);
      this.#alerts.resolve(key);
      return;
    }
    this.#stalled.set(key, runs.add(run_id));
    const { label, stalled_ms, threshold_ms } = event.stall;
    const others = runs.size === 1 ? "" : `, as ${runs.size - 1} other${runs.size === 2 ? "" : "s"} did`;
    this.#alerts.raise({
      key,
      kind: "stall",
      severity: "warning",
      circuit,
      node,
      title: `'${label}' does not answer`,
      cause: `A run entered it ${seconds(stalled_ms)} ago and has not left it${others}; at most ${seconds(threshold_ms)} are expected`,
      runIds: [run_id],
    });
  };

  violation({ rule, detail, circuit, node, runId }: Violation): void {
    this.#alerts.raise({
      key: `policy_violation:${[rule, circuit, node].filter((part) => part !== undefined).join(":")}`,
      kind: "policy_violation",
      severity: "critical",
      circuit: circuit ?? null,
      node: node ?? null,
      title: `The policy '${rule}' was violated`,
      cause: detail,
      runIds: runId === undefined ? [] : [runId],
      quietMs: this.#quietMs,
    });
  }

  readonly #look = (): void => {
    this.#alerts.endQuiet();
    void this.#evaluate().then(() => {
      this.#cancelTimer = undefined;
      this.start();
    });
  };

  async #evaluate(): Promise<void> {
    try {
      const metrics = await this.#metrics?.();
      if (metrics !== undefined && !this.#isClosed) await this.#rules.evaluate(metrics);
    } catch (error) {
      this.#reporter({ code: "ALERT_RULES_FAILED", message: "The figures could not be compared", error });
    }
  }
}

const labelOf = ({ circuit }: TracedRun, node: string): string =>
  circuit.nodes.find(({ id }) => id === node)?.label ?? node;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
