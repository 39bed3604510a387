import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { jsonDifferences } from "#core/wire/json-differences.js";

describe("two values", () => {
  const folded = (a: unknown, b: unknown, name?: string) =>
    jsonDifferences(a, b, name).map(({ pointer, isFolded }) => (isFolded ? `(${pointer})` : pointer));

  test("differ by their leaves, members that one lacks, and their kinds", () => {
    assert.deepEqual(folded({ a: 1, "b/~": [1, 2], c: null }, { a: 1, "b/~": [1, 3, 4] }), [
      "/b~1~0/1",
      "/b~1~0/2",
      "/c",
    ]);
    assert.deepEqual(folded({ a: [] }, { a: {} }), ["/a"]);
    assert.deepEqual(folded("x", "x"), []);
    const [evil, plain] = [JSON.parse('{"__proto__":{"admin":true}}'), { constructor: 1 }];
    assert.deepEqual(folded(evil, plain), ["/__proto__", "/constructor"]);
  });

  test("are folded where any two runs differ: ids and times of runs, rests of limits", () => {
    const uuid = (end: string) => `01a222b0-6ba5-78b2-bec7-6c294f9b1c9${end}`;
    const a = {
      requestId: "a",
      at: 1,
      "x-ratelimit-remaining": 4,
      order: uuid("1"),
      due: "2026-11-28T10:00",
    };
    const b = {
      requestId: "b",
      at: 2,
      "x-ratelimit-remaining": 3,
      order: uuid("2"),
      due: "2026-11-29T10:00",
    };
    assert.deepEqual(
      folded(a, b),
      Object.keys(a).map((key) => `(/${key})`),
    );
    assert.deepEqual(folded("r-1", "r-2", "RequestId"), ["(RequestId)"]);
    assert.deepEqual(folded([1, 2], [1, 3], "created_at"), ["(created_at/1)"]);

    const other = { id: 7, sku: "a", format: "at", customer_id: 1, due: null };
    assert.deepEqual(
      folded(other, { id: 8, sku: "b", format: "now", customer_id: 2, due: "2026-11-28T10:00" }),
      [...["/id", "/sku", "/format", "/customer_id", "/due"]],
    );
    assert.deepEqual(folded({ at: 1 }, {}), ["/at"], "a missing one is none of them");
  });

  test("of which one is large give so many differences at most", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, n]));

    assert.equal(jsonDifferences(many, {}).length, 100);
    const [{ texts } = { texts: [] }] = jsonDifferences("x".repeat(500), 1);
    assert.equal(texts[0]?.length, 83);
  });
});
