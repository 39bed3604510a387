// A buffer of samples that are not counted yet; each is two numbers. Cells are far from the memory
// that a request touches, so samples are counted in batches: at the tick, in the next turn of the
// event loop if many wait, and within a request only if the buffer is full.

import { monotonicMs } from "#core/clock.js";
import type { Slab } from "./slab.js";

const ROOM = 2048;
/** From this many samples on, they are counted in the next turn. */
const MANY = ROOM / 2;

/** A series whose samples are buffered. */
interface Counting {
  /** Its counts, allocated at the first sample. */
  slab(): Slab;
  fold(tick: number): void;
}

export class Measured {
  /** The longest time to count a batch, in milliseconds. */
  longestMs = 0;
  readonly #series: Counting[] = [];
  /** By number; undefined for series without samples. */
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #which = new Int32Array(ROOM);
  readonly #us = new Float64Array(ROOM);
  #length = 0;
  /** Series with samples since the last tick: others cost the tick nothing. */
  #changed: Counting[] = [];

  /** Registers a series and returns its number for `add`. */
  join(series: Counting): number {
    this.#slabs.push(undefined);
    return this.#series.push(series) - 1;
  }

  add(series: number, us: number): void {
    const at = this.#length;
    this.#which[at] = series;
    this.#us[at] = us;
    this.#length = at + 1;
    if (at + 1 === MANY) setImmediate(this.#count);
    else if (at + 1 === ROOM) this.#count();
  }

  /** Adds the samples of a part to its whole, in this tick. */
  addAll(series: Counting, part: Slab): void {
    const slab = series.slab();
    if (slab.isEmpty) this.#changed.push(series);
    slab.add(part);
  }

  /** Ends a tick for all series with samples. Wholes come after their parts. */
  fold(tick: number): void {
    this.#count();
    const changed = this.#changed;
    for (const series of changed) series.fold(tick);
    this.#changed = [];
  }

  #begin(number: number): Slab {
    const slab = (this.#series[number] as Counting).slab();
    this.#slabs[number] = slab;
    return slab;
  }

  readonly #count = (): void => {
    const began = monotonicMs();
    const [slabs, which, us] = [this.#slabs, this.#which, this.#us];
    const length = this.#length;
    for (let at = 0; at < length; at += 1) {
      const number = which[at] as number;
      const slab = slabs[number] ?? this.#begin(number);
      if (slab.isEmpty) this.#changed.push(this.#series[number] as Counting);
      slab.record(us[at] as number);
    }
    this.#length = 0;
    this.longestMs = Math.max(this.longestMs, monotonicMs() - began);
  };
}
