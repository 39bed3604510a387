// Which schemas take all values of which others, by examples, and against the checks of the schemas.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";
import { misfits, removedProperties, standalone } from "#schema/compile/schema-comparison.js";
import { compileSchema } from "#schema/compile/validator.js";
import { Samples } from "#schema/sample/samples.js";
import { anySchema } from "../../support/any-schema.js";

const misfitsOf = (sub: TSchema, sup: TSchema): readonly string[] =>
  misfits(standalone(plain(sub)), standalone(plain(sup))).map(
    ({ pointer, sub, sup }) => `${pointer}: ${sub} / ${sup}`,
  );
/** As it is in a file. */
const plain = (schema: TSchema): unknown => JSON.parse(JSON.stringify(schema));

const list = (key: TSchema): TSchema =>
  Type.Recursive((This) => Type.Object({ key, next: Type.Optional(This) }, { additionalProperties: false }));
const both = (options: object): TSchema =>
  Type.Intersect(
    [Type.Object({ a: Type.String() }), Type.Object({ c: Type.Optional(Type.Null()) })],
    options,
  );
const closed = { additionalProperties: false };

describe("a schema takes each value of another", () => {
  const cases: readonly (readonly [string, TSchema, TSchema])[] = [
    ["a bound that excludes", Type.Number({ exclusiveMinimum: 0 }), Type.Number({ minimum: 0 })],
    ["a larger bound", Type.Number({ minimum: 1 }), Type.Number({ exclusiveMinimum: 0 })],
    ["a multiple", Type.Number({ multipleOf: 4 }), Type.Number({ multipleOf: 2 })],
    ["a value within bounds", Type.Literal("abc"), Type.String({ minLength: 3, pattern: "^a" })],
    ["a tuple", Type.Tuple([Type.Integer(), Type.Integer()]), Type.Array(Type.Number(), { maxItems: 2 })],
    ["the same recursion", list(Type.Integer()), list(Type.Number())],
    ["a record", Type.Record(Type.String(), Type.Integer()), Type.Record(Type.String(), Type.Number())],
    ["nothing", Type.Never(), Type.String({ minLength: 3 })],
    [
      "a closed intersection",
      both({ unevaluatedProperties: false }),
      Type.Object(
        { a: Type.String(), b: Type.Optional(Type.String()), c: Type.Optional(Type.Null()) },
        closed,
      ),
    ],
  ];
  for (const [name, sub, sup] of cases)
    test(`${name}, and not the other way round`, () => {
      assert.deepEqual(misfitsOf(sub, sup), []);
      assert.notDeepEqual(misfitsOf(sup, sub), []);
    });

  test("says where not, and what both say there", () => {
    assert.deepEqual(misfitsOf(Type.Number({ minimum: 0 }), Type.Number({ exclusiveMinimum: 0 })), [
      ": no exclusiveMinimum / exclusiveMinimum 0",
    ]);
    assert.deepEqual(misfitsOf(Type.Literal("ab"), Type.String({ minLength: 3 })), [': "ab" / minLength 3']);
    assert.deepEqual(misfitsOf(list(Type.Number()), list(Type.Integer())), ["/key: number / integer"]);
    assert.deepEqual(misfitsOf(Type.Object({ toString: Type.String() }), Type.Object({}, closed)), [
      "/toString: allowed / not allowed",
      ": further properties / none but those that are named",
    ]);
    assert.deepEqual(
      misfitsOf(
        Type.Object({ a: Type.String(), b: Type.String() }, closed),
        both({ unevaluatedProperties: false }),
      ),
      ["/b: allowed / not allowed"],
    );
  });

  test("removed optional properties are told, where both are open", () => {
    const before = Type.Object({ a: Type.Object({ b: Type.Optional(Type.String()) }) });
    const after = Type.Object({ a: Type.Object({}) });

    assert.deepEqual(removedProperties(standalone(plain(before)), standalone(plain(after))), ["/a/b"]);
    assert.deepEqual(removedProperties(standalone(plain(after)), standalone(plain(before))), []);
  });
});

describe("comparison of any schemas", () => {
  test("finds nothing between a schema and itself", () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        assert.deepEqual(misfitsOf(schema, schema), []);
      }),
      { numRuns: 300 },
    );
  });

  test("finds nothing only where the other schema takes every sample", () => {
    let compared = 0;
    fc.assert(
      fc.property(anySchema, anySchema, fc.nat({ max: 100 }), (one, other, seed) => {
        const both = Type.Union([one, other]);
        const loose = Type.Object({ of: Type.Optional(one) });
        for (const [sub, sup] of [
          [one, other],
          [one, both],
          [both, other],
          [Type.Object({ of: one }), loose],
          [Type.Array(one, { minItems: 1 }), Type.Array(other)],
        ] as const) {
          if (misfitsOf(sub, sup).length > 0) continue;
          const value = new Samples(sub, "sub").random(seed);
          compared += 1;
          if (value !== undefined)
            assert.ok(
              compileSchema(sup, { owner: "sup", origin: "json" }).check(value),
              JSON.stringify({ sub, sup, value }),
            );
        }
      }),
      { numRuns: 150 },
    );
    assert.ok(compared > 150);
  });
});
