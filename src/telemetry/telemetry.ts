import { MAX_TIMER_MS } from "#core/clock.js";
import type { Tracing } from "./tracing/tracing.js";

/** The span export of a configuration. Without an endpoint every method does nothing. */
export class Telemetry {
  readonly #tracing: Tracing | undefined;

  constructor(tracing: Tracing | undefined) {
    this.#tracing = tracing;
  }

  /** True if an endpoint is set and tracing is enabled. */
  get isSending(): boolean {
    return this.#tracing !== undefined;
  }

  /**
   * Exports the ended spans within `timeoutMs` milliseconds (default 10 000). Resolves to true if
   * all were accepted; the rest is exported later. Never rejects.
   */
  async flush(timeoutMs = 10_000): Promise<boolean> {
    const tracing = this.#tracing;
    if (tracing === undefined) return true;
    const { dropped } = tracing;
    const isDone = await within(timeoutMs, (over) => Promise.race([tracing.flush(), over]));
    return isDone && tracing.dropped === dropped;
  }

  /**
   * Exports the ended spans within `timeoutMs` milliseconds (default 3000), then drops and reports
   * the rest and closes the connection. A server calls it when it stops. Never rejects.
   */
  async shutdown(timeoutMs = 3000): Promise<boolean> {
    const tracing = this.#tracing;
    if (tracing === undefined) return true;
    const { dropped } = tracing;
    const isDone = await within(timeoutMs, (over) => tracing.rest(over));
    return isDone && tracing.dropped === dropped;
  }
}

/** Resolves to true if `call` settled in time. `over` resolves at the end of the time. */
async function within(timeoutMs: number, call: (over: Promise<void>) => Promise<void>): Promise<boolean> {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    const end = (): void => {
      isOver = true;
      resolve();
    };
    // NaN counts as 0.
    timer = setTimeout(end, timeoutMs > 0 ? Math.min(timeoutMs, MAX_TIMER_MS) : 0);
  });
  try {
    await call(over);
    return !isOver;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
