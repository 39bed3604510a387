import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { parseQuery } from "#http/input/form-fields.js";
import { Refusal } from "#http/refusal/refusal.js";

const read = (query: string | undefined) => {
  const parsed = parseQuery(query);
  return parsed instanceof Refusal ? parsed.problem.code : { ...parsed };
};

describe("a query", () => {
  test("is decoded key by key", () => {
    assert.deepEqual(read("a=1&b=%C3%A9&c=x+y&d&e=&f=a%26b%3Dc&g=1=2"), {
      a: "1",
      b: "é",
      c: "x y",
      d: "",
      e: "",
      f: "a&b=c",
      g: "1=2",
    });
    assert.deepEqual(read(undefined), {});
    assert.deepEqual(read(""), {});
    assert.deepEqual(read("&&a=1&"), { a: "1" });
  });

  test("has a list under a key that comes more than once", () => {
    assert.deepEqual(read("a=1&a=2&b=3&a=%34"), { a: ["1", "2", "4"], b: "3" });
  });

  test("has at most 1000 parameters", () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => `k${i}=1`).join("&");

    assert.equal(Object.keys(read(many(1000))).length, 1000);
    assert.equal(read(many(1001)), "PARAMETER_INVALID");
  });

  test("makes an object without a prototype", () => {
    const parsed = parseQuery("constructor=2&toString=3");

    assert.equal(Object.getPrototypeOf(parsed), null);
    assert.deepEqual(Object.entries(parsed), [
      ["constructor", "2"],
      ["toString", "3"],
    ]);
  });

  test("is refused where a name leads to a prototype, however it is written", () => {
    for (const query of [
      "__proto__=1",
      "a=1&%5f_proto__=1",
      "__proto__[x]=1",
      "a[__proto__][x]=1",
      "__proto__",
    ])
      assert.equal(read(query), "PARAMETER_INVALID", query);
    assert.deepEqual(read("my__proto__x=1"), { my__proto__x: "1" });
  });

  test("has a list under a name that clients write as one of a list", () => {
    assert.deepEqual(read("l[]=a&l%5B%5D=b&n[0]=1&n[1]=2&l=c"), { l: ["a", "b", "c"], n: ["1", "2"] });
    assert.deepEqual(read("l[]=a"), { l: ["a"] });
    assert.deepEqual(read("a[b]=1&[]=2&a[][]=3"), { "a[b]": "1", "[]": "2", "a[][]": "3" });
  });

  test("is read back as it was written", () => {
    const pairs = fc
      .uniqueArray(fc.tuple(fc.string({ minLength: 1, unit: "grapheme" }), fc.string({ unit: "grapheme" })), {
        selector: ([key]) => key,
        maxLength: 20,
      })
      .filter((all) => all.every(([name]) => !/__proto__|\]$/.test(name)));
    fc.assert(
      fc.property(pairs, (all) => {
        assert.deepEqual(read(new URLSearchParams([...all]).toString()), { ...Object.fromEntries(all) });
      }),
    );
  });
});
