// Recursive schemas with unions and intersections: the same verdicts, in time that grows with
// the value and not with the number of ways through it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";

import { compileSerialiser } from "#schema/compile/serialiser.js";
import { compileSchema } from "#schema/compile/validator.js";
import { generators } from "../../support/code-generation.js";

const Tree = Type.Recursive((Self) =>
  Type.Union([
    Type.Object({ a: Self, c: Type.Null() }),
    Type.Object({ a: Self, b: Type.Optional(Self) }),
    Type.Object({ a: Self, d: Type.Integer() }),
    Type.Null(),
  ]),
);
const Parts = Type.Recursive((Self) =>
  Type.Intersect([
    Type.Object({ a: Type.Optional(Self) }),
    Type.Object({ a: Type.Optional(Self), n: Type.Integer() }),
  ]),
);
const Both = Type.Module({
  A: Type.Union([
    Type.Null(),
    Type.Object({ a: Type.Ref("B") }),
    Type.Object({ a: Type.Ref("A"), b: Type.Ref("B") }),
  ]),
  B: Type.Object({ a: Type.Ref("A"), d: Type.Optional(Type.Integer()) }),
}).Import("A");
const Nested = Type.Recursive((Outer) =>
  Type.Union([
    Type.Integer(),
    Type.Object({ a: Type.Recursive((Inner) => Type.Union([Outer, Type.Object({ b: Inner })])) }),
  ]),
);
const schemas: Readonly<Record<string, TSchema>> = { Tree, Parts, Both, Nested };

/** A value of 62 levels. */
const deep = (end: unknown, more: object): unknown => {
  let value = end;
  for (let level = 0; level < 62; level += 1) value = { a: value, ...more };
  return value;
};

describe("a recursive schema with variants", () => {
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, "x"),
      fc.record(
        {
          a: tie("any"),
          b: tie("any"),
          c: fc.constant(null),
          d: fc.constantFrom(1, "1"),
          n: fc.constantFrom(1, "1"),
        },
        { requiredKeys: [] },
      ),
    ),
  })).any;

  for (const [name, schema] of Object.entries(schemas))
    test(`holds of a value what it says: ${name}`, () => {
      const compiled = generators.map((generate) =>
        compileSchema(Type.Object({ at: schema }), { owner: "t", origin: "json", generate }),
      );
      fc.assert(
        fc.property(value, (at) => {
          const wanted = Value.Check(schema, at);
          for (const checked of compiled) {
            assert.equal(checked.check({ at }), wanted);
            // What was remembered of one value is nothing to the next.
            assert.equal(checked.check({ at: structuredClone(at) }), wanted);
            if (!wanted) assert.ok(checked.errors({ at }).length > 0);
          }
        }),
        { numRuns: 500 },
      );
    });

  for (const generate of generators)
    test(`is done with a value of many levels, ${generate ? "generated" : "interpreted"}`, () => {
      for (const [schema, ends, fits] of [
        [Tree, deep(null, { d: 1 }), true],
        [Tree, deep("no", {}), false],
        [Parts, deep(undefined, { n: 1 }), true],
        [Parts, deep({ n: "1" }, { n: 1 }), false],
        [Both, deep(null, {}), true],
        [Both, deep("no", { b: null }), false],
      ] as const) {
        const { check, errors } = compileSchema(schema, { owner: "t", origin: "json", generate });
        assert.equal(check(ends), fits);
        if (!fits) assert.ok(errors(ends).length > 0);
      }
    });

  test("names the place of what is wrong where no union stands between", () => {
    const List = Type.Recursive((Self) =>
      Type.Object({ n: Type.Integer(), next: Type.Array(Self), of: Type.Union([Self, Type.Null()]) }),
    );
    const { errors } = compileSchema(List, { owner: "t", origin: "json" });
    const wrong = { n: 1, of: null, next: [{ n: "x", of: null, next: [{ n: 1, of: 5, next: [] }] }] };

    assert.deepEqual(
      errors(wrong).map(({ pointer, keyword }) => `${pointer} ${keyword}`),
      ["/next/0/n type", "/next/0/next/0/of anyOf"],
    );
  });

  test("looks anew at a value that has changed between two checks", () => {
    const { check } = compileSchema(Tree, { owner: "t", origin: "json" });
    const value = { a: { a: null, d: 1 as unknown }, d: 1 };
    assert.ok(check(value));
    value.a.d = "1";

    assert.ok(check(value), "b is optional");
    assert.ok(!check({ ...value, a: Object.assign(value.a, { a: "1" }) }));
  });

  test("is written anew where a value has changed between two answers", () => {
    const write = compileSerialiser(Tree, { owner: "t" });
    const inner: Record<string, unknown> = { a: "no", d: 1 };
    assert.throws(() => write({ a: inner, c: null }), /one of its union/);
    inner["a"] = null;

    assert.equal(write({ a: inner, c: null }), '{"a":{"a":null,"d":1},"c":null}');
  });

  test("is written of a value of many levels", () => {
    const value = deep(null, { d: 1 });

    assert.equal(compileSerialiser(Tree, { owner: "t" })(value), JSON.stringify(value));
  });
});
