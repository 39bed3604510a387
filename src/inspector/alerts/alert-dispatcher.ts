import { randomUUID } from "node:crypto";
import { type Reporter, reportAsWarning } from "#core/bus/reporter.js";
import { type Clock, systemClock } from "#core/clock.js";
import { invalidOption } from "#core/invalid-option.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import type { Alert } from "../api/watching.js";
import { type AlertHook, AlertRefused } from "./alert-hook.js";

export interface AlertDispatcherOptions {
  /** Pause between two deliveries of one key to the hook, in milliseconds. Default 60 000. */
  readonly debounceMs?: number;
  /** Pauses before the retries. Default: 1, 4, 16, 60 and 60 seconds, each shortened at random. */
  readonly retry?: RetryPolicy;
  readonly reporter?: Reporter;
  readonly clock?: Clock;
}

interface Entry {
  latest: Alert;
  /** The latest alert delivered to the hook, or given up. */
  told: Alert | undefined;
  toldAt: number;
}

const isTold = ({ latest, told }: Entry): boolean =>
  told?.state === latest.state && told.severity === latest.severity;

/**
 * Tells one hook of alerts, one delivery at a time. Of each key only the latest state waits, so
 * the queue has the bound of the list of alerts. No failure of the hook reaches the caller.
 */
export class AlertDispatcher {
  readonly #hook: AlertHook;
  readonly #options: Required<AlertDispatcherOptions>;
  readonly #stopping = new AbortController();
  /** By key, those that changed last at the end. */
  readonly #entries = new Map<string, Entry>();
  #isDelivering = false;
  /** Of the one timer: a pause between tries, or the end of a debounce. */
  #cancelTimer: () => void = () => {};

  /** Throws CONFIG_INVALID. */
  constructor(hook: AlertHook, options: AlertDispatcherOptions = {}) {
    if (typeof (hook as Partial<AlertHook> | null)?.deliver !== "function")
      throw invalidOption("alerts of inspector()", "a hook has no function 'deliver'");
    this.#hook = hook;
    const retry = RetryPolicy.exponential(5, 1000, 4, 60_000).withJitter();
    this.#options = { debounceMs: 60_000, retry, reporter: reportAsWarning, clock: systemClock, ...options };
  }

  dispatch(alert: Alert): void {
    if (this.#stopping.signal.aborted) return;
    const { told, toldAt } = this.#entries.get(alert.key) ?? { told: undefined, toldAt: 0 };
    this.#entries.delete(alert.key);
    this.#entries.set(alert.key, { latest: alert, told, toldAt });
    if (!this.#isDelivering) void this.#deliverDue();
  }

  /** The server stops. Does not wait for a delivery in flight: the hook may ignore its signal. */
  close(): void {
    this.#stopping.abort(new Error("The server stops"));
    this.#cancelTimer();
  }

  /** Delivers until nothing is due, then sets the timer for what the debounce holds back. */
  async #deliverDue(): Promise<void> {
    const { clock } = this.#options;
    this.#isDelivering = true;
    this.#cancelTimer();
    for (let due = this.#nextDue(); due !== undefined; due = this.#nextDue()) {
      due.told = due.latest;
      due.toldAt = clock.now();
      await this.#deliver(due.latest);
      if (this.#stopping.signal.aborted) return;
    }
    this.#isDelivering = false;
    const waits = [...this.#entries.values()].filter((entry) => !isTold(entry)).map(this.#waitOf);
    if (waits.length > 0) this.#cancelTimer = clock.after(Math.min(...waits), () => void this.#deliverDue());
  }

  #nextDue(): Entry | undefined {
    for (const entry of this.#entries.values()) if (!isTold(entry) && this.#waitOf(entry) <= 0) return entry;
    return undefined;
  }

  readonly #waitOf = ({ told, toldAt }: Entry): number =>
    told === undefined ? 0 : toldAt + this.#options.debounceMs - this.#options.clock.now();

  async #deliver(alert: Alert): Promise<void> {
    const { clock, retry, reporter } = this.#options;
    const delivery = { id: randomUUID(), signal: this.#stopping.signal };
    const began = clock.now();
    for (let n = 1; ; n += 1) {
      try {
        await this.#hook.deliver(alert, delivery);
        return;
      } catch (error) {
        if (delivery.signal.aborted) return;
        const isRefused = error instanceof AlertRefused;
        const delayMs = isRefused ? undefined : retry.delayBefore(n, error, clock.now() - began);
        if (delayMs === undefined) {
          const why = isRefused ? "it was refused" : `given up after ${n} ${n === 1 ? "try" : "tries"}`;
          const message = `An alert did not reach ${this.#hook.name}: ${why}`;
          reporter({ code: "ALERT_UNDELIVERED", message, error });
          return;
        }
        await new Promise<void>((resolve) => {
          this.#cancelTimer = clock.after(delayMs, resolve);
        });
      }
    }
  }
}
