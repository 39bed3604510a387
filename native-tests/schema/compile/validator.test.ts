import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";

import { Sensitive } from "framework";
import { canGenerateCode } from "#schema/compile/code-generation.js";
import { compileSchema } from "#schema/compile/validator.js";
import { generators } from "../../support/code-generation.js";

const compile = (schema: TSchema, generate = canGenerateCode) =>
  compileSchema(schema, { owner: "test", origin: "json", generate });

for (const generate of generators) {
  const check = (schema: TSchema, value: unknown) => compile(schema, generate).check(value);

  describe(`check, ${generate ? "generated" : "interpreted"}`, () => {
    test("counts characters as code points", () => {
      const pair = Type.String({ minLength: 2, maxLength: 3 });

      assert.deepEqual(
        ["💩", "💩💩", "💩💩💩", "💩💩💩💩", "a💩", "abcd", "a", "\ud83d\ud83d"].map((value) =>
          check(pair, value),
        ),
        [false, true, true, false, true, false, false, true],
      );
    });

    test("agrees with counting one by one, for any text and bounds", () => {
      const bound = fc.integer({ min: 0, max: 12 });
      const text = fc
        .array(fc.constantFrom("a", "é", "💩", "\ud83d", "\udca9", "𝒳"), { maxLength: 14 })
        .map((parts) => parts.join(""));
      fc.assert(
        fc.property(text, bound, bound, (value, minLength, maxLength) => {
          const length = [...value].length;

          assert.equal(
            check(Type.String({ minLength, maxLength }), value),
            length >= minLength && length <= maxLength,
          );
        }),
      );
    });

    test("sees code points in a pattern", () => {
      assert.ok(check(Type.String({ pattern: "^.$" }), "💩"));
    });

    test("takes a pattern that is not valid with the u flag as it is", () => {
      assert.ok(check(Type.String({ pattern: "^a\\-b$" }), "a-b"));
    });

    test("runs no pattern on more than 10 000 characters", () => {
      const letters = Type.String({ pattern: "^a*$" });

      assert.ok(check(letters, "a".repeat(10_000)));
      assert.ok(!check(letters, "a".repeat(10_001)));
      assert.ok(!check(Type.TemplateLiteral([Type.String(), Type.Literal("a")]), "a".repeat(10_001)));
    });

    test("checks regular expressions too", () => {
      assert.ok(check(Type.RegExp(/^ab$/i), "AB"));
      assert.ok(!check(Type.RegExp(/^ab$/), "AB"));
    });

    test("takes 19.99 as a multiple of 0.01", () => {
      const price = Type.Number({ multipleOf: 0.01, minimum: 0, exclusiveMaximum: 1000 });

      assert.deepEqual(
        [19.99, 0.1, 0, 999.99, 19.991, -0.01, 1000, "1", Number.NaN].map((value) => check(price, value)),
        [true, true, true, true, false, false, false, false, false],
      );
    });

    test("asks for a required property that may be anything, whatever its name", () => {
      const named = Type.Module({ Anything: Type.Unknown(), Any: Type.Ref("Anything") }).Import("Any");
      for (const name of ["toString", "constructor", "__proto__", "a"])
        for (const anything of [
          Type.Unknown(),
          Type.Any(),
          Type.Not(Type.Integer()),
          Type.Union([Type.Null(), Type.Not(Type.Integer())]),
          Type.Object({}),
          named as TSchema,
        ]) {
          const open = Type.Object(Object.fromEntries([[name, anything]]));
          const closed = Type.Object(Object.fromEntries([[name, anything]]), { additionalProperties: false });
          const given = JSON.parse(`{"${name}":{}}`);
          const missing = [{ pointer: `/${name}`, keyword: "required", expected: "this property" }];

          for (const schema of [open, closed]) {
            assert.deepEqual([check(schema, given), check(schema, {})], [true, false], name);
            assert.deepEqual(compile(schema, generate).errors({}), missing);
            assert.ok(check(Type.Not(schema), {}));
            assert.ok(!check(Type.Array(Type.Union([schema, Type.Null()])), [given, {}]));
          }
          assert.ok(!check(closed, { other: 1 }));
        }
    });

    test("asks for what is required without being described", () => {
      const schema = Type.Object({}, { required: ["a", "toString"] });

      assert.deepEqual([check(schema, {}), check(schema, JSON.parse('{"a":1,"toString":2}'))], [false, true]);
      assert.deepEqual(
        compile(schema, generate)
          .errors({ a: 1 })
          .map(({ pointer }) => pointer),
        ["/toString"],
      );
    });

    test("takes an array without a matching item where minContains is 0", () => {
      const ones = (bounds: object) => Type.Array(Type.Integer(), { contains: Type.Literal(1), ...bounds });
      const atMostOne = ones({ minContains: 0, maxContains: 1 });

      assert.ok(check(ones({ minContains: 0 }), [2]));
      assert.deepEqual(
        [[], [2], [1, 2], [1, 1], ["1"]].map((value) => check(atMostOne, value)),
        [true, true, true, false, false],
      );
      assert.deepEqual(compile(atMostOne, generate).errors([1, 1]), [
        { pointer: "", keyword: "maxContains", expected: "at most this many matching items: 1" },
      ]);
      assert.ok(!check(ones({}), [2]));
    });

    test("checks what stands under other names inside what stands under other names", () => {
      const rest = (additionalProperties: TSchema) => Type.Object({}, { additionalProperties });
      const keyed = Type.Record(Type.String({ pattern: "^n" }), Type.Null(), {
        additionalProperties: Type.String(),
      });

      assert.deepEqual(
        [{ x: { y: 1 } }, { x: { y: "1" } }].map((value) => check(rest(rest(Type.Number())), value)),
        [true, false],
      );
      assert.deepEqual(
        [{ a: { n: null, b: "s" } }, { a: { b: 1 } }].map((value) => check(Type.Object({ a: keyed }), value)),
        [true, false],
      );
    });

    test("leaves to unevaluatedProperties what no part of an intersection names", () => {
      const parts = [Type.Object({ "a\\b": Type.Null() }), Type.Object({ c: Type.Optional(Type.Null()) })];
      const closed = Type.Intersect(parts, { unevaluatedProperties: false });

      assert.deepEqual(
        [{ "a\\b": null }, { "a\\b": null, c: null }, { "a\\b": null, d: null }, null].map((value) =>
          check(closed, value),
        ),
        [true, true, false, false],
      );
      assert.deepEqual(compile(closed, generate).errors({ "a\\b": null, d: 1 }), [
        { pointer: "/d", keyword: "unevaluatedProperties", expected: "no property of this name" },
      ]);
      assert.ok(
        check(Type.Intersect(parts, { unevaluatedProperties: Type.Number() }), { "a\\b": null, d: 1 }),
      );
    });

    test("takes a number that is too large for its quotient as the multiple it is", () => {
      assert.ok(check(Type.Number({ multipleOf: 0.5 }), 1e308));
    });

    test("checks every kind of JSON schema inside another", () => {
      const Tree = Type.Recursive((This) =>
        Type.Object({ name: Type.String({ minLength: 1 }), kids: Type.Array(This) }),
      );
      const schema = Type.Object({
        tree: Tree,
        tuple: Type.Tuple([Type.Literal("a"), Type.Null()]),
        record: Type.Record(Type.String(), Type.String({ maxLength: 1 })),
        both: Type.Intersect([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Boolean() })]),
        either: Type.Optional(Type.Union([Type.String({ format: "uuid" }), Type.Integer()])),
      });
      const good = {
        tree: { name: "r", kids: [{ name: "💩", kids: [] }] },
        tuple: ["a", null],
        record: { x: "💩" },
        both: { a: 1, b: true },
      };

      assert.ok(check(schema, good));
      assert.ok(!check(schema, { ...good, tree: { name: "r", kids: [{ name: "", kids: [] }] } }));
      assert.ok(!check(schema, { ...good, record: { x: "ab" } }));
      assert.ok(check(schema, { ...good, either: 5 }));
      assert.ok(!check(schema, { ...good, either: "no uuid" }));
    });
  });
}

