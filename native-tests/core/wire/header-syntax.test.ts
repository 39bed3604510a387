import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { assertHeaderName, assertHeaderValue, headerLines } from "#core/wire/header-syntax.js";

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

  test("as lines have their names in lower case, each behind a CR LF", () => {
    assert.equal(headerLines({ "X-A": "1", "x-b": "2" }), "\r\nx-a: 1\r\nx-b: 2");
    assert.throws(() => headerLines({ "x-a": "1\r\nx-b: 2" }), invalid);
  });
});
