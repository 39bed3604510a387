import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { parseTracestate } from "#telemetry/tracing/tracestate.js";

const KEY_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-*/@";
const VALUE_CHARACTERS = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i))
  .join("")
  .replace(/[,=]/g, "");

const many = (count: number) => Array.from({ length: count }, (_, i) => `k${i}=1`);

describe("a tracestate", () => {
  test("is kept in its order", () => {
    assert.equal(parseTracestate(["foo=1,bar=2"]), "foo=1,bar=2");
    assert.equal(parseTracestate(["foo=1,bar=2", "rojo=1", "baz=3"]), "foo=1,bar=2,rojo=1,baz=3");
    assert.equal(parseTracestate(["1a-_*/@b@=%"]), "1a-_*/@b@=%");
    assert.equal(
      parseTracestate([`${KEY_CHARACTERS}=${VALUE_CHARACTERS}`]),
      `${KEY_CHARACTERS}=${VALUE_CHARACTERS}`,
    );
  });

  test("is nothing where there is nothing", () => {
    for (const lines of [[], [""], ["", ""], [" ,\t,, "]]) assert.equal(parseTracestate(lines), "");
  });

  test("loses the space around its members, and empty ones", () => {
    for (const text of [
      "foo=1 \t , \t bar=2",
      "foo=1\t \t,\t \tbar=2",
      "\t foo=1,,bar=2 \t",
      ",foo=1,bar=2,",
    ])
      assert.equal(parseTracestate([text]), "foo=1,bar=2");
    assert.equal(parseTracestate(["foo=1", "", "bar=2"]), "foo=1,bar=2");
    assert.equal(parseTracestate(["foo=  1"]), "foo=  1", "those before a value are its own");
  });

  for (const [name, text] of Object.entries({
    "a space in a key": "foo =1",
    "capitals in a key": "FOO=1",
    "a dot in a key": "foo.bar=1",
    "a key that begins with @": "@foo=1",
    "no key": "=1",
    "no value": "foo=",
    "a value of spaces": "foo=  ",
    "no equals sign": "foo",
    "two equals signs": "foo=1=2",
    "a tab in a value": "foo=1\t2",
    "a letter outside ASCII": "foo=é",
    "a control character": "foo=\u007f",
    "a space that is no ASCII": "foo=1\u00a0",
    "a key twice": "foo=1,bar=2,foo=3",
    "a long key": `${"z".repeat(257)}=1`,
    "a long value": `foo=${"v".repeat(257)}`,
  })) {
    test(`with ${name} is dropped as a whole`, () => assert.equal(parseTracestate(["ok=1", text]), ""));
  }

  test("has at most 32 members", () => {
    assert.equal(parseTracestate(many(32)), many(32).join(","));
    assert.equal(parseTracestate(many(33)), "");
  });

  test("has keys and values of at most 256 characters", () => {
    for (const member of [`${"z".repeat(256)}=1`, `foo=${"v".repeat(256)}`])
      assert.equal(parseTracestate(["bar=1", member]), `bar=1,${member}`);
  });

  test("above 512 characters loses its last long members first, then its last", () => {
    const long = (key: string) => `${key}=${"x".repeat(200)}`;
    const short = Array.from({ length: 10 }, (_, i) => `s${i}=${"y".repeat(57)}`);

    assert.equal(
      parseTracestate([long("a"), "b=1", long("c"), "d=2", long("e")]),
      [long("a"), "b=1", long("c"), "d=2"].join(","),
    );
    assert.equal(parseTracestate([long("a"), ...short]), short.slice(0, 8).join(","));
    assert.equal(parseTracestate([`a=${"x".repeat(254)}`, `b=${"x".repeat(253)}`]).length, 512);
    assert.equal(parseTracestate([`a=${"x".repeat(254)}`, `b=${"x".repeat(254)}`]).length, 256);
  });

  test("of valid members is what they are, and stays so when it is read again", () => {
    const text = (characters: string, maxLength: number) =>
      fc.array(fc.constantFrom(...characters), { maxLength }).map((all) => all.join(""));
    const key = fc
      .tuple(fc.constantFrom(..."az09"), text(KEY_CHARACTERS, 20))
      .map(([first, rest]) => first + rest);
    const value = fc
      .tuple(text(VALUE_CHARACTERS, 20), fc.constantFrom(..."!~a"))
      .map(([most, last]) => most + last);
    const members = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 10 });
    fc.assert(
      fc.property(members, (all) => {
        const written = all.map((member) => member.join("="));

        assert.equal(parseTracestate(written), written.join(","));
        assert.equal(parseTracestate([parseTracestate(written)]), written.join(","));
      }),
    );
  });

  test("keeps its bounds and its grammar, whatever comes in", () => {
    const noise = fc.array(
      fc.constantFrom("a", "a=", "=1", "b=2", ",", " ", "\t", "é", "z".repeat(100), "=x"),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(
        fc.array(
          noise.map((all) => all.join("")),
          { maxLength: 4 },
        ),
        (lines) => {
          const kept = parseTracestate(lines);

          assert.ok(kept.length <= 512);
          assert.equal(parseTracestate([kept]), kept);
        },
      ),
    );
  });
});
