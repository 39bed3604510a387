// What was measured and is not counted yet. A sample is two numbers behind those of the last one;
// cells of histograms are apart from all else that a request touches, so they are counted in
// batches: at the tick, where many wait in the next turn of the event loop, and within a request
// only where there is no room for one more.

import { monotonicMs } from "#core/clock.js";
import type { Slab } from "./slab.js";

const ROOM = 2048;
/** From so many on they are counted soon. */
const MANY = ROOM / 2;

/** What has the samples that were added under its number. */
interface Counting {
  /** Where they are counted: asked for at the first one. */
  slab(): Slab;
  fold(tick: number): void;
}

export class Measured {
  /** The longest that it took to count a batch. */
  longestMs = 0;
  readonly #series: Counting[] = [];
  /** By their numbers, of those that have any. */
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #which = new Int32Array(ROOM);
  readonly #us = new Float64Array(ROOM);
  #length = 0;
  /** Those with samples since the last tick: the others cost it nothing. */
  #changed: Counting[] = [];

  /** Answers its number, for `add`. */
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

  /** What a part of it has measured in this tick. */
  addAll(series: Counting, part: Slab): void {
    const slab = series.slab();
    if (slab.count === 0) this.#changed.push(series);
    slab.add(part);
  }

  /** The tick of all that was measured. What wholes are told of is measured too: they come behind their parts. */
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
      if (slab.count === 0) this.#changed.push(this.#series[number] as Counting);
      slab.record(us[at] as number);
    }
    this.#length = 0;
    this.longestMs = Math.max(this.longestMs, monotonicMs() - began);
  };
}
