import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";

import { FrameworkError } from "#core/errors.js";
import { compileSchema } from "#schema/compile/validator.js";
import { generators } from "../support/code-generation.js";
import { fits } from "../support/json-schema.js";

const NAMES = [
  "a",
  "b",
  "toString",
  "constructor",
  "__proto__",
  "hasOwnProperty",
  "a/b",
  "a\\b",
  "a.b",
  "x1",
];
const name = fc.constantFrom(...NAMES);
let modules = 0;
const size = fc.constantFrom(undefined, 0, 1, 2);

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -0, "", "a", "💩", 1.5),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
})).value;

/** Values fit several of them at once. */
const part = fc
  .tuple(fc.subarray(NAMES), fc.constantFrom<TSchema>(Type.Unknown(), Type.Not(Type.Null())))
  .map(([names, of]) => Type.Partial(Type.Object(Object.fromEntries(names.map((key) => [key, of])))))
  .filter(({ properties }) => !Object.keys(properties).some((key) => key in Object.prototype));

const { schema } = fc.letrec<{ schema: TSchema; object: TSchema }>((tie) => {
  const rest = fc.oneof(fc.constantFrom(undefined, false, true), tie("schema"));
  return {
    object: fc.oneof(
      fc
        .record({
          members: fc.dictionary(name, tie("schema"), { noNullPrototype: true, maxKeys: 3 }),
          optional: fc.subarray(["a", "b", "x1"]),
          additionalProperties: rest,
          minProperties: size,
          maxProperties: size,
        })
        .map(({ members, optional, ...options }) => {
          const properties = Object.entries(members).map(([key, part]) => [
            key,
            optional.includes(key) ? Type.Optional(part) : part,
          ]);
          return Type.Object(Object.fromEntries(properties), options as object);
        }),
      fc
        .record({ key: fc.constantFrom("^a", "^x\\d$", "."), of: tie("schema"), additionalProperties: rest })
        .map(({ key, of, ...options }) => Type.Record(Type.String({ pattern: key }), of, options as object)),
    ),
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom<TSchema>(
        Type.Unknown(),
        Type.Any(),
        Type.Never(),
        Type.Null(),
        Type.String({ maxLength: 1 }),
        Type.Integer({ minimum: 1 }),
        Type.Literal("a"),
        Type.Not(Type.String()),
      ),
      tie("object"),
      fc
        .record({
          of: tie("schema"),
          contains: fc.option(tie("schema"), { nil: undefined }),
          minContains: size,
          maxContains: size,
          uniqueItems: fc.constantFrom(undefined, true, false),
          maxItems: size,
        })
        .map(({ of, minContains, maxContains, ...options }) =>
          Type.Array(of, {
            ...options,
            ...(options.contains === undefined ? {} : { minContains, maxContains }),
          } as object),
        ),
      tie("schema").map((of) => Type.Not(of)),
      fc.array(tie("schema"), { minLength: 2, maxLength: 3 }).map((of) => Type.Union(of)),
      fc.array(tie("schema"), { maxLength: 2 }).map((of) => Type.Tuple(of)),
      fc
        .tuple(fc.array(fc.oneof(part, tie("object")), { minLength: 2, maxLength: 3 }), rest)
        .map(([of, unevaluatedProperties]) =>
          Type.Intersect(of, unevaluatedProperties === undefined ? {} : { unevaluatedProperties }),
        ),
      fc.array(tie("schema"), { minLength: 2, maxLength: 2 }).map((of) => Type.Intersect(of)),
      tie("schema").map((of) =>
        Type.Recursive((This) =>
          Type.Object({ a: of, b: Type.Optional(This) }, { additionalProperties: Type.Union([of, This]) }),
        ),
      ),
      tie("schema").map((of) => {
        modules += 1;
        const named = `module-${modules}`;
        return Type.Module({
          [named]: Type.Object({ toString: of, a: Type.Optional(Type.Ref(named)) }),
        }).Import(named) as TSchema;
      }),
    ),
  };
});

describe("checks, generated and interpreted, and errors", () => {
  test("agree with JSON Schema on every value", () => {
    let good = 0;
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 5, maxLength: 20 }), (of, values) => {
        let compiled: ReturnType<typeof compileSchema>[] = [];
        try {
          compiled = generators.map((generate) =>
            compileSchema(of, { owner: "test", origin: "json", generate }),
          );
        } catch (error) {
          fc.pre(
            !(
              error instanceof FrameworkError && /unevaluatedProperties|every object has/.test(error.message)
            ),
          );
          throw error;
        }
        for (const one of values) {
          const expected = fits(of, one);
          good += expected ? 1 : 0;
          for (const { check, errors } of compiled) {
            assert.equal(check(one), expected, JSON.stringify(one));
            assert.equal(errors(one).length === 0, expected, JSON.stringify(one));
          }
        }
      }),
      { numRuns: Number(process.env["RUNS"] ?? 300) },
    );
    assert.ok(good > 100);
  });
});
