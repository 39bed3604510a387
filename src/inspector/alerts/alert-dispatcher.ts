import { randomUUID } from "node:crypto";

import { type Clock, MAX_TIMER_MS, systemClock } from "#core/clock.js";
import { invalidOption } from "#core/invalid-option.js";
import { type Reporter, reportAsWarning } from "#core/reporter.js";
import { namesOf, requireKnown } from "#http/known-options.js";
import { requireInteger } from "#http/required-integer.js";
import { RetryPolicy } from "#runtime/retry-policy.js";
import type { Alert } from "../api/watching.js";
import type { AlertHook } from "./alert-hook.js";
import { AlertLane } from "./alert-lane.js";

export interface AlertDispatcherOptions {
  /** A hook is told of one key at most once in so many milliseconds. Default 60 000. */
  readonly debounceMs?: number;
  /** Alerts that wait for one hook; beyond, the oldest are dropped and reported. Default 100. */
  readonly maxQueued?: number;
  /** Default: five more tries, after 1, 4, 16, 60 and 60 seconds, each shortened at random. */
  readonly retry?: RetryPolicy;
  readonly reporter?: Reporter;
  readonly clock?: Clock;
  /** Names deliveries. Default: a random UUID. */
  readonly newId?: () => string;
}

const OPTIONS = namesOf<AlertDispatcherOptions>({
  debounceMs: true,
  maxQueued: true,
  retry: true,
  reporter: true,
  clock: true,
  newId: true,
});

/** Hands alerts to hooks. Nobody waits for them, and no failure of theirs reaches who raises an alert. */
export class AlertDispatcher {
  readonly #lanes: readonly AlertLane[];

  /** Throws CONFIG_INVALID. */
  constructor(hooks: readonly AlertHook[], options: AlertDispatcherOptions = {}) {
    requireKnown("AlertDispatcher", options, OPTIONS);
    const { debounceMs = 60_000, maxQueued = 100, retry } = options;
    if (retry !== undefined && !(retry instanceof RetryPolicy))
      throw invalidOption("AlertDispatcher", "retry is no RetryPolicy");
    for (const hook of hooks)
      if (typeof (hook as Partial<AlertHook> | null)?.deliver !== "function")
        throw invalidOption("AlertDispatcher", "a hook has no function 'deliver'");
    const lane = {
      debounceMs: requireInteger("debounceMs", debounceMs, 0, MAX_TIMER_MS),
      maxQueued: requireInteger("maxQueued", maxQueued, 1, 100_000),
      retry: retry ?? RetryPolicy.exponential(5, 1000, 4, 60_000).withJitter(),
      reporter: options.reporter ?? reportAsWarning,
      clock: options.clock ?? systemClock,
      newId: options.newId ?? randomUUID,
    };
    this.#lanes = hooks.map((hook) => new AlertLane(hook, lane));
  }

  /** Alerts that a hook was never told of, of all hooks. */
  get dropped(): number {
    return this.#lanes.reduce((sum, { dropped }) => sum + dropped, 0);
  }

  dispatch(alert: Alert): void {
    for (const lane of this.#lanes) lane.add(alert);
  }

  /** The server stops: ends what is on its way. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}
