import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, isFault } from "framework";
import { type NodeFault, RangeValidator } from "framework/std";

const axon = Axon.start<number>("range").then(new RangeValidator({ min: 1, max: 10 }));
const reason = (outcome: unknown) => {
  assert.ok(isFault(outcome));
  const { status, code, errors } = (outcome.error as NodeFault<"RANGE_EXCEEDED">).toProblemDetail();
  return [status, code, errors?.[0]?.pointer, errors?.[0]?.keyword, errors?.[0]?.expected];
};

describe("RangeValidator", () => {
  test("lets both bounds and what lies between pass", () => {
    assert.deepEqual(
      [1, 5.5, 10].map((n) => axon.execute(n)),
      [1, 5.5, 10],
    );
  });

  test("refuses what lies beyond, and says what would have been right", () => {
    assert.deepEqual(reason(axon.execute(0.9)), [422, "RANGE_EXCEEDED", "", "minimum", "at least 1"]);
    assert.deepEqual(reason(axon.execute(10.1)), [422, "RANGE_EXCEEDED", "", "maximum", "at most 10"]);
  });

  test("refuses what is no number", () => {
    for (const value of [Number.NaN, "5", null, undefined])
      assert.deepEqual(reason(axon.execute(value as number)).slice(2), ["", "type", "a number"]);
  });

  test("may have one bound", () => {
    const least = Axon.start<number>("least").then(new RangeValidator({ min: 0 }));

    assert.equal(least.execute(Number.MAX_VALUE), Number.MAX_VALUE);
    assert.equal(reason(least.execute(-1))[3], "minimum");
  });

  test("looks at a field, and lets the whole object pass", () => {
    const qty = Axon.start<{ qty: number }>("field").then(new RangeValidator({ field: "qty", min: 1 }));
    const order = { qty: 1 };

    assert.equal(qty.execute(order), order);
    assert.deepEqual(reason(qty.execute({ qty: 0 })).slice(2, 4), ["/qty", "minimum"]);
    assert.equal(reason(qty.execute({} as never))[3], "type");
  });

  test("refuses bounds that let nothing or everything pass", () => {
    for (const bounds of [{}, { min: 2, max: 1 }, { min: Number.NaN }, { max: Number.POSITIVE_INFINITY }])
      assert.throws(() => new RangeValidator(bounds), {
        code: "CONFIG_INVALID",
        message: /^RangeValidator\(.*\): give finite bounds/,
      });
  });

  test("is drawn with its bounds", () => {
    assert.equal(new RangeValidator({ field: "qty", min: 1, max: 9 }).description, "qty from 1 to 9");
    assert.equal(new RangeValidator({ max: 0 }).description, "to 0");
  });
});
