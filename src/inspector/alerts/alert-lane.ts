// What is on its way to one hook.
//
//   AL1. Of one key a hook is told at most once in `debounceMs`; what changed meanwhile it
//        is told at the end of that time, as it is then, and nothing where it is as before.
//   AL2. One delivery at a time, in order, tried again as the policy says.
//   AL3. Queue and keys have bounds: what waits longest makes room, and is counted.

import type { Clock } from "#core/clock.js";
import type { MaybePromise } from "#core/outcome-types.js";
import type { Reporter } from "#core/reporter.js";
import type { RetryPolicy } from "#runtime/retry-policy.js";
import type { Alert } from "../api/watching.js";
import { type AlertHook, AlertRefused } from "./alert-hook.js";

export interface LaneOptions {
  readonly debounceMs: number;
  readonly maxQueued: number;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly newId: () => string;
}

/** What a hook knows of a key. */
interface Told {
  /** The last that was put in the queue. */
  alert: Alert;
  /** Came since, and waits for its time. */
  later: Alert | undefined;
  cancelTimer: () => void;
}

const isSame = (a: Alert, b: Alert): boolean => a.state === b.state && a.severity === b.severity;

export class AlertLane {
  /** Alerts that this hook was never told of. */
  dropped = 0;
  readonly #hook: AlertHook;
  readonly #options: LaneOptions;
  readonly #stopping = new AbortController();
  readonly #queue: Alert[] = [];
  /** Keys that the hook was told of less than `debounceMs` ago. */
  readonly #told = new Map<string, Told>();
  #delivering: Promise<void> | undefined;

  constructor(hook: AlertHook, options: LaneOptions) {
    this.#hook = hook;
    this.#options = options;
  }

  add(alert: Alert): void {
    if (this.#stopping.signal.aborted) return;
    const told = this.#told.get(alert.key);
    if (told === undefined) this.#enqueue(alert);
    else told.later = alert;
  }

  /** Ends what is on its way, and waits for nobody. */
  async close(): Promise<void> {
    for (const { cancelTimer } of this.#told.values()) cancelTimer();
    this.#told.clear();
    this.#queue.length = 0;
    this.#stopping.abort(new Error("The server stops"));
    await this.#delivering;
  }

  #enqueue(alert: Alert): void {
    const { debounceMs, maxQueued, clock } = this.#options;
    const told: Told = { alert, later: undefined, cancelTimer: () => {} };
    told.cancelTimer = clock.after(debounceMs, () => this.#quiet(told));
    this.#told.set(alert.key, told);
    if (this.#told.size > maxQueued) this.#forgetOldest();
    this.#push(alert);
  }

  #push(alert: Alert): void {
    if (this.#queue.length >= this.#options.maxQueued) {
      this.#queue.shift();
      this.#drop("too many are waiting", undefined);
    }
    this.#queue.push(alert);
    this.#delivering ??= this.#deliverAll();
  }

  /** The time of a key is over (AL1). */
  #quiet(told: Told): void {
    this.#told.delete(told.alert.key);
    if (told.later !== undefined && !isSame(told.later, told.alert)) this.#enqueue(told.later);
  }

  /** Makes room among the keys (AL3): what waits for its time goes out now. */
  #forgetOldest(): void {
    const [oldest] = this.#told.values();
    if (oldest === undefined) return;
    const { alert, later, cancelTimer } = oldest;
    cancelTimer();
    this.#told.delete(alert.key);
    if (later !== undefined && !isSame(later, alert)) this.#push(later);
  }

  async #deliverAll(): Promise<void> {
    for (let alert = this.#queue.shift(); alert !== undefined; alert = this.#queue.shift())
      await this.#deliver(alert);
    this.#delivering = undefined;
  }

  async #deliver(alert: Alert): Promise<void> {
    const { clock, retry, newId } = this.#options;
    const { signal } = this.#stopping;
    const delivery = { id: newId(), signal };
    const began = clock.now();
    for (let n = 1; ; n += 1) {
      try {
        await this.#orStopped(this.#hook.deliver(alert, delivery));
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof AlertRefused) {
          this.#drop("it was refused", error);
          return;
        }
        const delayMs = retry.delayBefore(n, error, clock.now() - began);
        if (delayMs === undefined) {
          this.#drop(`given up after ${n} ${n === 1 ? "try" : "tries"}`, error);
          return;
        }
        await this.#wait(delayMs);
        if (signal.aborted) return;
      }
    }
  }

  /** Rejects when the server stops: a hook may ignore its signal, and nobody waits for it then. */
  #orStopped(delivered: MaybePromise<void>): Promise<void> {
    const { signal } = this.#stopping;
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      const over = (): void => signal.removeEventListener("abort", stop);
      Promise.resolve(delivered).then(resolve, reject).finally(over);
    });
  }

  #wait(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
      const stop = (): void => {
        cancel();
        resolve();
      };
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  #drop(why: string, error: unknown): void {
    this.dropped += 1;
    const message = `An alert did not reach ${this.#hook.name}: ${why}`;
    this.#options.reporter({ code: "ALERT_UNDELIVERED", message, error });
  }
}
