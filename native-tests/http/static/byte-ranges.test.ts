import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import {
  contentRange,
  lengthOf,
  MAX_RANGES,
  type RequestedRanges,
  rangesOf,
} from "#http/static/byte-ranges.js";

const shown = (ranges: RequestedRanges): unknown =>
  typeof ranges === "string" ? ranges : ranges.map(({ first, last }) => `${first}-${last}`).join();

describe("the Range field", () => {
  test("names bytes by their positions, from one on, and from the end", () => {
    const size = 10_000;

    assert.equal(shown(rangesOf("bytes=0-499", size)), "0-499");
    assert.equal(shown(rangesOf("bytes=500-999", size)), "500-999");
    assert.equal(shown(rangesOf("bytes=-500", size)), "9500-9999");
    assert.equal(shown(rangesOf("bytes=9500-", size)), "9500-9999");
    assert.equal(shown(rangesOf("bytes=0-0,-1", size)), "0-0,9999-9999");
    assert.equal(shown(rangesOf("BYTES=0-0", size)), "0-0");
    assert.equal(shown(rangesOf("bytes=007-10", size)), "7-10");
    assert.equal(shown(rangesOf("bytes= 0-0 ,\t, 5000-5001", size)), "0-0,5000-5001");
  });

  test("is cut to what is there, whatever number of digits it lies with", () => {
    assert.equal(shown(rangesOf("bytes=5-999999999999999999999999", 10)), "5-9");
    assert.equal(shown(rangesOf("bytes=-999999999999999999999999", 10)), "0-9");
    assert.equal(shown(rangesOf(`bytes=5-${"9".repeat(400)}`, 10)), "5-9");
    assert.equal(shown(rangesOf(`bytes=${"9".repeat(400)}-${"9".repeat(401)}`, 10)), "none");
  });

  test("asks for nothing that is there: 416", () => {
    for (const field of ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=10-,-0"])
      assert.equal(rangesOf(field, 10), "none", field);
    assert.equal(rangesOf("bytes=0-0", 0), "none");
  });

  test("counts for what is there of it", () => {
    assert.equal(shown(rangesOf("bytes=10-20,3-4", 10)), "3-4");
  });

  test("does not count where it is malformed, or of another unit", () => {
    const malformed = [
      "",
      "bytes",
      "bytes=",
      "bytes=,",
      "bytes= ",
      "bytes=-",
      "bytes=a-b",
      "bytes=1",
      "bytes=1 -2",
      "bytes=1- 2",
      "bytes=--1",
      "bytes=1-2-3",
      "bytes=+1-2",
      "bytes=0x0-1",
      "bytes=1.0-2",
      "bytes=2-1",
      "bytes=0-1,2-1",
      "bytes=0-1,x",
      "bytes=9007199254740993-9007199254740992",
      "bytes =0-1",
      "bytes:0-1",
      "items=0-1",
      "bytes=0-1;2-3",
    ];
    for (const field of malformed) assert.equal(rangesOf(field, 10_000), "whole", field);
  });

  test("of an empty file has no end to count from", () => {
    assert.equal(rangesOf("bytes=-5", 0), "whole");
  });

  test("joins ranges that overlap or nearly touch", () => {
    assert.equal(shown(rangesOf("bytes=0-99,50-149", 10_000)), "0-149");
    assert.equal(shown(rangesOf("bytes=100-199,0-99", 10_000)), "0-199");
    assert.equal(shown(rangesOf("bytes=0-99,150-199", 10_000)), "0-199");
    assert.equal(shown(rangesOf("bytes=5000-5001,0-99", 10_000)), "5000-5001,0-99", "in the client's order");
  });

  test("is answered whole where pieces of it would be more", () => {
    const many = (n: number): string =>
      `bytes=${Array.from({ length: n }, (_, i) => `${i * 1000}-${i * 1000}`)}`;

    assert.equal(rangesOf(many(MAX_RANGES), 1_000_000).length, MAX_RANGES);
    assert.equal(rangesOf(many(MAX_RANGES + 1), 1_000_000), "whole");
    assert.equal(rangesOf(`bytes=${"0-,".repeat(5000)}`, 1_000_000), "whole");
    assert.equal(rangesOf("bytes=0-4400,4600-9999", 9000), "whole");
    assert.equal(rangesOf("bytes=0-1,240-241", 250), "whole");
  });

  test("is written back with the size", () => {
    assert.equal(contentRange({ first: 0, last: 4 }, 10), "bytes 0-4/10");
    assert.equal(contentRange(undefined, 10), "bytes */10");
  });

  test("never names a byte that is not there, nor one twice, whatever it says", () => {
    const position = fc.oneof(
      fc.nat(40),
      fc.nat(5000),
      fc.constant(2 ** 53),
      fc.bigInt({ min: 0n, max: 10n ** 30n }),
    );
    const spec = fc.oneof(
      { weight: 5, arbitrary: fc.tuple(position, position).map(([a, b]) => `${a}-${b}`) },
      { weight: 2, arbitrary: position.map((a) => `${a}-`) },
      { weight: 2, arbitrary: position.map((a) => `-${a}`) },
      fc.constantFrom("", " ", "-", "1", "a-b", "1-2-3", "\t3-4 "),
    );
    const field = fc.oneof(
      { weight: 9, arbitrary: fc.array(spec, { maxLength: 20 }).map((specs) => `bytes=${specs.join(",")}`) },
      fc.string(),
    );
    fc.assert(
      fc.property(field, fc.nat(3000), (text, size) => {
        const ranges = rangesOf(text, size);
        if (typeof ranges === "string") return;
        const sorted = [...ranges].sort((a, b) => a.first - b.first);
        for (const [i, { first, last }] of sorted.entries()) {
          assert.ok(first >= 0 && first <= last && last < size, `${first}-${last} of ${size}`);
          assert.ok(i === 0 || first > (sorted[i - 1]?.last ?? 0), "in no other");
        }
        const bytes = ranges.reduce((sum, range) => sum + lengthOf(range), 0);
        assert.ok(bytes <= size && ranges.length <= MAX_RANGES);
      }),
    );
  });

  test("names every byte that is asked for and is there, and hardly another", () => {
    const spec = fc.oneof(
      fc.tuple(fc.nat(3000), fc.nat(300)).map(([first, more]) => ({ first, last: first + more })),
      fc.nat(3000).map((first) => ({ first, last: undefined })),
    );
    fc.assert(
      fc.property(
        fc.array(spec, { minLength: 1, maxLength: 16 }),
        fc.integer({ min: 1, max: 3000 }),
        (specs, size) => {
          const wanted = new Set<number>();
          for (const { first, last = size - 1 } of specs)
            for (let at = first; at <= Math.min(last, size - 1); at += 1) wanted.add(at);
          const text = specs.map(({ first, last }) => `${first}-${last ?? ""}`).join(",");

          const ranges = rangesOf(`bytes=${text}`, size);

          assert.equal(ranges === "none", wanted.size === 0);
          if (typeof ranges === "string") return;
          const named = new Set(
            ranges.flatMap(({ first, last }) =>
              Array.from({ length: last - first + 1 }, (_, i) => first + i),
            ),
          );
          assert.ok([...wanted].every((at) => named.has(at)));
          assert.ok(named.size - wanted.size <= 128 * (specs.length - 1), "no more than lies between two");
        },
      ),
    );
  });
});
