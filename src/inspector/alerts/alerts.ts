// What is wrong now, and what was not long ago.
//
//   AT1. A cause has one alert: raised again it is the same one, later; over and raised
//        again it is another, in its place.
//   AT2. Who is told is told of changes: that it is there, that it is worse, that it is over.
//   AT3. No more are kept than may be. Those that are over make room, and no other: of what was
//        told as active the end is told, when it is over. What finds no room is told to nobody,
//        until it is raised again and there is some.

import { requireInteger } from "#http/required-integer.js";
import type { Alert } from "../api/watching.js";

/** A cause, as whoever notices it says it. */
export interface RaisedAlert
  extends Pick<Alert, "key" | "kind" | "severity" | "circuit" | "node" | "title" | "cause"> {
  /** Runs that show it, the newest first. */
  readonly runIds?: readonly string[];
  /** It is over when it was not raised again for so many milliseconds. Default: when it is resolved. */
  readonly quietMs?: number;
}

export interface AlertsOptions {
  /** Default 200. */
  readonly maxAlerts?: number;
  /** Told of each change, with a copy. Must not throw. */
  readonly tell?: (alert: Alert) => void;
  /** Told of the first that finds no room, and of the first again once another has found some. Must not throw. */
  readonly full?: (cause: RaisedAlert) => void;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

const MAX_RUN_IDS = 5;

interface Kept {
  readonly alert: Alert;
  readonly quietMs: number | undefined;
}

export class Alerts {
  /** Alerts that had to make room, and how often one found none. */
  dropped = 0;
  readonly maxAlerts: number;
  readonly #tell: (alert: Alert) => void;
  readonly #full: (cause: RaisedAlert) => void;
  readonly #wallClock: () => number;
  #isFull = false;
  // In the order in which they began.
  readonly #kept = new Map<string, Kept>();

  constructor({
    maxAlerts = 200,
    tell = () => {},
    full = () => {},
    wallClock = Date.now,
  }: AlertsOptions = {}) {
    this.maxAlerts = requireInteger("maxAlerts", maxAlerts, 1, 100_000);
    this.#tell = tell;
    this.#full = full;
    this.#wallClock = wallClock;
  }

  isActive(key: string): boolean {
    return this.#kept.get(key)?.alert.state === "active";
  }

  raise(raised: RaisedAlert): void {
    const { runIds = [], quietMs, ...cause } = raised;
    const before = this.#kept.get(cause.key)?.alert;
    if (before === undefined && !this.#findRoom(raised)) return;
    const known = before?.state === "active" ? before : undefined;
    const now = this.#wallClock();
    const alert: Alert = {
      ...cause,
      state: "active",
      since: known?.since ?? now,
      last_at: now,
      resolved_at: null,
      run_ids: [...new Set([...runIds, ...(known?.run_ids ?? [])])].slice(0, MAX_RUN_IDS),
    };
    // One that begins anew goes behind those that have begun.
    if (known === undefined) this.#kept.delete(cause.key);
    this.#kept.set(cause.key, { alert, quietMs });
    if (known?.severity !== alert.severity) this.#tell(alert);
  }

  /** Nothing where it is not active. */
  resolve(key: string): void {
    const kept = this.#kept.get(key);
    if (kept?.alert.state !== "active") return;
    const alert: Alert = { ...kept.alert, state: "resolved", resolved_at: this.#wallClock() };
    this.#kept.set(key, { ...kept, alert });
    this.#tell(alert);
  }

  /** Ends those that have not been raised for as long as they last by themselves. */
  endQuiet(): void {
    const now = this.#wallClock();
    for (const [key, { alert, quietMs }] of [...this.#kept])
      if (quietMs !== undefined && now - alert.last_at >= quietMs) this.resolve(key);
  }

  /** Active ones first, each the newest first. */
  list(): readonly Alert[] {
    const newest = [...this.#kept.values()].map(({ alert }) => alert).reverse();
    return [
      ...newest.filter(({ state }) => state === "active"),
      ...newest.filter(({ state }) => state === "resolved"),
    ];
  }

  /** AT3. */
  #findRoom(raised: RaisedAlert): boolean {
    if (this.#kept.size >= this.maxAlerts) {
      this.dropped += 1;
      const over = [...this.#kept.values()].find(({ alert }) => alert.state === "resolved");
      if (over === undefined) {
        if (!this.#isFull) this.#full(raised);
        this.#isFull = true;
        return false;
      }
      this.#kept.delete(over.alert.key);
    }
    this.#isFull = false;
    return true;
  }
}
