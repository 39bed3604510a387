import type { Clock } from "#core/clock.js";

interface Timer {
  readonly at: number;
  readonly then: () => void;
}

/** A clock that stands still until a test moves it: `new AxonTestKit({}, { clock })`. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Timer>();

  readonly now = (): number => this.#now;

  readonly after = (ms: number, then: () => void): (() => void) => {
    const timer = { at: this.#now + ms, then };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  get timers(): number {
    return this.#timers.size;
  }

  /** Advances by `ms` and fires due timers in order. Lets promises settle before and between them. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (let next = this.#due(until); next !== undefined; next = this.#due(until)) {
      this.#timers.delete(next);
      this.#now = next.at;
      next.then();
      await settled();
    }
    this.#now = until;
  }

  #due(until: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.at <= until);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
