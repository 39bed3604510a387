import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { jsonDifference } from "#runtime/replay/json-difference.js";

describe("the difference of two stored values", () => {
  test("is at the first member that differs, by an escaped pointer", () => {
    assert.deepEqual(jsonDifference({ "a/b": [1, { "~": 2 }] }, { "a/b": [1, { "~": 3 }] }, false), {
      ...{ pointer: "/a~1b/1/~0", stored: 2, now: 3 },
    });
  });

  test("has no value on the side where the member is absent", () => {
    assert.deepEqual(jsonDifference([1], [1, 2], false), { pointer: "/1", now: 2 });
    assert.deepEqual(jsonDifference({ a: 1 }, {}, false), { pointer: "/a", stored: 1 });
  });

  test("is the whole of a value that JSON has no form for, whatever the order of its members", () => {
    const fault = (fields: object) => ({ error: { $: ["fault", fields] } }) as never;
    assert.equal(
      jsonDifference(fault({ code: "A", step: "s" }), fault({ step: "s", code: "A" }), false),
      undefined,
    );
    const found = jsonDifference(fault({ code: "A" }), fault({ code: "B" }), false);
    assert.equal(found?.pointer, "/error");
  });

  test("is none behind a mask, also one inside of such a value, and only in a log that is masked", () => {
    const panic = (message: string) => ({ $: ["fault", { code: "P", cause: { message } }] }) as never;
    assert.equal(jsonDifference(panic("no [redacted]"), panic("no ann"), true), undefined);
    assert.equal(jsonDifference(panic("no [redacted]"), panic("no ann"), false)?.pointer, "");
    const nan = { $: ["number", "NaN"] } as never;
    assert.equal(jsonDifference(4, nan, true), undefined);
    assert.equal(jsonDifference(4, nan, false)?.stored, 4);
  });
});
