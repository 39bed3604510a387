import { KEPT_TICKS } from "./seconds.js";

interface Row {
  tick: number;
  values: Float64Array;
}

/**
 * Counter values at those ticks of the last minute at which they changed; windows are differences
 * of them. 8 bytes per counter and tick. The number of counters may grow from one tick to the next.
 */
export class CountHistory {
  // A ring; one more than a window's ticks, for the values before it.
  readonly #rows: Row[] = [];
  #last = -1;

  /** Stores the values of a tick. */
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

  /** The latest value. */
  value(counter: number): number {
    return this.#rows[this.#last]?.values[counter] ?? 0;
  }

  /** The increase between two ticks, as far as stored. */
  during(counter: number, firstTick: number, lastTick = Number.POSITIVE_INFINITY): number {
    return this.#upTo(lastTick, counter) - this.#upTo(firstTick - 1, counter);
  }

  #changed(values: Float64Array): boolean {
    for (let counter = 0; counter < values.length; counter += 1)
      if (values[counter] !== this.value(counter)) return true;
    return false;
  }

  /** The value at that tick; 0 if not stored, since counters begin at 0. */
  #upTo(tick: number, counter: number): number {
    const count = this.#rows.length;
    for (let back = 0; back < count; back += 1) {
      const row = this.#rows[(this.#last - back + count) % count] as Row;
      if (row.tick <= tick) return row.values[counter] ?? 0;
    }
    return 0;
  }
}
