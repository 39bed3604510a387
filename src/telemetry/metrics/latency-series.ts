import { BucketCounts } from "./buckets.js";
import { Distribution } from "./distribution.js";
import type { HistogramValue } from "./family.js";
import { CELLS } from "./log-linear.js";
import { RecentSamples } from "./recent-samples.js";
import { Slab } from "./slab.js";

/** Series that were measured since the last tick: those that were not cost it nothing. */
export type Measured = LatencySeries[];

/** Durations of one thing: since the last tick, of the last minute, and all of them. 11 KB and what {@link RecentSamples} needs. */
export class LatencySeries {
  readonly #slab = new Slab();
  readonly #recent = new RecentSamples();
  readonly #total = new Distribution();
  readonly #buckets = new BucketCounts();
  readonly #measured: Measured;
  readonly #whole: LatencySeries | undefined;

  /** `whole` counts what this one does: it is told at the tick, and not at each sample. */
  constructor(measured: Measured, whole?: LatencySeries) {
    this.#measured = measured;
    this.#whole = whole;
  }

  record(durationUs: number): void {
    if (this.#slab.count === 0) this.#measured.push(this);
    this.#slab.record(durationUs);
  }

  /** What a part of it has measured in this tick. */
  addAll(slab: Slab): void {
    if (this.#slab.count === 0) this.#measured.push(this);
    this.#slab.add(slab);
  }

  /** Takes what was measured as the samples of a tick. */
  fold(tick: number): void {
    const slab = this.#slab;
    this.#whole?.addAll(slab);
    this.#recent.take(tick, slab);
    for (let cell = 0; cell < CELLS; cell += 1) {
      const count = slab.cells[cell] as number;
      if (count === 0) continue;
      this.#total.add(cell, count);
      this.#buckets.add(cell, count);
    }
    this.#total.took(slab.sumUs, slab.maxUs);
    this.#buckets.took(slab.sumUs);
    slab.clear();
  }

  /** Of ticks from one to another. */
  addRecent(to: Distribution, firstTick: number, lastTick?: number): void {
    this.#recent.addTo(to, firstTick, lastTick);
  }

  /** Up to the last tick. */
  get total(): Distribution {
    return this.#total;
  }

  /** Up to the last tick, in seconds. */
  histogram(): HistogramValue {
    return this.#buckets.histogram();
  }
}

/** The tick of all that was measured. What wholes are told of is measured too: they come behind their parts. */
export function foldMeasured(measured: Measured, tick: number): void {
  for (const series of measured) series.fold(tick);
  measured.length = 0;
}
