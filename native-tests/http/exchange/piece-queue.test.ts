import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, test } from "node:test";

import fc from "fast-check";

import { PieceQueue } from "#http/exchange/piece-queue.js";

const ours = () => readdirSync(tmpdir()).filter((name) => name.startsWith("framework-body-"));

function takeAll(queue: PieceQueue): readonly Uint8Array[] {
  const taken: Uint8Array[] = [];
  for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) taken.push(piece);
  return taken;
}

describe("a queue of pieces", () => {
  test("gives back what was put in, in few pieces, for any pieces", () => {
    const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40_000 })));
    fc.assert(
      fc.property(sizes, (lengths) => {
        const queue = new PieceQueue();
        const pieces = lengths.map((length, i) => Buffer.alloc(length, i));
        for (const piece of pieces) queue.push(piece);
        const total = pieces.reduce((sum, { length }) => sum + length, 0);
        assert.equal(queue.length, total);
        const taken = takeAll(queue);

        assert.deepEqual(Buffer.concat(taken), Buffer.concat(pieces));
        assert.ok(taken.length <= 2 * Math.ceil(total / 16_384) + 1);
        assert.equal(queue.length, 0);
      }),
    );
  });

  test("writes pieces to a file while memory has no room for them", () => {
    const shares: number[] = [];
    const queue = new PieceQueue((bytes) => {
      shares.push(bytes);
      return bytes <= 10;
    });
    for (const text of ["0123456789", "a", "bc"]) queue.push(Buffer.from(text));

    assert.deepEqual([queue.inMemory, queue.length], [10, 13]);
    assert.equal(Buffer.concat(takeAll(queue)).toString(), "0123456789abc");
    queue.push(Buffer.from("d"));
    queue.clear();
    // Behind a file everything goes into it.
    assert.deepEqual(shares, [10, 11, 0, 1, 0]);
  });

  test("keeps the order where memory is full, for any pieces put in and taken", () => {
    const steps = fc.array(fc.oneof(fc.integer({ min: 1, max: 900_000 }), fc.constant(0)), { maxLength: 30 });
    fc.assert(
      fc.property(steps, (lengths) => {
        const queue = new PieceQueue();
        const put: Buffer[] = [];
        const taken: Uint8Array[] = [];
        for (const [i, length] of lengths.entries()) {
          if (length === 0) taken.push(queue.shift() ?? new Uint8Array(0));
          else put.push(Buffer.alloc(length, i + 1));
          if (length > 0) queue.push(put.at(-1) as Buffer);
        }
        taken.push(...takeAll(queue));
        queue.clear();

        assert.ok(Buffer.concat(taken).equals(Buffer.concat(put)));
      }),
      // A small one would still fit behind a large one that did not.
      { numRuns: 30, examples: [[[900_000, 200_000, 1000]]] },
    );
  });

  test("has a file without a name, and none once it is cleared", () => {
    const before = ours();
    const queue = new PieceQueue();
    for (let i = 0; i < 40; i += 1) queue.push(Buffer.alloc(500_000, i));

    assert.deepEqual(ours(), before);
    assert.equal(queue.length, 20_000_000);
    queue.clear();
    assert.equal(queue.length, 0);
    assert.equal(queue.shift(), undefined);
  });
});
