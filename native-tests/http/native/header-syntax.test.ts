import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { assertHeaderName, assertHeaderValue } from "#http/native/header-syntax.js";
import { statusBlock } from "#http/status-block.js";

const invalid = { code: "HEADER_INVALID" };

describe("response headers", () => {
  test("cannot hold what would begin another header, or the body", () => {
    for (const value of ["a\r\nset-cookie: x", "a\nb", "a\rb", "a\0b", "é", "a\u007f", "\u2028"])
      assert.throws(() => assertHeaderValue("x", value), invalid);
    for (const name of ["a b", "a:", "", "a\r\n", "é", "a(b)"])
      assert.throws(() => assertHeaderName(name), invalid);
    assert.doesNotThrow(() => assertHeaderValue("x", 'a\tb; c="d" ~'));
    assert.doesNotThrow(() => assertHeaderName("x-rate_limit.1"));
  });

  test("are checked where a status block is made", () => {
    assert.throws(() => statusBlock(200, { "x-a": "1\r\nx-b: 2" }), invalid);
    assert.throws(() => statusBlock(200, { "x a": "1" }), invalid);
  });

  test("stand behind the status in one block", () => {
    assert.equal(
      Buffer.from(statusBlock(409, { "x-a": "1", "x-b": "2" })).toString(),
      "409 Conflict\r\nx-a: 1\r\nx-b: 2",
    );
    assert.equal(Buffer.from(statusBlock(499)).toString(), "499 Unassigned");
  });
});
