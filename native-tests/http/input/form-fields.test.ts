import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { parseForm, treeOf } from "#http/input/form-fields.js";
import { Refusal } from "#http/refusal/refusal.js";

const read = (body: string) => {
  const fields = parseForm(Buffer.from(body, "latin1"));
  const tree = fields instanceof Refusal ? fields : treeOf(fields);
  return tree instanceof Refusal ? `${tree.problem.code}: ${tree.problem.detail}` : tree;
};
const plain = (body: string): unknown => JSON.parse(JSON.stringify(read(body)));

describe("a form", () => {
  test("is decoded field by field", () => {
    assert.deepEqual(plain("a=1&b=%C3%A9&c=x+y&d&e=&f=a%26b%3Dc&g=1=2&&%5Cx=\xc3\xa9"), {
      a: "1",
      b: "é",
      c: "x y",
      d: "",
      e: "",
      f: "a&b=c",
      g: "1=2",
      "\\x": "é",
    });
    assert.deepEqual(plain(""), {});
  });

  test("has a list under a name that comes more than once, or ends in []", () => {
    assert.deepEqual(plain("a=1&a=2&a=3&b[]=1&c=1&c[]=2&d%5B%5D=x&d[]=y"), {
      a: ["1", "2", "3"],
      b: ["1"],
      c: ["1", "2"],
      d: ["x", "y"],
    });
  });

  test("has fields inside fields", () => {
    assert.deepEqual(plain("u[name]=Ada&u[tags][]=a&u[tags][]=b&u[at][city]=Oban"), {
      u: { name: "Ada", tags: ["a", "b"], at: { city: "Oban" } },
    });
  });

  test("nests five deep and no deeper", () => {
    assert.deepEqual(plain("a[b][c][d][e][f]=1"), { a: { b: { c: { d: { e: { f: "1" } } } } } });
    assert.match(read("a[b][c][d][e][f][g]=1") as string, /nested deeper than 5/);
    assert.match(read(`a${"[b]".repeat(10_000)}=1`) as string, /nested deeper than 5/);
  });

  test("is refused where a field has a value and fields of its own", () => {
    for (const body of ["a=1&a[b]=2", "a[b]=2&a=1", "a[]=1&a[b]=2", "a[b]=1&a[]=2", "a[b]=1&a[b][c]=2"])
      assert.match(read(body) as string, /value and fields of its own/, body);
  });

  test("is refused where brackets are malformed", () => {
    for (const name of ["[a]", "[]", "a[", "a]", "a[b", "a[b]c", "a[][b]", "a[[b]]", "a]b["])
      assert.match(read(`${encodeURIComponent(name)}=1`) as string, /brackets/, name);
  });

  test("is refused where it is not percent-encoded UTF-8", () => {
    for (const body of ["a=%", "a=%zz", "%C3=1", "a=%C3%28", "a=%ED%A0%80"])
      assert.match(read(body) as string, /^FORM_INVALID: .*percent-encoded/, body);
    assert.match(read("a=\xff") as string, /^TEXT_INVALID/);
  });

  test("is refused above 1000 fields, whatever they are", () => {
    assert.equal(
      Object.keys(plain(Array.from({ length: 1000 }, (_, i) => `k${i}=`).join("&")) as object).length,
      1000,
    );
    assert.match(read("a&".repeat(1001)) as string, /more than 1000/);
    assert.match(read("&".repeat(1_000_000)) as string, /more than 1000/);
  });

  test("is refused where a name is __proto__, and has no prototype to pollute", () => {
    for (const body of [
      "__proto__=1",
      "a[__proto__]=1",
      "__proto__[x]=1",
      "a[__proto__][]=1",
      "%5F_proto__=1",
    ])
      assert.match(read(body) as string, /__proto__/, body);
    const tree = read("constructor[prototype][x]=1&toString=2") as Record<string, unknown>;

    assert.equal(Object.getPrototypeOf(tree), null);
    assert.equal(Object.getPrototypeOf(tree["constructor"]), null);
    assert.equal(({} as Record<string, unknown>)["x"], undefined);
  });

  test("reads back what a browser writes, for any names and values", () => {
    const name = fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter((text) => !/[[\]]|^__proto__$/.test(text));
    const pairs = fc.uniqueArray(fc.tuple(name, fc.string({ unit: "grapheme" })), {
      selector: ([key]) => key,
    });
    fc.assert(
      fc.property(pairs, (entries) => {
        const written = new URLSearchParams(entries as [string, string][]);
        const wellFormed = [...written];

        assert.deepEqual(
          read(written.toString()),
          Object.assign(Object.create(null), Object.fromEntries(wellFormed)),
        );
      }),
    );
  });

  test("is read or refused, for any bytes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "[", "]", "=", "&", "%", "4", "+", "\xc3", "__proto__")),
        (parts) => {
          const tree = read(parts.join(""));

          assert.ok(typeof tree === "string" || Object.getPrototypeOf(tree) === null);
        },
      ),
    );
  });
});
