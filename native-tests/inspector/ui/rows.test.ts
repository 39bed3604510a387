import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { columnsThatFit, leastWidth } from "../../../src/inspector/ui/table/least-width.js";
import {
  inFirstSeenOrder,
  inPlace,
  ROW_HEIGHT,
  rowsInSight,
  scrollFor,
} from "../../../src/inspector/ui/table/rows.js";

describe("the rows in sight", () => {
  test("are all of those in sight, few others, and the table is as high as all rows are", () => {
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.nat(3_000_000),
        fc.integer({ min: 1, max: 4000 }),
        (total, top, height) => {
          const { first, end, above, below } = rowsInSight(total, top, height);

          assert.equal(above + (end - first) * ROW_HEIGHT + below, total * ROW_HEIGHT);
          assert.ok(end - first <= Math.ceil(height / ROW_HEIGHT) + 26);
          const highest = Math.max(0, total * ROW_HEIGHT - height);
          const from = Math.floor(Math.min(top, highest) / ROW_HEIGHT);
          const to = Math.min(total, Math.ceil((Math.min(top, highest) + height) / ROW_HEIGHT));
          assert.ok(first <= from && end >= to);
        },
      ),
    );
  });

  test("come into sight by the least scrolling, and need none where they are", () => {
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.nat(30_000),
        fc.integer({ min: ROW_HEIGHT, max: 2000 }),
        (row, top, height) => {
          const to = scrollFor(row, top, height) ?? top;

          assert.ok(row * ROW_HEIGHT >= to && (row + 1) * ROW_HEIGHT <= to + height);
          if (row * ROW_HEIGHT >= top && (row + 1) * ROW_HEIGHT <= top + height) assert.equal(to, top);
        },
      ),
    );
  });
});

describe("the least width of a table", () => {
  test("leaves room for the column that takes what is left", () => {
    assert.equal(leastWidth(["104px", undefined, "64px"]), 280);
    assert.equal(leastWidth(["100px", undefined, "50%"]), 424);
    assert.equal(leastWidth([undefined]), 112);
    assert.ok(Number.isFinite(leastWidth(["60%", "40%", undefined])));
  });
});

describe("the columns that fit", () => {
  const column = fc.record({
    width: fc.constantFrom("64px", "136px", "300px", "20%"),
    folds: fc.option(fc.nat(5), { nil: 9 }),
  });

  test("are as many as there is room for, those of least worth left out, in their order", () => {
    fc.assert(
      fc.property(fc.array(column, { minLength: 1, maxLength: 9 }), fc.nat(2000), (all, pixels) => {
        const columns = all.map(({ width, folds }) => (folds === 9 ? { width } : { width, folds }));
        const least = (some: typeof columns) => leastWidth(some.map(({ width }) => width));
        const worth = ({ folds = 9 }: { readonly folds?: number }) => folds;
        const fitting = columnsThatFit(columns, pixels);

        const bound = Math.min(9, ...fitting.map(worth));
        assert.deepEqual(
          fitting,
          columns.filter((one) => worth(one) >= bound),
        );
        if (fitting.some((one) => worth(one) < 9)) assert.ok(least(fitting) <= pixels);
        const out = columns.filter((one) => worth(one) < bound).map(worth);
        const next = columns.filter((one) => worth(one) >= Math.max(...out));
        if (out.length > 0) assert.ok(least(next) > pixels);
      }),
    );
  });
});

describe("rows under the pointer", () => {
  const place = (shown: string, rows: string) =>
    inPlace([...shown], [...rows], (row) => row.toLowerCase()).join("");

  test("keep their order, with their newest data", () => {
    assert.equal(place("abc", "CBA"), "ABC");
  });

  test("let new ones in below only, and the gone ones out", () => {
    assert.equal(place("abc", "xabcy"), "abcy");
    assert.equal(place("abc", "xac"), "ac");
    assert.equal(place("abc", "xyz"), "xyz");
    assert.equal(place("", "ab"), "ab");
  });
});

test("rows that were acted on keep their place when the server lists them elsewhere, and new ones are last", () => {
  const ordered = (seen: string, rows: string) =>
    inFirstSeenOrder([...seen], [...rows], (row) => row).join("");

  assert.equal(ordered("", "ba"), "ba");
  assert.equal(ordered("abc", "bcnam"), "abcnm");
});
