import { KEPT_SLICES, KEPT_TICKS, sliceOf } from "./seconds.js";

interface Row {
  tick: number;
  values: Float64Array;
}

/**
 * Counter values at those ticks of the last minute at which they changed, and at the end of those
 * slices of the last ten minutes; windows are differences of them. 8 bytes per counter and row, at
 * most 82 rows. The number of counters may grow from one tick to the next.
 */
export class CountHistory {
  // One more than a window's ticks, for the values before it.
  readonly #ticks = new Rows(KEPT_TICKS + 1);
  readonly #slices = new Rows(KEPT_SLICES + 1);

  /** Stores the values of a tick. */
  note(tick: number, values: Float64Array): void {
    if (!this.#changed(values)) return;
    const before = this.#ticks.last;
    if (before !== undefined && sliceOf(before.tick) < sliceOf(tick))
      this.#slices.put(before.tick, before.values);
    this.#ticks.put(tick, values);
  }

  /** The latest value. */
  value(counter: number): number {
    return this.#ticks.last?.values[counter] ?? 0;
  }

  /** The increase between two ticks, as far as stored: of older ticks only the last of each slice. */
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
    return (this.#ticks.upTo(tick) ?? this.#slices.upTo(tick))?.values[counter] ?? 0;
  }
}

/** A ring of rows in the order of their ticks. */
class Rows {
  readonly #rows: Row[] = [];
  readonly #room: number;
  #last = -1;

  constructor(room: number) {
    this.#room = room;
  }

  get last(): Row | undefined {
    return this.#rows[this.#last];
  }

  put(tick: number, values: Float64Array): void {
    this.#last = (this.#last + 1) % this.#room;
    const row = this.#rows[this.#last];
    if (row?.values.length === values.length) {
      row.tick = tick;
      row.values.set(values);
    } else {
      this.#rows[this.#last] = { tick, values: Float64Array.from(values) };
    }
  }

  /** The latest row up to that tick. */
  upTo(tick: number): Row | undefined {
    const count = this.#rows.length;
    for (let back = 0; back < count; back += 1) {
      const row = this.#rows[(this.#last - back + count) % count] as Row;
      if (row.tick <= tick) return row;
    }
    return undefined;
  }
}
