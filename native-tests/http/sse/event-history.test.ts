import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { EventHistory } from "#http/sse/event-history.js";

describe("the history of a channel", () => {
  test("has the newest events without a gap, within both bounds, and finds each by its id", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 10, max: 30 }),
        fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 40 }),
        (events, bytes, sizes) => {
          const history = new EventHistory({ events, bytes }, "0");
          sizes.forEach((size, i) => {
            history.append({
              labels: { id: String(i + 1), event: "message", topic: "" },
              bytes: new Uint8Array(size),
            });
          });

          // What there is room for, counted from the newest.
          let oldest = sizes.length + 1;
          for (let sum = 0; oldest > 1 && sizes.length - oldest + 1 < events; oldest -= 1) {
            sum += sizes[oldest - 2] as number;
            if (sum > bytes) break;
          }
          assert.deepEqual([history.oldest, history.newest], [oldest, sizes.length]);
          for (let number = 0; number <= sizes.length + 1; number += 1) {
            const isKept = number >= oldest && number <= sizes.length;
            assert.equal(history.at(number)?.bytes.length, isKept ? sizes[number - 1] : undefined);
            assert.equal(
              history.numberOf(String(number)),
              isKept || number === oldest - 1 ? number : undefined,
            );
          }
        },
      ),
    );
  });

  test("finds of two events with one id the newer", () => {
    const history = new EventHistory({ events: 2, bytes: 100 }, "0");
    for (const id of ["a", "a", "b", "c"])
      history.append({ labels: { id, event: "message", topic: "" }, bytes: new Uint8Array(1) });

    assert.deepEqual([history.numberOf("a"), history.numberOf("b"), history.numberOf("c")], [2, 3, 4]);
  });
});
