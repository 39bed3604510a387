import { BucketCounts } from "./buckets.js";
import { Distribution } from "./distribution.js";
import type { HistogramValue } from "./family.js";
import { CELLS } from "./log-linear.js";
import type { Measured } from "./measured.js";
import { RecentSamples } from "./recent-samples.js";
import { Slab } from "./slab.js";

interface Kept {
  readonly slab: Slab;
  readonly recent: RecentSamples;
  readonly total: Distribution;
  readonly buckets: BucketCounts;
}

const nothing = new Distribution();

/**
 * Durations of one thing: since the last tick, of the last minute, and all of them. 11 KB and what
 * {@link RecentSamples} needs, from the first sample on: most nodes of a large program are rarely traced.
 */
export class LatencySeries {
  /** By which {@link Measured} knows it. */
  readonly number: number;
  readonly #measured: Measured;
  readonly #whole: LatencySeries | undefined;
  #kept: Kept | undefined;

  /** `whole` counts what this one does: it is told at the tick, and not at each sample. */
  constructor(measured: Measured, whole?: LatencySeries) {
    this.#measured = measured;
    this.#whole = whole;
    this.number = measured.join(this);
  }

  record(durationUs: number): void {
    this.#measured.add(this.number, durationUs);
  }

  /** Since the last tick. */
  slab(): Slab {
    this.#kept ??= {
      slab: new Slab(),
      recent: new RecentSamples(),
      total: new Distribution(),
      buckets: new BucketCounts(),
    };
    return this.#kept.slab;
  }

  /** Whether nothing was counted up to now. */
  get isEmpty(): boolean {
    return this.#kept === undefined;
  }

  /** Takes what was measured as the samples of a tick. */
  fold(tick: number): void {
    if (this.#kept === undefined) return;
    const { slab, recent, total, buckets } = this.#kept;
    if (this.#whole !== undefined) this.#measured.addAll(this.#whole, slab);
    recent.take(tick, slab);
    for (let cell = 0; cell < CELLS; cell += 1) {
      const count = slab.cells[cell] as number;
      if (count === 0) continue;
      total.add(cell, count);
      buckets.add(cell, count);
    }
    total.took(slab.sumUs, slab.maxUs);
    buckets.took(slab.sumUs);
    slab.clear();
  }

  /** Of ticks from one to another. */
  addRecent(to: Distribution, firstTick: number, lastTick?: number): void {
    this.#kept?.recent.addTo(to, firstTick, lastTick);
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
