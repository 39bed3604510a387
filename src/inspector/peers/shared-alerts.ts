// Announces the alerts of a service to the hooks and the feed, each cause once. The other workers
// send their alerts to the first worker, which announces them for all.

import type { Static } from "@sinclair/typebox";

import type { Clock } from "#core/clock.js";
import { Alert, Alerts } from "../api/watching.js";
import {
  fetchAlertReplicas,
  keepAlertReplicas,
  replicateAlert,
  replicateAllAlerts,
} from "./alert-replicas.js";
import { unionOfAlerts } from "./alert-union.js";
import { passedOf } from "./fault-envelope.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

/** The request for all alerts of a process: that of the endpoint. */
const ALERTS = subject("GET /api/v1/alerts", passedOf<Static<typeof Alerts>["data"]>(Alerts.properties.data));
const CHANGED = subject<Alert>("alert changed", Alert);

/** Milliseconds between two questions to the workers. */
const ASK_MS = 5000;
/** A worker silent for this long has ended. */
const LEFT_MS = 60_000;
/** Time for this worker to find an inherited alert again: it judges its figures every 5 s. */
const FOUND_MS = 15_000;
/** An alert resolved within this time may not have been announced. */
const FRESH_MS = 60_000;

/** For each worker but the first: sends each change of its alerts, and keeps the first worker's replicas. */
export function tellFirst(peers: Peers): (alert: Alert) => void {
  keepAlertReplicas(peers);
  return (alert) => peers.tell(CHANGED.about, alert);
}

/** The alerts of another process. */
interface Known {
  readonly alerts: Map<string, Alert>;
  /** When its latest message arrived. */
  readonly at: number;
}

export interface AlertHubOptions {
  readonly own: { list(): readonly Alert[] };
  readonly peers: Peers;
  /** Called for each change of the merged alerts. */
  readonly tell: (alert: Alert) => void;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

/** Runs in the first worker. */
export class AlertHub {
  readonly #options: AlertHubOptions;
  readonly #wallClock: () => number;
  /** By process id. */
  readonly #others = new Map<number, Known>();
  /** Processes that sent an alert since the current question. */
  readonly #heard = new Set<number>();
  /** Alerts announced as active. */
  readonly #told = new Map<string, Alert>();
  /**
   * Alerts announced as resolved while the hub begins: those that a process still has, and those of
   * the last ASK_MS.
   */
  readonly #toldOver = new Set<string>();
  /** Alerts announced by a previous first worker that may still be active. */
  readonly #inherited = new Set<string>();
  #hasInherited = false;
  readonly #beganAt: number;
  #isClosed = false;
  #cancel: () => void = () => {};

  constructor(options: AlertHubOptions) {
    this.#options = options;
    this.#wallClock = options.wallClock ?? Date.now;
    this.#beganAt = options.clock.now();
    options.peers.hears(CHANGED, (alert, pid) => this.#hear(alert, pid));
  }

  /** Asks the workers now and then every ASK_MS. */
  start(): void {
    const again = (): void => {
      if (!this.#isClosed) this.#cancel = this.#options.clock.after(ASK_MS, () => this.start());
    };
    // A failed announcement must not end the questions.
    void this.#ask().then(again, again);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  /** Handles a change of this process's own alerts. */
  readonly changed = ({ key }: Alert): void => this.#settle([key]);

  /** Rejects if an announcement throws. */
  async #ask(): Promise<void> {
    const { peers, clock } = this.#options;
    this.#heard.clear();
    const [{ answers, silent }] = await Promise.all([
      peers.askAll(ALERTS, {}, { steers: true }),
      this.#inherit(),
    ]);
    if (this.#isClosed) return;
    for (const { pid, value } of answers) {
      // The response may be older than that message: the next question covers it.
      if (this.#heard.has(pid) || value.kind === "refused") continue;
      const { alerts: rows, workers_silent } = value.value;
      const before = workers_silent > 0 ? (this.#others.get(pid)?.alerts ?? []) : [];
      const alerts = new Map([...before, ...rows.map((alert) => [alert.key, alert] as const)]);
      this.#others.set(pid, { alerts, at: clock.now() });
    }
    this.#forget(silent === 0, new Set([...this.#heard, ...answers.map(({ pid }) => pid)]));
    if (!this.#begins || (silent === 0 && this.#age >= FOUND_MS)) this.#inherited.clear();
    const all = this.#all();
    this.#settle([...all.keys(), ...this.#told.keys()]);
    for (const key of this.#toldOver) if (!this.#begins || !all.has(key)) this.#toldOver.delete(key);
    // Not before the inheritance: the other workers would drop alerts that this one does not know
    // yet.
    if (this.#hasInherited) replicateAllAlerts(peers, this.#told.values());
  }

  /**
   * Takes over the active alerts that a previous first worker announced, so that their end is
   * announced too.
   */
  async #inherit(): Promise<void> {
    if (this.#hasInherited) return;
    const told = await fetchAlertReplicas(this.#options.peers);
    this.#hasInherited = told !== undefined || !this.#begins;
    for (const alert of told ?? []) {
      if (this.#told.has(alert.key) || this.#toldOver.has(alert.key)) continue;
      this.#told.set(alert.key, alert);
      this.#inherited.add(alert.key);
    }
  }

  #hear(alert: Alert, pid: number): void {
    const alerts = this.#others.get(pid)?.alerts ?? new Map<string, Alert>();
    this.#others.set(pid, { alerts: alerts.set(alert.key, alert), at: this.#options.clock.now() });
    this.#heard.add(pid);
    this.#settle([alert.key]);
  }

  /** Drops ended processes: a process id does not return. */
  #forget(areAllHere: boolean, here: ReadonlySet<number>): void {
    const now = this.#options.clock.now();
    for (const [pid, { at }] of this.#others)
      if ((areAllHere && !here.has(pid)) || now - at >= LEFT_MS) this.#others.delete(pid);
  }

  #all(): ReadonlyMap<string, Alert> {
    const others = [...this.#others.values()].flatMap(({ alerts }) => [...alerts.values()]);
    return unionOfAlerts([...this.#options.own.list(), ...others]);
  }

  /** Announces alerts whose state or severity differs from the latest announcement. */
  #settle(keys: Iterable<string>): void {
    const all = this.#all();
    for (const key of new Set(keys)) {
      const told = this.#told.get(key);
      const now = all.get(key) ?? (told && !this.#inherited.has(key) ? this.#over(told) : undefined);
      if (now === undefined) continue;
      if (now.state === "active") {
        this.#told.set(key, now);
        this.#toldOver.delete(key);
        if (told?.severity !== now.severity) this.#tell(now);
      } else if (told !== undefined || this.#mayBeUntold(now)) {
        this.#told.delete(key);
        if (this.#begins) this.#toldOver.add(key);
        this.#tell(now);
      }
    }
  }

  #tell(alert: Alert): void {
    replicateAlert(this.#options.peers, alert);
    this.#options.tell(alert);
  }

  /** Resolves an alert whose process has ended. */
  #over(told: Alert): Alert {
    return { ...told, state: "resolved", resolved_at: this.#wallClock() };
  }

  /**
   * True if the end of the alert may not have been announced. While the hub begins it is announced
   * again: twice is better than never.
   */
  #mayBeUntold({ key, resolved_at }: Alert): boolean {
    return this.#begins && !this.#toldOver.has(key) && this.#wallClock() - (resolved_at ?? 0) < FRESH_MS;
  }

  get #begins(): boolean {
    return this.#age < LEFT_MS;
  }

  get #age(): number {
    return this.#options.clock.now() - this.#beganAt;
  }
}
