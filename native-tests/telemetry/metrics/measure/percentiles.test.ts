import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { type Cells, Distribution, mergeCells, noCells } from "#telemetry/metrics/measure/distribution.js";
import { decodeHdr, encodeHdr, mergeHdr } from "#telemetry/metrics/measure/hdr-encoding.js";
import { CELLS, cellOf, countedUs, LONGEST_US, middleOf } from "#telemetry/metrics/measure/log-linear.js";
import { p99Of, percentilesOf, samplesOf } from "#telemetry/metrics/measure/percentiles.js";
import { Slab } from "#telemetry/metrics/measure/slab.js";
import { durations } from "../../../support/durations.js";

const cellsOf = (samples: readonly number[]): Cells => {
  const slab = new Slab();
  for (const us of samples) slab.record(us);
  const all = new Distribution();
  slab.cells.forEach((count, cell) => {
    if (count > 0) all.add(cell, count);
  });
  all.took(slab.sumUs, slab.maxUs);
  return all.cells();
};

/** The smallest of the samples that so many of them do not exceed, in whole numbers. */
function exact(samples: readonly number[], perMille: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Number((BigInt(perMille) * BigInt(sorted.length) + 999n) / 1000n);
  return sorted[rank - 1] as number;
}

const within3Percent = (found: number, wanted: number): boolean =>
  Math.abs(found - wanted) <= Math.max(0.03 * wanted, 0.5);

describe("cells", () => {
  test("are in the order of what they hold, and their middle is within 1/64 of it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: LONGEST_US }),
        fc.integer({ min: 0, max: LONGEST_US }),
        (a, b) => {
          assert.ok(cellOf(a) >= 0 && cellOf(a) < CELLS);
          if (a <= b) assert.ok(cellOf(a) <= cellOf(b));
          assert.ok(Math.abs(middleOf(cellOf(a)) - a) <= a / 64);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("begin anew at each bound, with nothing between them", () => {
    for (let cell = 0; cell < CELLS; cell += 1) assert.equal(cellOf(middleOf(cell)), cell);
    assert.deepEqual([63, 64, 65, 66, 127, 128, LONGEST_US].map(cellOf), [63, 64, 64, 65, 95, 96, CELLS - 1]);
  });

  test("take what is too long, negative or no number", () => {
    assert.deepEqual([Number.POSITIVE_INFINITY, LONGEST_US + 1, -1, Number.NaN, 0.4, 0.5].map(countedUs), [
      LONGEST_US,
      LONGEST_US,
      0,
      0,
      0,
      1,
    ]);
  });
});

describe("percentiles", () => {
  for (const [name, samples] of durations())
    test(`are within 3 % of exact ones, for durations that are ${name}`, () => {
      fc.assert(
        fc.property(samples, (all) => {
          const found = percentilesOf(cellsOf(all));

          assert.ok(found !== null);
          const wanted = [500, 900, 950, 990, 999].map((perMille) => exact(all, perMille));
          const { p50_us, p90_us, p95_us, p99_us, p99_9_us, max_us, mean_us } = found;
          [p50_us, p90_us, p95_us, p99_us, p99_9_us].forEach((value, at) => {
            assert.ok(within3Percent(value, wanted[at] as number), `${value} for ${wanted[at]}`);
          });
          assert.equal(max_us, Math.max(...all.map(countedUs)));
          assert.ok(within3Percent(mean_us, all.reduce((sum, us) => sum + us, 0) / all.length));
        }),
      );
    });

  test("are never above the longest sample", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (us) => {
        const { max_us, ...others } = percentilesOf(cellsOf([us])) ?? { max_us: -1 };

        assert.equal(max_us, us);
        for (const other of Object.values(others)) assert.ok(other <= us);
      }),
    );
  });

  test("are none of no samples", () => {
    assert.equal(percentilesOf(noCells), null);
    assert.equal(p99Of(noCells), null);
  });

  test("of a thousand samples leave one above the 99.9th", () => {
    const cells = cellsOf([...Array.from({ length: 999 }, () => 10), 60]);

    assert.equal(percentilesOf(cells)?.p99_9_us, 10);
    assert.equal(p99Of(cells), 10);
  });
});

describe("cells of several processes", () => {
  const cells = () => fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 50 }).map(cellsOf);

  test("are those of all samples together", () => {
    const samples = () => fc.array(fc.nat(5_000_000), { maxLength: 60 });
    fc.assert(
      fc.property(samples(), samples(), (a, b) => {
        assert.deepEqual(mergeCells(cellsOf(a), cellsOf(b)), cellsOf([...a, ...b]));
      }),
    );
  });

  test("merge in any order, and as HdrHistograms too", () => {
    fc.assert(
      fc.property(cells(), cells(), cells(), (a, b, c) => {
        assert.deepEqual(mergeCells(a, b), mergeCells(b, a));
        assert.deepEqual(mergeCells(mergeCells(a, b), c), mergeCells(a, mergeCells(b, c)));
        const [x, y, z] = [encodeHdr(a), encodeHdr(b), encodeHdr(c)] as const;
        assert.equal(mergeHdr(x, y), mergeHdr(y, x));
        assert.equal(mergeHdr(mergeHdr(x, y), z), mergeHdr(x, mergeHdr(y, z)));
        assert.deepEqual(decodeHdr(mergeHdr(x, y)).pairs, mergeCells(a, b).pairs);
      }),
    );
  });

  test("are sent as an HdrHistogram without losing a sample", () => {
    fc.assert(
      fc.property(cells(), (given) => {
        const received = decodeHdr(encodeHdr(given));

        assert.deepEqual(received.pairs, given.pairs);
        assert.equal(samplesOf(received), samplesOf(given));
      }),
    );
  });

  test("hold more than 32 bits count", () => {
    const many: Cells = { pairs: [100, 2 ** 40], sumUs: 144 * 2 ** 40, maxUs: 145 };

    assert.deepEqual(decodeHdr(mergeHdr(encodeHdr(many), encodeHdr(many))).pairs, [100, 2 ** 41]);
  });
});
