import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";

import { canGenerateCode } from "#schema/code-generation.js";
import { compileSchema } from "#schema/validator.js";
import { generators, needsCodeGeneration } from "../support/code-generation.js";

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
        message: new RegExp(`'${name}'; make the property required, or give it another name`),
      });
      assert.ok(compile(Type.Object(required)).check(JSON.parse(`{"${name}":1}`)));
      assert.ok(!compile(Type.Object(required)).check({}));
    }
  });

  test("refuses an integer that is to be a multiple of a fraction", () => {
    assert.throws(() => compile(Type.Integer({ multipleOf: 0.01 })), { code: "SCHEMA_UNSUPPORTED" });
  });

  test("agrees with TypeBox's own compiler where that is right", { skip: needsCodeGeneration }, () => {
    const schema = Type.Object({
      id: Type.Integer({ minimum: 1, maximum: 9 }),
      tags: Type.Optional(Type.Array(Type.String(), { maxItems: 2, uniqueItems: true })),
      kind: Type.Union([Type.Literal("a"), Type.Literal(1), Type.Null()]),
    });
    const theirs = TypeCompiler.Compile(schema);
    const ours = compile(schema);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.record(
            {
              id: fc.integer({ min: 0, max: 10 }),
              tags: fc.array(fc.string({ maxLength: 2 }), { maxLength: 3 }),
              kind: fc.constantFrom("a", 1, null, 2),
            },
            { requiredKeys: ["kind"] },
          ),
          fc.jsonValue(),
        ),
        (value) => assert.equal(ours.check(value), theirs.Check(value)),
      ),
    );
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
      other: Type.Literal(`kind('framework:leaf:1:0', 1, ${hostile}`),
    });

    assert.ok(compile(schema).check({ [hostile]: "x", other: `kind('framework:leaf:1:0', 1, ${hostile}` }));
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
      refused(none as unknown as TSchema, /There is no schema: give one, as in Type\.Object/);
    refused(
      Type.String({ format: "credit-card" }),
      /format 'credit-card' is unknown; use a pattern, or one of date, /,
    );
    refused(Type.String({ pattern: "(" }), /pattern \( is no regular expression/);
    refused(
      Type.Union([Type.String({ pattern: "^(a+)+$" })]),
      /can take too much time, because it can take exponential time/,
    );
    refused(Type.Record(Type.String({ pattern: "^(a+)+$" }), Type.Number()), /can take exponential time/);
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
