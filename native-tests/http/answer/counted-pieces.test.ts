import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { CountedPieces, LengthError, pullOf } from "#http/answer/byte-pull.js";

async function* each(pieces: readonly (string | Uint8Array)[]) {
  yield* pieces;
}

async function read(
  pieces: readonly (string | Uint8Array)[],
  length?: number,
): Promise<readonly Uint8Array[]> {
  const counted = new CountedPieces(pullOf(each(pieces)), length);
  const all: Uint8Array[] = [];
  for (let piece = await counted.next(); piece !== undefined; piece = await counted.next())
    all.push(piece.slice());
  return all;
}

describe("the pieces of a source", () => {
  test("are what its text is in UTF-8, wherever it was cut", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "🚢", "\ud800", "\udc00"), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(24), { maxLength: 6 }), async (whole, cuts) => {
        const places = [0, ...cuts.map((at) => Math.min(at, whole.length)).toSorted((a, b) => a - b)];
        const cut = places.map((at, i) => whole.slice(at, places[i + 1]));
        const pieces = await read(cut);

        assert.deepEqual(Buffer.concat(pieces), Buffer.from(whole));
        assert.ok(pieces.every(({ length }) => length > 0));
      }),
    );
  });

  test("are handed over whole only where they are as long as was said", async () => {
    const piece = fc.uint8Array({ maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), fc.nat(20), async (pieces, said) => {
        const total = Buffer.concat(pieces);
        const counted = new CountedPieces(pullOf(each(pieces)), said);
        const given: Uint8Array[] = [];
        let error: unknown;
        try {
          for (let next = await counted.next(); next !== undefined; next = await counted.next())
            given.push(next);
        } catch (thrown) {
          error = thrown;
        }

        assert.equal(error instanceof LengthError, total.length !== said);
        const { length } = Buffer.concat(given);
        if (error === undefined) assert.deepEqual(Buffer.concat(given), total);
        else assert.ok(length < said || said === 0, `${length} of ${said} could pass for whole`);
      }),
    );
  });

  test("are a copy where their source may go on writing over the last one", async () => {
    const buffer = Buffer.from("abc");
    async function* reusing() {
      yield buffer;
      buffer.fill("x");
    }
    const counted = new CountedPieces(pullOf(reusing()), 3);

    assert.equal(Buffer.from((await counted.next()) ?? []).toString(), "abc");
  });
});
