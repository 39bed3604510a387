import { KEPT_TICKS } from "./seconds.js";

interface Row {
  tick: number;
  values: Float64Array;
}

/**
 * What counters said at the ticks of the last minute at which they had changed, so that
 * windows can tell how much they did. 8 bytes for each counter and such a tick. There may
 * be more counters from one tick to the next.
 */
export class CountHistory {
  // A ring; one more than the ticks of a window, for what was there before it.
  readonly #rows: Row[] = [];
  #last = -1;

  /** Takes what the counters say at a tick. */
  note(tick: number, values: Float64Array): void {
    if (!this.#changed(values)) return;
    this.#last = (this.#last + 1) % (KEPT_TICKS + 1);
    const row = this.#rows[this.#last];
    if (row?.values.length === values.length) {
      row.tick = tick;
      row.values.set(values);
    } else {
      this.#rows[this.#last] = { tick, values: Float64Array.from(values) };
    }
  }

  /** What it said last. */
  value(counter: number): number {
    return this.#rows[this.#last]?.values[counter] ?? 0;
  }

  /** How much was counted in ticks from one to another, of those that are kept. */
  during(counter: number, firstTick: number, lastTick = Number.POSITIVE_INFINITY): number {
    return this.#upTo(lastTick, counter) - this.#upTo(firstTick - 1, counter);
  }

  #changed(values: Float64Array): boolean {
    for (let counter = 0; counter < values.length; counter += 1)
      if (values[counter] !== this.value(counter)) return true;
    return false;
  }

  /** What it said at that tick; 0 where nothing is known of it, since counters begin there. */
  #upTo(tick: number, counter: number): number {
    const count = this.#rows.length;
    for (let back = 0; back < count; back += 1) {
      const row = this.#rows[(this.#last - back + count) % count] as Row;
      if (row.tick <= tick) return row.values[counter] ?? 0;
    }
    return 0;
  }
}
