import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { parseJson } from "#http/input/json-body.js";
import { Refusal } from "#http/refusal/refusal.js";

const bytes = (text: string | readonly number[]) =>
  typeof text === "string" ? Buffer.from(text) : Buffer.from(text);
const read = (text: string | readonly number[]) => {
  const value = parseJson(bytes(text));
  return value instanceof Refusal ? `${value.problem.code}: ${value.problem.detail ?? ""}` : value;
};

describe("a JSON body", () => {
  test("is read as JSON.parse reads it, any value and any text", () => {
    const text = fc.json().filter((json) => !/__proto__|\\u00/.test(json));
    fc.assert(fc.property(text, (json) => assert.deepEqual(read(json), JSON.parse(json))));
    assert.equal(read('"\\ud83d\\udca9 é 💩"'), "💩 é 💩");
  });

  test("that is missing or malformed is refused without an echo of it", () => {
    assert.equal(read(""), "BODY_MISSING: ");
    assert.equal(read('{"secret": s3cret}'), "JSON_INVALID: It is malformed");
    assert.equal(read(`{"a":"${"x".repeat(50)}" "b"}`), "JSON_INVALID: It is malformed at position 58");
    assert.equal(read("["), "JSON_INVALID: It ends too early");
    for (const text of [
      "{",
      "nul",
      "[1,]",
      "{'a':1}",
      "01",
      "\u00a0{}",
      "{} {}",
      "NaN",
      "\u000c1",
      '"\u0001"',
      '"\\x"',
    ]) {
      assert.match(String(read(text)), /^JSON_INVALID/, text);
      assert.doesNotMatch(String(read(text)), /secret|\[object/);
    }
  });

  test("must be UTF-8 without a byte order mark", () => {
    assert.match(String(read([0x22, 0xff, 0x22])), /^TEXT_INVALID/);
    assert.match(String(read([0x22, 0xc0, 0x80, 0x22])), /^TEXT_INVALID/, "overlong");
    assert.match(String(read([0x22, 0xed, 0xa0, 0x80, 0x22])), /^TEXT_INVALID/, "a surrogate");
    assert.match(String(read([0xef, 0xbb, 0xbf, 0x31])), /byte order mark/);
    assert.match(String(read([0xfe, 0xff, 0x00, 0x31])), /^TEXT_INVALID/, "UTF-16");
  });

  test("is at most 64 deep where it is larger than 4 KiB, whatever stands in strings", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}"${"[".repeat(5000)}\\"["${"]".repeat(depth)}`;

    assert.ok(Array.isArray(read(nested(64))));
    assert.match(String(read(nested(65))), /nested deeper than 64/);
    assert.match(String(read(`${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`)), /nested deeper/);
    assert.ok(
      Array.isArray(read(`${"[".repeat(500)}${"]".repeat(500)}`)),
      "smaller bodies are bounded by their size",
    );
  });

  test("may not have a key __proto__, however it is spelt", () => {
    for (const text of [
      '{"__proto__":{}}',
      '[{"a":{"__proto__":1}}]',
      '{"\\u005f_proto__":1}',
      '{"__\\u0070roto__":1}',
      '{"\\u005F\\u005fproto\\u005f_":1}',
    ]) {
      assert.match(String(read(text)), /key '__proto__'/, text);
    }
  });

  test("may hold the text __proto__ as a value, and escapes as it likes", () => {
    assert.deepEqual(read('{"a":"__proto__"}'), { a: "__proto__" });
    assert.deepEqual(read('{"\\u0061":"\\u005f_proto__"}'), { a: "__proto__" });
    assert.deepEqual(read('{"constructor":{"prototype":1}}'), { constructor: { prototype: 1 } });
  });
});
