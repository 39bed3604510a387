import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";

import { Sensitive } from "framework";
import { compileSchema } from "#schema/compile/validator.js";
import { Held } from "../../support/any-value.js";
import { PLANTED, planted } from "../../support/planted-secrets.js";

const errors = (schema: TSchema, value: unknown) =>
  compileSchema(schema, { owner: "test", origin: "program" })
    .errors(value)
    .map(({ pointer, keyword, expected }) => `${pointer} ${keyword}: ${expected}`);

describe("errors of a value", () => {
  test("name the place, the keyword and what would have been right", () => {
    const Order = Type.Object({
      id: Type.String({ minLength: 1, maxLength: 3, pattern: "^[a-z]*$" }),
      qty: Type.Integer({ minimum: 1 }),
      mail: Type.String({ format: "email" }),
      tags: Type.Array(Type.String(), { maxItems: 1 }),
    });

    assert.deepEqual(errors(Order, { id: "ABCD", qty: 0, mail: "me", tags: ["a", 5] }), [
      "/id maxLength: at most 3 characters",
      "/qty minimum: at least 1",
      "/mail format: a string of format email",
      "/tags maxItems: at most 1 item",
      "/tags/1 type: a string",
    ]);
  });

  test("say once what is missing", () => {
    assert.deepEqual(errors(Type.Object({ a: Type.String({ minLength: 1 }), b: Type.Number() }), {}), [
      "/a required: this property",
      "/b required: this property",
    ]);
  });

  test("point at the whole value with an empty pointer, and escape names (RFC 6901)", () => {
    assert.deepEqual(errors(Type.Object({}), 5), [" type: an object"]);
    assert.deepEqual(errors(Type.Object({ "a/b~c": Type.String() }), { "a/b~c": 1 }), [
      "/a~1b~0c type: a string",
    ]);
  });

  test("list the choices where they are literals", () => {
    assert.deepEqual(errors(Type.Union([Type.Literal("s"), Type.Literal(2)]), "x"), [
      ' anyOf: one of "s", 2',
    ]);
    assert.deepEqual(errors(Type.Union([Type.Literal("s"), Type.Object({})]), "x"), [
      " anyOf: a value that fits one of the alternatives",
    ]);
  });

  test("have words for every kind of schema", () => {
    const cases: readonly (readonly [TSchema, unknown])[] = [
      [Type.Array(Type.Any(), { minItems: 2 }), [1]],
      [Type.Array(Type.Any(), { uniqueItems: true }), [1, 1]],
      [Type.Array(Type.Any(), { contains: Type.Literal(1) }), [2]],
      [Type.Boolean(), 1],
      [Type.Null(), 1],
      [Type.Integer({ maximum: 1, multipleOf: 3 }), 2],
      [Type.Integer({ exclusiveMinimum: 2, exclusiveMaximum: 2 }), 2],
      [Type.Number({ minimum: 3, exclusiveMaximum: 2, multipleOf: 0.5 }), 2.2],
      [Type.Number({ maximum: 1, exclusiveMinimum: 2, multipleOf: 3 }), 2],
      [Type.Object({}, { minProperties: 2 }), { a: 1 }],
      [Type.Object({}, { maxProperties: 1, additionalProperties: false }), { a: 1, b: 2 }],
      [Type.Tuple([Type.String()]), "x"],
      [Type.Tuple([Type.String()]), ["x", "y"]],
      [Type.Literal("a"), "b"],
      [Type.Not(Type.String()), "b"],
      [Type.Never(), "b"],
      [Type.TemplateLiteral([Type.Literal("a"), Type.Number()]), "b"],
      [Type.RegExp(/^a$/), "b"],
      [Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]), { a: "" }],
      [Type.Date(), 5],
      [Type.Record(Type.String(), Type.Number()), 5],
    ];
    for (const [schema, value] of cases) {
      const found = errors(schema, value);

      assert.ok(found.length > 0, JSON.stringify(schema));
      for (const line of found) assert.doesNotMatch(line, /undefined|\[object/, line);
    }
  });

  test("are at most 100, however wrong the value is", () => {
    assert.equal(errors(Type.Array(Type.String()), new Array(100_000).fill(1)).length, 100);
  });

  test("are at most 100 where the last place fails in two ways, too", () => {
    const twice = Type.Array(Type.Number({ minimum: 2, multipleOf: 0.3 }));

    assert.deepEqual(errors(twice, [1]).length, 2);
    assert.equal(errors(twice, ["a", ...new Array(100).fill(1)]).length, 100);
  });

  test("never hold the value, and only the beginning of a long name", () => {
    const secret = "s3cret".repeat(1000);
    const schema = Type.Object({ a: Type.String({ maxLength: 2 }) }, { additionalProperties: false });
    const found = errors(schema, { a: secret, [secret]: 1 }).join("\n");

    assert.ok(found.length < 500);
    assert.doesNotMatch(found.split("\n").find((line) => line.includes("/a ")) ?? "", /s3cret/);
  });

  test("are there exactly where the check fails", () => {
    const schema = Type.Object({
      a: Type.Optional(Type.String({ maxLength: 2 })),
      b: Type.Array(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
    });
    const { check, errors: find } = compileSchema(schema, { owner: "test", origin: "json" });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.record(
            { a: fc.string(), b: fc.array(fc.oneof(fc.integer(), fc.constant(null))) },
            { requiredKeys: ["b"] },
          ),
        ),
        (value) => {
          assert.equal(find(value).length === 0, check(value));
        },
      ),
    );
  });
});

describe("errors of what is marked Sensitive", () => {
  test("name the mark's own place, and none below it", () => {
    const Person = Type.Object({
      phones: Sensitive(Type.Record(Type.String(), Type.Integer())),
      pin: Sensitive(Type.String({ minLength: 4 })),
      plan: Sensitive(Type.Union([Type.Literal("spy"), Type.Literal("mole")])),
      list: Type.Array(Type.Object({ "a/b": Sensitive(Type.Object({})) }, { additionalProperties: false })),
    });
    const list = [{ "a/b": 1, c: 2 }];

    assert.deepEqual(errors(Person, { phones: { mistress: "x", wife: "y" }, pin: "1", plan: "x", list }), [
      "/phones type: a value that fits its schema",
      "/pin minLength: at least 4 characters",
      "/plan anyOf: a value that fits its schema",
      "/list/0/c additionalProperties: no property of this name",
      "/list/0/a~1b type: an object",
    ]);
    assert.deepEqual(errors(Sensitive(Type.Record(Type.String(), Type.Integer())), { mistress: "x" }), [
      " type: a value that fits its schema",
    ]);
  });

  test("hold nothing that stands below a mark, whatever the schema", () => {
    let wrong = 0;
    fc.assert(
      fc.property(
        planted.map(({ schema, value }) => ({ schema, held: new Held(value) })),
        ({ schema, held }) => {
          const found = errors(schema, held.value);
          wrong += found.length;

          assert.deepEqual(
            found.filter((error) => error.includes(PLANTED)),
            [],
          );
        },
      ),
      { numRuns: 300 },
    );
    assert.ok(wrong > 30);
  });
});
