import { MAX_TIMER_MS } from "#core/clock.js";
import type { Tracing } from "./tracing/tracing.js";

/** What a configuration sends of its program: spans. Where no endpoint is set, nothing, and each call does nothing. */
export class Telemetry {
  readonly #tracing: Tracing | undefined;

  constructor(tracing: Tracing | undefined) {
    this.#tracing = tracing;
  }

  /** Whether there is where to send to. */
  get isSending(): boolean {
    return this.#tracing !== undefined;
  }

  /**
   * Sends the spans that have ended, within `timeoutMs` milliseconds (default 10 000). Resolves
   * to whether all of them were taken; what is left then is sent later. Never rejects.
   */
  async flush(timeoutMs = 10_000): Promise<boolean> {
    const tracing = this.#tracing;
    if (tracing === undefined) return true;
    const { dropped } = tracing;
    const isDone = await within(timeoutMs, (over) => Promise.race([tracing.flush(), over]));
    return isDone && tracing.dropped === dropped;
  }

  /**
   * The same, and gives up what is left after `timeoutMs` milliseconds (default 3000), reports it,
   * and ends the connection. A server does this by itself when it stops. Never rejects.
   */
  async shutdown(timeoutMs = 3000): Promise<boolean> {
    const tracing = this.#tracing;
    if (tracing === undefined) return true;
    const { dropped } = tracing;
    const isDone = await within(timeoutMs, (over) => tracing.rest(over));
    return isDone && tracing.dropped === dropped;
  }
}

/** Whether `call` was done before its time was over, which it is given. */
async function within(timeoutMs: number, call: (over: Promise<void>) => Promise<void>): Promise<boolean> {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    const end = (): void => {
      isOver = true;
      resolve();
    };
    // What is no number is no time either.
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
