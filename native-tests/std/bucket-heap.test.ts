import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { type Bucket, BucketHeap } from "#std/bucket-heap.js";

/** A bucket that counts how often its time is looked at. */
class WatchedBucket implements Bucket {
  static looks = 0;
  key = "";
  fullAt = 0;
  place = 0;
  #fullAtMs: number;

  constructor(fullAtMs: number) {
    this.#fullAtMs = fullAtMs;
  }

  get fullAtMs(): number {
    WatchedBucket.looks += 1;
    return this.#fullAtMs;
  }

  set fullAtMs(ms: number) {
    this.#fullAtMs = ms;
  }
}

describe("BucketHeap", () => {
  test("has first whichever is full first, whatever was delayed", () => {
    const times = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 40 });
    const delays = fc.array(fc.tuple(fc.nat(39), fc.integer({ min: 0, max: 50 })), { maxLength: 60 });
    fc.assert(
      fc.property(times, delays, (begun, delayed) => {
        const heap = new BucketHeap();
        const buckets = begun.map((fullAtMs) => ({ key: "", fullAt: 0, fullAtMs, place: 0 }));
        for (const bucket of buckets) heap.add(bucket);
        for (const [at, ms] of [[0, 0] as const, ...delayed]) {
          const bucket = buckets[at % buckets.length] as Bucket;
          bucket.fullAtMs += ms;
          heap.delayed(bucket);
          assert.equal(heap.first?.fullAtMs, Math.min(...buckets.map(({ fullAtMs }) => fullAtMs)));
        }
      }),
    );
  });

  test("looks at a few of a hundred thousand at each change, whichever are changed", () => {
    const heap = new BucketHeap();
    const count = 100_000;
    const buckets = Array.from({ length: count }, (_, n) => new WatchedBucket(n));
    for (const bucket of buckets) heap.add(bucket);
    WatchedBucket.looks = 0;
    assert.equal(heap.first, buckets[0]);
    assert.ok(WatchedBucket.looks < 5 * count, `${WatchedBucket.looks} to put them in order, once`);

    let most = 0;
    for (let n = 0; n < count; n += 1) {
      // The worst there is: the first becomes the last.
      const first = heap.first as Bucket;
      WatchedBucket.looks = 0;
      first.fullAtMs = count + n;
      heap.delayed(first);
      assert.equal(heap.first, buckets[(n + 1) % count]);
      most = Math.max(most, WatchedBucket.looks);
    }
    assert.ok(most <= 4 * Math.ceil(Math.log2(count)), `${most} looks`);
  });
});
