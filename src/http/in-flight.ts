import type { ExchangeLedger } from "./native/exchange.js";

/** Counts the exchanges that outlive their handler, for whoever waits for the last one. */
export class InFlight implements ExchangeLedger {
  draining = false;
  #count = 0;
  #whenIdle: (() => void) | undefined;

  opened(): void {
    this.#count += 1;
  }

  closed(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#whenIdle?.();
  }

  /** Answers end their connections from here on; resolves when none is left to be given. */
  drain(): Promise<void> {
    this.draining = true;
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
    });
  }
}
