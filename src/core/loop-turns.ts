/** A slice ends with the item that exceeds it. */
const SLICE_MS = 10;

/** Long work on the event loop in slices, in one sequence of turns: the loop serves between any two slices. */
export class Turns {
  readonly #now: () => number;
  #last: Promise<void> = Promise.resolve();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Takes one item after the other until `take` refuses one, or for `forMs`. Returns how many were taken. */
  async each<T>(items: readonly T[], forMs: number, take: (item: T) => boolean): Promise<number> {
    const end = this.#now() + forMs;
    for (let at = 0; at < items.length; ) {
      await this.#next();
      const from = this.#now();
      if (at > 0 && from >= end) return at;
      do {
        if (!take(items[at] as T)) return at;
        at += 1;
      } while (at < items.length && this.#now() - from < SLICE_MS);
    }
    return items.length;
  }

  #next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}
