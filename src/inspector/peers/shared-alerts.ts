// The alerts of a service as hooks and the feed are told of them: each cause once, whichever
// processes have it. The first worker tells them for all, the others tell the first one.

import type { Clock } from "#core/clock.js";
import { Alert } from "../api/watching.js";
import {
  fetchAlertReplicas,
  keepAlertReplicas,
  replicateAlert,
  replicateAllAlerts,
} from "./alert-replicas.js";
import { unionOfAlerts } from "./alert-union.js";
import { type CutList, cutListOf } from "./cut-list.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

/** What a process answers with all its alerts. */
export const ALERTS = subject<CutList<Alert>>("alerts", cutListOf(Alert));
const CHANGED = subject<Alert>("alert changed", Alert);

/** From one question to the next. */
const ASK_MS = 5000;
/** Who has not answered for so long is gone. */
const LEFT_MS = 60_000;
/** Its figures are judged every 5 s. */
const FOUND_MS = 15_000;
/** What ended no longer ago than that may have been told to nobody. */
const FRESH_MS = 60_000;

/** What a worker beside the first does with each change of its own alerts. It remembers what that one says. */
export function tellFirst(peers: Peers): (alert: Alert) => void {
  keepAlertReplicas(peers);
  return (alert) => peers.tell(CHANGED.about, alert);
}

/** What another process has. */
interface Known {
  readonly alerts: Map<string, Alert>;
  /** When it was heard last. */
  readonly at: number;
}

export interface AlertHubOptions {
  readonly own: { list(): readonly Alert[] };
  readonly peers: Peers;
  /** Told of each change of what all of them have. */
  readonly tell: (alert: Alert) => void;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

/** Of the first worker. */
export class AlertHub {
  readonly #options: AlertHubOptions;
  readonly #wallClock: () => number;
  /** By the ids of their processes. */
  readonly #others = new Map<number, Known>();
  /** Those that have told something since they were asked. */
  readonly #heard = new Set<number>();
  /** What was told of as active. */
  readonly #told = new Map<string, Alert>();
  /** What was told of as over while it begins. Of those that some process still has, and of the last ASK_MS. */
  readonly #toldOver = new Set<string>();
  /** What another first worker has told of and may still be there. */
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

  /** Asks now, and again and again. */
  start(): void {
    const again = (): void => {
      if (!this.#isClosed) this.#cancel = this.#options.clock.after(ASK_MS, () => this.start());
    };
    // What one telling fails of is no reason to ask no more.
    void this.#ask().then(again, again);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  /** One of this process's own has changed. */
  readonly changed = ({ key }: Alert): void => this.#settle([key]);

  /** Rejects where whoever is told throws. */
  async #ask(): Promise<void> {
    const { peers, clock } = this.#options;
    this.#heard.clear();
    const [{ answers, silent }] = await Promise.all([
      peers.askAll(ALERTS, null, { steers: true }),
      this.#inherit(),
    ]);
    if (this.#isClosed) return;
    for (const { pid, value } of answers) {
      // It may have answered before that: it is asked again.
      if (this.#heard.has(pid)) continue;
      const { rows, isCut } = value;
      const before = isCut ? (this.#others.get(pid)?.alerts ?? []) : [];
      const alerts = new Map([...before, ...rows.map((alert) => [alert.key, alert] as const)]);
      this.#others.set(pid, { alerts, at: clock.now() });
    }
    this.#forget(silent === 0, new Set([...this.#heard, ...answers.map(({ pid }) => pid)]));
    if (!this.#begins || (silent === 0 && this.#age >= FOUND_MS)) this.#inherited.clear();
    const all = this.#all();
    this.#settle([...all.keys(), ...this.#told.keys()]);
    for (const key of this.#toldOver) if (!this.#begins || !all.has(key)) this.#toldOver.delete(key);
    // Before that it would have them forget what it does not know itself.
    if (this.#hasInherited) replicateAllAlerts(peers, this.#told.values());
  }

  /** SA3. */
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

  /** Those that are gone: they do not come back. */
  #forget(areAllHere: boolean, here: ReadonlySet<number>): void {
    const now = this.#options.clock.now();
    for (const [pid, { at }] of this.#others)
      if ((areAllHere && !here.has(pid)) || now - at >= LEFT_MS) this.#others.delete(pid);
  }

  #all(): ReadonlyMap<string, Alert> {
    const others = [...this.#others.values()].flatMap(({ alerts }) => [...alerts.values()]);
    return unionOfAlerts([...this.#options.own.list(), ...others]);
  }

  /** Tells of those whose state or severity is another than was told. */
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

  /** Its process has gone with it. */
  #over(told: Alert): Alert {
    return { ...told, state: "resolved", resolved_at: this.#wallClock() };
  }

  /** SA4. */
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
