import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { type Due, DueHeap } from "#std/due-heap.js";

/** An item that counts how often its time is read. */
class WatchedItem implements Due {
  static looks = 0;
  place = 0;
  #dueAt: number;

  constructor(dueAt: number) {
    this.#dueAt = dueAt;
  }

  get dueAt(): number {
    WatchedItem.looks += 1;
    return this.#dueAt;
  }

  set dueAt(ms: number) {
    this.#dueAt = ms;
  }
}

describe("DueHeap", () => {
  test("has first what is due first, whatever was added, changed and removed before", () => {
    const op = fc.record({
      what: fc.constantFrom("add", "add", "change", "remove", "pop"),
      dueAt: fc.nat(50),
      at: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(op, { maxLength: 150 }), fc.nat(30), (ops, unread) => {
        const heap = new DueHeap<Due>();
        const model: Due[] = [];
        for (const [n, { what, dueAt, at }] of ops.entries()) {
          const i = what === "pop" ? model.indexOf(heap.first as Due) : at % Math.max(model.length, 1);
          const known = model[i];
          if (what === "add") {
            const item = { dueAt, place: -1 };
            heap.add(item);
            model.push(item);
          } else if (known !== undefined && what === "change") {
            known.dueAt = dueAt;
            heap.changed(known);
          } else if (known !== undefined) {
            heap.remove(known);
            model.splice(i, 1);
            assert.equal(known.place, -1);
          }
          // Until `first` is read there is no order.
          if (n < unread) continue;
          const first = model.length === 0 ? undefined : Math.min(...model.map((item) => item.dueAt));
          assert.equal(heap.first?.dueAt, first);
        }
        const order: number[] = [];
        for (let { first } = heap; first !== undefined; { first } = heap) {
          order.push(first.dueAt);
          heap.remove(first);
        }
        assert.deepEqual(
          order,
          model.map((item) => item.dueAt).sort((a, b) => a - b),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("looks at a few of a hundred thousand at each change, whichever are changed", () => {
    const heap = new DueHeap<WatchedItem>();
    const count = 100_000;
    const items = Array.from({ length: count }, (_, n) => new WatchedItem(n));
    for (const item of items) heap.add(item);
    WatchedItem.looks = 0;
    assert.equal(heap.first, items[0]);
    assert.ok(WatchedItem.looks < 5 * count, `${WatchedItem.looks} to put them in order, once`);

    let most = 0;
    for (let n = 0; n < count; n += 1) {
      // The worst there is: the first becomes the last.
      const first = heap.first as WatchedItem;
      WatchedItem.looks = 0;
      first.dueAt = count + n;
      heap.changed(first);
      assert.equal(heap.first, items[(n + 1) % count]);
      most = Math.max(most, WatchedItem.looks);
    }
    assert.ok(most <= 4 * Math.ceil(Math.log2(count)), `${most} looks`);
  });
});
