import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { clientRequestId, newRequestId } from "#http/exchange/request-id.js";

describe("a new request id", () => {
  test("is a UUID of version 7 with its time in front", () => {
    const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const id = newRequestId(now);

    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16), now);
  });

  test("is never made twice", () => {
    const ids = new Set(Array.from({ length: 100_000 }, () => newRequestId(1)));

    assert.equal(ids.size, 100_000);
  });

  test("uses every random digit", () => {
    const ids = Array.from({ length: 2000 }, () => newRequestId(0));
    for (const at of [...Array(36).keys()].slice(15)) {
      const digits = new Set(ids.map((id) => id[at]));

      assert.ok(
        digits.size >= (at === 19 ? 4 : [18, 23].includes(at) ? 1 : 16),
        `digit ${at}: ${[...digits].join("")}`,
      );
    }
  });
});

describe("a client's request id", () => {
  test("is taken where it can stand in a header, a log line and a URL", () => {
    for (const id of ["a", "A-1_b.c", "x".repeat(128)]) assert.equal(clientRequestId(id), id);
    for (const id of ["", "x".repeat(129), "a b", "a\n", "é", "a/b", "{}", "<script>"])
      assert.equal(clientRequestId(id), "");
  });
});
