import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { OldestEntry } from "#core/oldest-entry.js";

/** Counts the walks that begin. */
class Watched extends Map<number, object> {
  walks = 0;

  override entries(): MapIterator<[number, object]> {
    this.walks += 1;
    return super.entries();
  }
}

const filled = (count: number) => {
  const map = new Watched();
  for (let key = 0; key < count; key += 1) map.set(key, {});
  return { map, oldest: new OldestEntry(map) };
};

describe("the oldest entry of a Map", () => {
  test("is that of a walk from its front, whatever is deleted and inserted", () => {
    const step = fc.tuple(fc.constantFrom("delete", "insert", "evict"), fc.nat(12));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { map, oldest } = filled(3);
        for (const [what, key] of steps) {
          map.delete(what === "evict" ? (oldest.get()?.[0] ?? 0) : key);
          if (what === "insert") map.set(key, {});
          assert.equal(oldest.get()?.[0], [...map.keys()][0]);
        }
      }),
    );
  });

  // OE1: evictions go on with the same walk.
  test("is found by one walk, however many are evicted", () => {
    const { map, oldest } = filled(1000);
    for (let n = 0; n < 900; n += 1) {
      map.delete(oldest.get()?.[0] as number);
      map.set(1000 + n, {});
    }

    assert.equal(map.walks, 1);
  });

  // OE2: what is deleted behind the front is let go.
  test("is found by a new walk after as many calls as there are entries, if it stays", () => {
    const { map, oldest } = filled(10);
    for (let n = 0; n < 100; n += 1) {
      map.delete(9);
      map.set(9, {});
      assert.equal(oldest.get()?.[0], 0);
    }

    assert.equal(map.walks, 10);
  });
});
