// Patterns whose time grows with the square of the text, or faster: what engine runs them,
// and that each engine means the same by them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { Axon, Framework, Type } from "framework";
import { TestApp } from "framework/http";
import { RE2JS } from "re2js";
import { compileSchema } from "#schema/compile/validator.js";
import { checkedPattern, keyPattern } from "#schema/formats/pattern.js";
import { isCostly } from "#schema/formats/pattern-cost.js";
import { forRe2, withoutFlag } from "#schema/formats/printed-pattern.js";
import { generators } from "../../support/code-generation.js";

const unicode = (source: string): RegExp => new RegExp(source, "u");

describe("a pattern", () => {
  for (const [source, length] of [
    [String.raw`^\S+@\S+\.\S+$`, 254],
    ["^.*a.*a.*a.*$", 400],
    ["a+$", 10_000],
    [String.raw`\s+$`, 10_000],
    ["^x*y*x*y*z", 10_000],
    ["(?<!b)a+$", 10_000],
    ["^b|a+$", 10_000],
    ["^(?=.*a.*b)c", 10_000],
    ["(?=.*a)b", 10_000],
    ["^(a|b)*(b|c)*$", 10_000],
    ["^(?:ab)+(?:a|b)+$", 10_000],
  ] as const)
    test(`is costly at ${length} characters: ${source}`, () => {
      assert.ok(isCostly(unicode(source), length));
      assert.ok(!isCostly(unicode(source), 20));
    });

  test("is tried at each line where it is multi-line", () => {
    assert.ok(isCostly(/^a+$/m, 10_000));
    assert.ok(!isCostly(/^a+$/, 10_000));
  });

  for (const source of [
    "^[a-z]+-[a-z]+$",
    "^[^@]+@[^@]+$",
    String.raw`^[\w.+-]+@[\w-]+\.[\w.-]+$`,
    String.raw`^(?=.*[a-z])(?=.*\d).{8,64}$`,
    String.raw`^(\d+,)*\d+$`,
    "^https?://[^/]+/.*$",
    "^(?:ab)+(?:cd)+$",
    "^x*y*z*$",
  ])
    test(`is not, of which one text goes one way: ${source}`, () => {
      assert.ok(!isCostly(unicode(source), 10_000));
    });

  test("that is costly is done with the longest text that it is shown", () => {
    const test = checkedPattern(String.raw`^\S+@\S+\.\S+$`, "");

    assert.ok(!test(`${"@.".repeat(4999)} `));
    assert.ok(test("ada@example.org"));
    assert.ok(!test("ada@\u00a0.org"), "which is a blank in JavaScript");
    assert.ok(!checkedPattern("^.*a.*a.*a.*$", "")(`${"a".repeat(9000)}\n`));
  });

  test("that is costly and that RE2 cannot express is refused with the remedy", () => {
    for (const source of [String.raw`^(.).*a.*\1$`, "^.*a.*a(?!b).*$"]) {
      assert.throws(() => checkedPattern(source, "/a"), {
        code: "SCHEMA_UNSUPPORTED",
        message: /^Schema at '\/a': pattern .* give the string a smaller maxLength$/,
      });
      assert.ok(!checkedPattern(source, "/a", { maxLength: 20 })("zab"));
    }
  });

  test("is compiled by the engine when it is mounted, unless it is plain", () => {
    const { test } = RegExp.prototype;
    const tried: string[] = [];
    RegExp.prototype.test = function (text) {
      if (this.source.startsWith("^aa")) tried.push(this.source);
      return test.call(this, text);
    };
    try {
      checkedPattern("^aa(?:b?c?){3}", "");
      checkedPattern("^aab+$", "");
    } finally {
      RegExp.prototype.test = test;
    }
    assert.deepEqual(new Set(tried), new Set(["^aa(?:b?c?){3}"]));
  });

  test("is not tried on a text whose length is refused", () => {
    let tried = 0;
    const { test } = RegExp.prototype;
    const schema = Type.Object({ mail: Type.String({ maxLength: 4, pattern: "^a+$" }) });
    const { check, errors } = compileSchema(schema, { owner: "t", origin: "json" });
    RegExp.prototype.test = function (text) {
      if (this.source === "^a+$") tried += 1;
      return test.call(this, text);
    };
    try {
      assert.ok(!check({ mail: "a".repeat(5) }));
      assert.deepEqual(
        errors({ mail: "a".repeat(5) }).map(({ keyword }) => keyword),
        ["maxLength"],
      );
    } finally {
      RegExp.prototype.test = test;
    }
    assert.equal(tried, 0);
  });
});

