import { setTimeout } from "node:timers/promises";

import type { BusView } from "#core/bus/bus.js";
import { type Pass, pass } from "#core/bus/outcome.js";
import { MAX_TIMER_MS as MAX_MS } from "#core/clock.js";
import { invalidOption } from "#core/invalid-option.js";

export interface DelayOptions {
  /** Resolves after `ms`, or rejects and cleans up when `signal` fires. Tests pass their own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Waits, then passes its input on. An aborted run stops waiting. */
export class DelayNode {
  readonly name = "DelayNode";
  /** A replay does not wait. */
  readonly effect = true;
  readonly description: string;
  readonly #durationMs: number;
  readonly #sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;

  constructor(durationMs: number, options: DelayOptions = {}) {
    const remedy = `durationMs must be a whole number of milliseconds from 0 to ${MAX_MS}`;
    if (!Number.isInteger(durationMs) || durationMs < 0 || durationMs > MAX_MS)
      throw invalidOption(`DelayNode(${durationMs})`, remedy);
    this.description = `Waits ${durationMs} ms`;
    this.#durationMs = durationMs;
    this.#sleep = options.sleep ?? ((ms, signal) => setTimeout(ms, undefined, { signal }));
  }

  async run(input: unknown, bus: BusView): Promise<Pass> {
    const { signal } = bus;
    try {
      await this.#sleep(this.#durationMs, signal);
    } catch (error) {
      // The run has ended as RUN_ABORTED: this step did not fail.
      if (!signal.aborted) throw error;
    }
    return pass(input);
  }
}
