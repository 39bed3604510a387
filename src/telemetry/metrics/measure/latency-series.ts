import { BucketCounts } from "./buckets.js";
import { Distribution } from "./distribution.js";
import type { HistogramValue } from "./family.js";
import { CELLS } from "./log-linear.js";
import type { Measured } from "./measured.js";
import { RecentSamples } from "./recent-samples.js";
import { KEPT_SLICES, sliceOf } from "./seconds.js";
import { Slab } from "./slab.js";

interface Kept {
  readonly slab: Slab;
  readonly recent: RecentSamples;
  /** The latest slice with samples, its number, and the slices before it. */
  readonly slice: Slab;
  sliceNumber: number;
  readonly slices: RecentSamples;
  readonly total: Distribution;
  readonly buckets: BucketCounts;
}

const nothing = new Distribution();

/**
 * Durations of one thing: since the last tick, of the last minute and ten minutes, and in total. 15 KB
 * plus {@link RecentSamples} twice, allocated at the first sample: most nodes of a large program are
 * rarely traced.
 */
export class LatencySeries {
  /** Its number in {@link Measured}. */
  readonly number: number;
  readonly #measured: Measured;
  readonly #whole: LatencySeries | undefined;
  #kept: Kept | undefined;

  /** `whole` sums up several series: it is updated at each tick, not at each sample. */
  constructor(measured: Measured, whole?: LatencySeries) {
    this.#measured = measured;
    this.#whole = whole;
    this.number = measured.join(this);
  }

  record(durationUs: number): void {
    this.#measured.add(this.number, durationUs);
  }

  /** Samples since the last tick. */
  slab(): Slab {
    this.#kept ??= {
      slab: new Slab(),
      recent: new RecentSamples(),
      slice: new Slab(),
      sliceNumber: 1,
      slices: new RecentSamples(KEPT_SLICES),
      total: new Distribution(),
      buckets: new BucketCounts(),
    };
    return this.#kept.slab;
  }

  /** True if no sample was counted yet. */
  get isEmpty(): boolean {
    return this.#kept === undefined;
  }

  /** Moves the samples since the last tick into that tick. */
  fold(tick: number): void {
    if (this.#kept === undefined) return;
    const { slab, recent, slice, slices, total, buckets } = this.#kept;
    if (this.#whole !== undefined) this.#measured.addAll(this.#whole, slab);
    recent.take(tick, slab);
    const number = sliceOf(tick);
    if (number !== this.#kept.sliceNumber) {
      if (!slice.isEmpty) slices.take(this.#kept.sliceNumber, slice);
      slice.clear();
      this.#kept.sliceNumber = number;
    }
    for (let cell = 0; cell < CELLS; cell += 1) {
      const count = slab.cells[cell] as number;
      if (count === 0) continue;
      slice.cells[cell] = (slice.cells[cell] as number) + count;
      total.add(cell, count);
      buckets.add(cell, count);
    }
    slice.took(slab.sumUs, slab.maxUs);
    total.took(slab.sumUs, slab.maxUs);
    buckets.took(slab.sumUs);
    slab.clear();
  }

  /** Adds the samples between two ticks to `to`. */
  addRecent(to: Distribution, firstTick: number, lastTick?: number): void {
    this.#kept?.recent.addTo(to, firstTick, lastTick);
  }

  /** Adds the samples from the first tick of a slice on, one of the last {@link KEPT_SLICES} or 1. */
  addSince(to: Distribution, firstTick: number): void {
    if (this.#kept === undefined) return;
    const { slice, sliceNumber, slices, total } = this.#kept;
    if (firstTick === 1) {
      to.addCells(total.cells());
      return;
    }
    slices.addTo(to, sliceOf(firstTick));
    if (sliceNumber < sliceOf(firstTick)) return;
    for (let cell = 0; cell < CELLS; cell += 1) to.add(cell, slice.cells[cell] as number);
    to.took(slice.sumUs, slice.maxUs);
  }

  /** Up to the last tick. */
  get total(): Distribution {
    return this.#kept?.total ?? nothing;
  }

  /** Up to the last tick, in seconds. */
  histogram(): HistogramValue {
    return (this.#kept?.buckets ?? new BucketCounts()).histogram();
  }
}
