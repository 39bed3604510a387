import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";

import { compileSerialiser } from "#schema/serialiser.js";

for (const generate of [true, false]) {
  const written = (schema: TSchema, value: unknown) => JSON.parse(compileSerialiser(schema, generate)(value));

  describe(`serialiser, ${generate ? "generated" : "interpreted"}`, () => {
    test("sends what the schema names and nothing else", () => {
      const User = Type.Object({ id: Type.Integer(), name: Type.Optional(Type.String()) });

      assert.deepEqual(written(User, { id: 1, password: "hash" }), { id: 1 });
      assert.deepEqual(written(Type.Array(User), [{ id: 1, name: "a", x: 1 }]), [{ id: 1, name: "a" }]);
    });

    test("sends the rest where the schema lets it pass", () => {
      assert.deepEqual(
        written(Type.Object({ id: Type.Integer() }, { additionalProperties: true }), { id: 1, x: [2] }),
        { id: 1, x: [2] },
      );
      assert.deepEqual(
        written(Type.Object({}, { additionalProperties: Type.Object({ a: Type.Null() }) }), {
          x: { a: null, b: 2 },
        }),
        { x: { a: null } },
      );
    });

    test("fails where a required property is absent, instead of sending less", () => {
      assert.throws(() => written(Type.Object({ id: Type.Integer() }), {}), /"id" is required/);
    });

    test("does not cut fractions from integers", () => {
      assert.deepEqual(written(Type.Object({ n: Type.Integer() }), { n: 1.5 }), { n: 1.5 });
    });

    test("writes text of any format escaped", () => {
      const hostile = '","admin":true,"x":"';
      const schema = Type.Object({
        at: Type.String({ format: "date-time" }),
        id: Type.String({ format: "unsafe" as "uuid" }),
      });

      assert.deepEqual(written(schema, { at: hostile, id: hostile }), { at: hostile, id: hostile });
    });

    test("writes dates and what has a toJSON as JSON.stringify does", () => {
      const at = new Date(0);

      assert.deepEqual(written(Type.Object({ at: Type.String() }), { at }), {
        at: "1970-01-01T00:00:00.000Z",
      });
      assert.deepEqual(written(Type.Object({ a: Type.Number() }), { toJSON: () => ({ a: 1, b: 2 }) }), {
        a: 1,
      });
    });

    test("writes unions, recursion, records and tuples whole", () => {
      const Node = Type.Recursive((This) => Type.Object({ n: Type.Number(), kids: Type.Array(This) }));
      const tree = { n: 1, kids: [{ n: 2, kids: [] }] };

      assert.deepEqual(written(Node, tree), tree);
      assert.deepEqual(
        written(
          Type.Object({
            v: Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
          }),
          { v: { b: "x" } },
        ),
        { v: { b: "x" } },
      );
      assert.deepEqual(written(Type.Record(Type.String(), Type.Number()), { a: 1 }), { a: 1 });
      assert.deepEqual(written(Type.Tuple([Type.String(), Type.Number()]), ["a", 1]), ["a", 1]);
    });

    test("writes null where a union allows it", () => {
      const schema = Type.Object({
        v: Type.Union([Type.Object({ a: Type.Number() }), Type.Null()]),
        w: Type.Union([Type.Literal("x"), Type.Literal("y"), Type.Null()]),
      });

      assert.deepEqual(written(schema, { v: null, w: null }), { v: null, w: null });
      assert.deepEqual(written(schema, { v: { a: 1, b: 2 }, w: "y" }), { v: { a: 1 }, w: "y" });
    });

    test("writes any value that fits as JSON.stringify would", () => {
      const schema = Type.Object({
        id: Type.String(),
        n: Type.Number(),
        ok: Type.Boolean(),
        list: Type.Array(Type.Union([Type.String(), Type.Null()])),
        sub: Type.Optional(Type.Object({ any: Type.Unknown(), lit: Type.Literal(3) })),
      });
      const value = fc.record(
        {
          id: fc.string({ unit: "binary" }),
          n: fc.double({ noNaN: true, noDefaultInfinity: true }),
          ok: fc.boolean(),
          list: fc.array(fc.option(fc.string({ unit: "grapheme" }))),
          sub: fc.record({ any: fc.jsonValue(), lit: fc.constant(3) }),
        },
        { requiredKeys: ["id", "n", "ok", "list"] },
      );
      fc.assert(
        fc.property(value, (v) => assert.deepEqual(written(schema, v), JSON.parse(JSON.stringify(v)))),
      );
    });
  });
}
