// Buckets by the time at which they are full again, the first on top: a binary heap whose
// order is made when it is first asked for, and kept from then on. Until its owner has no
// room left nobody asks, and it costs nothing; after that a change costs as many
// comparisons as twice the logarithm of its size, whatever clients do.

/** What one client has left. */
export interface Bucket {
  key: string;
  /** When it is full again, in units of its rate: this number is the whole bucket. */
  fullAt: number;
  /** The same in whole milliseconds, rounded up: comparable among buckets of all rates. */
  fullAtMs: number;
  /** Where it stands in its heap; -1 for one that is in none. */
  place: number;
}

export class BucketHeap {
  readonly #buckets: Bucket[] = [];
  #isOrdered = false;

  add(bucket: Bucket): void {
    bucket.place = this.#buckets.length;
    this.#buckets.push(bucket);
    this.#isOrdered = false;
  }

  /** The one that is full first. */
  get first(): Bucket | undefined {
    if (!this.#isOrdered) this.#order();
    return this.#buckets[0];
  }

  /** To be told when a bucket will be full later than it would have been. */
  delayed(bucket: Bucket): void {
    if (this.#isOrdered && bucket.place >= 0) this.#sink(bucket);
  }

  #order(): void {
    for (let place = (this.#buckets.length >> 1) - 1; place >= 0; place -= 1)
      this.#sink(this.#buckets[place] as Bucket);
    this.#isOrdered = true;
  }

  #sink(bucket: Bucket): void {
    const buckets = this.#buckets;
    const { fullAtMs } = bucket;
    let { place } = bucket;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= buckets.length) break;
      let next = buckets[below] as Bucket;
      const other = buckets[below + 1];
      if (other !== undefined && other.fullAtMs < next.fullAtMs) {
        below += 1;
        next = other;
      }
      if (next.fullAtMs >= fullAtMs) break;
      buckets[place] = next;
      next.place = place;
      place = below;
    }
    buckets[place] = bucket;
    bucket.place = place;
  }
}
