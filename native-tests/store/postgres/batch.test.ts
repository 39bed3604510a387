import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { batchOf } from "#store/postgres/batch.js";

const MAX_LENGTH = 4 * 1024 ** 2;
const call = fc.record({
  id: fc.integer({ min: 0, max: 9 }),
  length: fc.oneof(fc.nat(1000), fc.nat(2 * MAX_LENGTH)),
});

describe("the batches of a connection", () => {
  test("have all calls once, in the order of each id, one of an id at a time, below the limit or alone", () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 40 }), (calls) => {
        const sent: (typeof calls)[number][] = [];
        for (let waiting = calls; waiting.length > 0; ) {
          const { batch, later } = batchOf(
            waiting,
            ({ length }) => length,
            ({ id }) => id,
          );
          assert.ok(batch.length > 0);
          assert.equal(new Set(batch.map(({ id }) => id)).size, batch.length);
          const length = batch.reduce((sum, each) => sum + each.length, 0);
          assert.ok(batch.length === 1 || length <= MAX_LENGTH, String(length));
          sent.push(...batch);
          waiting = later;
        }
        assert.equal(sent.length, calls.length);
        for (const { id } of calls)
          assert.deepEqual(
            sent.filter((each) => each.id === id),
            calls.filter((each) => each.id === id),
          );
      }),
    );
  });

  test("have 500 calls at most", () => {
    const { batch, later } = batchOf(
      Array.from({ length: 501 }, (_, at) => at),
      () => 1,
    );

    assert.deepEqual([batch.length, later], [500, [500]]);
  });
});
