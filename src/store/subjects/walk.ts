import type { Clock } from "#core/clock.js";
import type { SinkErased } from "#core/ports/erasure.js";

/** Rows and hosts left that are named. */
const MAX_NAMED = 100;
export const POLL_MS = 200;

export const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });

/** What a walk over rows or hosts left. */
export class Walk {
  #left = 0;
  readonly #named: string[] = [];

  leave(what: string): void {
    this.#left += 1;
    if (this.#named.length < MAX_NAMED) this.#named.push(what);
  }

  result(): Omit<SinkErased, "erased"> {
    return { left: this.#named, leftCount: this.#left };
  }
}