describe("a pattern in another engine", () => {
  const character = fc.constantFrom(
    "a",
    "b",
    "-",
    "é",
    " ",
    "\n",
    "\u2028",
    "\u00a0",
    "𝒳",
    "\ud835",
    "\udcb3",
  );
  const piece = fc.constantFrom(
    ...["a", "b", ".", "[^a]", "\\S", "\\s", "\\w", "\\W", "\\p{L}", "\\P{L}", "[a-é]", "[𝒳-𝒴]"],
    ...["\\u{1d4b3}", "[^\\u{10000}-\\u{10ffff}]", "-"],
  );
  const part = fc
    .tuple(piece, fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{2,}"))
    .map((both) => both.join(""));
  const group = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom("(?:%)", "(%|a)", "%", "%|b"))
    .map(([parts, form]) => form.replace("%", () => parts.join("")));
  const source = fc
    .tuple(fc.constantFrom("", "^"), fc.array(group, { maxLength: 3 }), fc.constantFrom("", "$"))
    .map(([start, groups, end]) => start + groups.map((one) => `(?:${one})`).join("") + end);
  const text = fc.array(character, { maxLength: 8 }).map((all) => all.join(""));

  test("means the same in RE2, and without the flag u", () => {
    fc.assert(
      fc.property(source, fc.array(text, { maxLength: 5 }), (pattern, texts) => {
        const compiled = unicode(pattern);
        const linear = RE2JS.compile(forRe2(compiled) ?? assert.fail(pattern));
        const units = new RegExp(withoutFlag(compiled));
        for (const one of texts) {
          const wanted = compiled.test(one);
          assert.equal(linear.test(one), wanted, `RE2: ${pattern} of ${JSON.stringify(one)}`);
          assert.equal(units.test(one), wanted, `units: ${units.source} of ${JSON.stringify(one)}`);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("is left as it is where it means the same", () => {
    for (const same of ["^[a-z]+$", "^(0|[1-9][0-9]*)$", String.raw`^x-\d{2,}`])
      assert.equal(withoutFlag(unicode(same)), same);
  });
});

describe("the keys of a record", () => {
  test("are what the pattern says of characters, however that is compiled", () => {
    const schema = Type.Record(Type.String({ pattern: String.raw`^\p{L}{2}$` }), Type.Integer(), {
      additionalProperties: false,
    });
    for (const generate of generators) {
      const { check } = compileSchema(schema, { owner: "t", origin: "json", generate });
      assert.deepEqual([{ éa: 1 }, { 𝒳𝒳: 1 }, { éa: "1" }, { 𝒳: 1 }, { "p{L}": 1 }].map(check), [
        true,
        true,
        false,
        false,
        false,
      ]);
    }
  });

  test("are all of them where any is allowed, one with the end of a line too", () => {
    const schema = Type.Record(Type.String(), Type.Integer());
    const { check } = compileSchema(schema, { owner: "t", origin: "json" });

    assert.deepEqual([{ "a\nb": 1 }, { "a\nb": "x" }].map(check), [true, false]);
  });

  test("have no pattern that is costly, checked or not", () => {
    assert.throws(() => keyPattern("^a*a*b$", ""), { code: "SCHEMA_UNSUPPORTED" });
    const slow = Type.Record(Type.String({ pattern: "^(?=(a?){30}b)" }), Type.Number());
    const axon = Axon.start("slow")
      .thenFn("answer", () => ({ ab: 1 }))
      .withOutputSchema(slow, { check: "pass" });
    assert.throws(() => new TestApp(Framework.http().get("/", axon)), { code: "SCHEMA_UNSUPPORTED" });
  });
});
