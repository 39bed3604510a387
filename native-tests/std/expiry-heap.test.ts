import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { type Ending, ExpiryHeap } from "#std/expiry-heap.js";

describe("ExpiryHeap", () => {
  test("has on top what ends first, whatever came, changed and went before", () => {
    const op = fc.record({
      what: fc.constantFrom("add", "add", "change", "remove", "pop"),
      endsAt: fc.nat(50),
      at: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(op, { maxLength: 150 }), (ops) => {
        const heap = new ExpiryHeap<Ending>();
        const model: Ending[] = [];
        for (const { what, endsAt, at } of ops) {
          const i = what === "pop" ? model.indexOf(heap.first as Ending) : at % Math.max(model.length, 1);
          const known = model[i];
          if (what === "add") {
            const thing = { endsAt, place: -1 };
            heap.add(thing);
            model.push(thing);
          } else if (known !== undefined && what === "change") {
            known.endsAt = endsAt;
            heap.changed(known);
          } else if (known !== undefined) {
            heap.remove(known);
            model.splice(i, 1);
            assert.equal(known.place, -1);
          }
          const first = model.length === 0 ? undefined : Math.min(...model.map((thing) => thing.endsAt));
          assert.equal(heap.first?.endsAt, first);
        }
        const order: number[] = [];
        for (let { first } = heap; first !== undefined; { first } = heap) {
          order.push(first.endsAt);
          heap.remove(first);
        }
        assert.deepEqual(
          order,
          model.map((thing) => thing.endsAt).sort((a, b) => a - b),
        );
      }),
      { numRuns: 500 },
    );
  });
});