describe("compileSchema", () => {
  test("refuses an optional property that every object inherits", () => {
    for (const name of ["constructor", "toString", "__proto__"]) {
      const members = Object.fromEntries([[name, Type.Optional(Type.Number())]]);
      const required = Object.fromEntries([[name, Type.Number()]]);

      assert.throws(() => compile(Type.Object({ inner: Type.Object(members) })), {
        code: "SCHEMA_UNSUPPORTED",
        message: new RegExp(`'${name}'; make the property required`),
      });
      assert.ok(compile(Type.Object(required)).check(JSON.parse(`{"${name}":1}`)));
      assert.ok(!compile(Type.Object(required)).check({}));
    }
  });

  test("refuses an integer that is to be a multiple of a fraction", () => {
    assert.throws(() => compile(Type.Integer({ multipleOf: 0.01 })), { code: "SCHEMA_UNSUPPORTED" });
  });

  test("tells equal items apart from different ones, whatever they are", () => {
    const unique = compile(Type.Array(Type.Unknown(), { uniqueItems: true }));
    const values = [1, "1", null, "null", true, "true", {}, [], "{}", { a: 1 }, { a: "1" }, [1], ["1"]];

    assert.ok(unique.check(values));
    assert.ok(
      !unique.check([
        { a: 1, b: [2, { c: 3, d: 4 }] },
        { b: [2, { d: 4, c: 3 }], a: 1 },
      ]),
    );
    for (const value of values)
      assert.ok(!unique.check([value, 0, structuredClone(value)]), JSON.stringify(value));
  });

  test("leaves the schema it is given as it was", () => {
    const schema = Type.Object({ id: Type.String({ minLength: 1 }) });
    const before = JSON.stringify(schema);
    compile(schema);

    assert.equal(JSON.stringify(schema), before);
    assert.ok(Value.Check(schema, { id: "a" }), "it has TypeBox's own kinds");
  });

  test("puts no text of a schema into code", () => {
    const hostile = `'); process.exit(1); ('`;
    const schema = Type.Object({
      [hostile]: Type.String({ minLength: 1, $id: hostile }),
      other: Type.Literal(`kind('framework:leaf:0', 1, ${hostile}`),
    });

    assert.ok(compile(schema).check({ [hostile]: "x", other: `kind('framework:leaf:0', 1, ${hostile}` }));
  });

  const refused = (schema: TSchema, pattern: RegExp, origin: "json" | "program" = "json") =>
    assert.throws(() => compileSchema(schema, { owner: "Axon 'orders', input", origin }), {
      name: "FrameworkError",
      message: pattern,
    });

  test("refuses what it could not check, naming the place and the remedy", () => {
    refused(
      Type.Object({ at: Type.Date() }),
      /^Axon 'orders', input: Schema at '\/properties\/at': Date has no form in JSON/,
    );
    refused(
      Type.Array(Type.Transform(Type.String()).Decode(Number).Encode(String)),
      /at '\/items': a Transform is not run/,
    );
    refused(Type.Function([], Type.String()), /Function cannot be checked/);
    refused(Type.Unsafe({ type: "string" }), /Unsafe cannot be checked/);
    refused({ type: "string" } as unknown as TSchema, /not made by TypeBox/);
    for (const none of [undefined, null, "string"])
      refused(none as unknown as TSchema, /: give one, as in Type\.Object/);
    refused(Type.String({ format: "credit-card" }), /'credit-card' .*; use a pattern, or one of date, /);
    refused(Type.String({ pattern: "(" }), /pattern \( is no regular expression/);
    refused(Type.Union([Type.String({ pattern: "^(?=(a+)+$)" })]), /can take more than a million steps/);
    refused(
      Type.Record(Type.String({ pattern: "^(a+)+$" }), Type.Number()),
      /rewrite it so that each key matches in one way/,
    );
  });

  test("refuses a keyword that no check reads, naming its place and the remedy", () => {
    const cases: readonly (readonly [TSchema, RegExp])[] = [
      [Type.String({ minlength: 1 }), /no check of String reads "minlength"; did you mean minLength\?/],
      [Type.String({ minLenght: 1 }), /did you mean minLength\?/],
      [Type.String({ descripton: "" }), /did you mean description\?/],
      [Type.String({ minimum: 1 }), /reads "minimum"; leave it out, or use it with BigInt, Integer, Number;/],
      [Type.Number({ format: "int32" }), /no check of Number reads "format"/],
      [Type.String({ enum: ["a"] }), /"enum"; use a Type\.Union of Type\.Literal/],
      [Type.String({ nullable: true }), /"nullable"; use a Type\.Union with Type\.Null\(\)/],
      [Type.Object({}, { propertyNames: Type.String() }), /reads "propertyNames"; use a Type\.Record/],
      [Type.Object({}, { dependentRequired: {} }), /reads "dependentRequired"; use a Type\.Union/],
      [Type.Object({}, { dependentSchemas: {} }), /reads "dependentSchemas"/],
      [Type.Object({}, { if: Type.Object({}) }), /"if"; use a Type\.Union/],
      [Type.Object({}, { oneOf: [] }), /reads "oneOf"; use Type\.Union/],
      [Type.Object({}, { patternProperties: {} }), /reads "patternProperties"; use a Type\.Record/],
      [
        Type.Object({}, { unevaluatedProperties: false }),
        /reads "unevaluatedProperties"; leave it out, or use it with Intersect;/,
      ],
      [Type.Unknown({ type: "string" }), /no check of Unknown reads "type"/],
      [Type.Union([Type.Null(), Type.String()], { minLength: 1 }), /no check of Union reads "minLength"/],
      [Type.Not(Type.String(), { minLength: 1 }), /no check of Not/],
      [Type.Array(Type.Null(), { minContains: 1 }), /minContains .*; give contains/],
      [Type.String({ minLength: "1" as never }), /minLength is "1"; give it a whole number from 0/],
      [Type.Array(Type.Null(), { maxItems: -1 }), /maxItems is -1; give it a whole number from 0/],
      [Type.Number({ maximum: Number.POSITIVE_INFINITY }), /maximum is Infinity; give it a number/],
      [Type.Number({ multipleOf: 0 }), /multipleOf is 0; give it a number above 0/],
      [
        Type.Object({}, { additionalProperties: "no" as never }),
        /additionalProperties is "no"; give it true, false or a schema/,
      ],
      [Type.Object({ "a\nb": Type.Null() }), /"a\\nb" has a control character .*; rename it/],
      [
        Type.Intersect([Type.Object({}), Type.Union([Type.Object({}), Type.Object({})])], {
          unevaluatedProperties: false,
        }),
        /unevaluatedProperties .*; make an intersection/,
      ],
      [
        Type.Intersect([Type.Unknown(), Type.Unknown()], { unevaluatedProperties: false }),
        /; leave type and unevaluatedProperties out/,
      ],
    ];
    for (const [schema, message] of cases) {
      refused(schema, message);
      for (const holder of [Type.Array, Type.Not, (inner: TSchema) => Type.Union([Type.Null(), inner])])
        refused(Type.Object({ "a/\u0000": holder(schema) }), message);
      refused(
        Type.Object({ "a/\u0000": Type.Array(schema) }),
        /^Axon 'orders', input: Schema at '\/properties\/a~1\\u0000\/items': /,
      );
    }
  });

  test("takes what says something of a schema and asks nothing of a value", () => {
    const notes = {
      $id: "Note",
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $comment: "c",
      title: "t",
      description: "d",
      default: "a",
      examples: ["a"],
      example: "a",
      deprecated: true,
      readOnly: true,
      writeOnly: false,
      contentEncoding: "base64",
      contentMediaType: "text/plain",
      "x-own": { any: "thing" },
      minLength: undefined as never,
    };

    assert.ok(compile(Sensitive(Type.String(notes))).check("a"));
    assert.ok(
      compile(Type.Object({ a: Type.Optional(Type.Readonly(Type.Enum({ A: "a" }, notes))) })).check({}),
    );
  });

  test("refuses two meanings of one name, and takes one that is there twice", () => {
    const orders = Type.Module({ Item: Type.Array(Type.Ref("Part")), Part: Type.String() });
    const stock = Type.Module({ Item: Type.Array(Type.Ref("Part")), Part: Type.Number() });
    const Id = Type.String({ $id: "Id" });

    const both = {
      code: "SCHEMA_INVALID",
      message: /at '\/properties\/b': another schema is named '(?:Item|Id)'/,
    };
    assert.throws(() => compile(Type.Object({ a: orders.Import("Item"), b: stock.Import("Item") })), both);
    assert.throws(() => compile(Type.Object({ a: Id, b: Type.Number({ $id: "Id" }) })), both);
    assert.ok(
      compile(
        Type.Object({ a: orders.Import("Item"), b: orders.Import("Part"), c: Id, d: { ...Id, title: "Id" } }),
      ).check({ a: ["x"], b: "x", c: "x", d: "x" }),
    );
  });

  test("takes a schema that is frozen", () => {
    const frozen = Object.freeze(Type.Object({ a: Object.freeze(Type.String({ minLength: 1 })) }));

    assert.ok(!compile(frozen).check({ a: "" }));
  });

  test("takes from a program what JSON has no form for", () => {
    const schema = Type.Object({ at: Type.Date(), bytes: Type.Uint8Array() });

    assert.ok(
      compileSchema(schema, { owner: "test", origin: "program" }).check({
        at: new Date(),
        bytes: new Uint8Array(),
      }),
    );
  });

  test("says what does not compile", () => {
    const dangling = Type.Object({ at: Type.Optional(Type.Ref("Nowhere")) });
    for (const generate of generators)
      assert.throws(() => compile(dangling, generate), {
        code: "SCHEMA_INVALID",
        message: /^test: .*Nowhere/,
      });
  });
});
