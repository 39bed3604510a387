import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";

import { compileSerialiser } from "#schema/serialiser.js";
import { generators } from "../support/code-generation.js";

for (const generate of generators) {
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

    test("sends of a union what the variant names that the value is", () => {
      const Shape = Type.Union([
        Type.Object({ kind: Type.Literal("circle"), r: Type.Number() }),
        Type.Object({ kind: Type.Literal("square"), side: Type.Number() }),
        Type.String(),
      ]);
      const secret = { owner: "x" };

      assert.deepEqual(written(Shape, { kind: "circle", r: 1, side: 2, ...secret }), {
        kind: "circle",
        r: 1,
      });
      assert.deepEqual(written(Type.Object({ v: Shape }), { v: { kind: "square", side: 2, ...secret } }), {
        v: { kind: "square", side: 2 },
      });
      assert.equal(written(Shape, "round"), "round");
    });

    test("sends what every variant names that fits, and what any names where none does", () => {
      const Either = Type.Union([
        Type.Object({ a: Type.String() }),
        Type.Object({ a: Type.String(), b: Type.Optional(Type.Number()) }),
        Type.Object({ c: Type.Number() }),
      ]);

      assert.deepEqual(written(Either, { a: "x", b: 1, c: "no", d: 2 }), { a: "x", b: 1 });
      assert.deepEqual(written(Either, { b: 1, d: 2 }), { b: 1 });
      assert.deepEqual(written(Type.Union([Type.Array(Either), Type.Boolean()]), [{ a: "x", d: 2 }]), [
        { a: "x" },
      ]);
    });

    test("sends of an intersection what its parts name", () => {
      const Base = Type.Object({ id: Type.String() });
      const Both = Type.Intersect([
        Base,
        Type.Union([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Number() })]),
      ]);

      assert.deepEqual(
        written(Type.Intersect([Base, Type.Object({ n: Type.Null() })]), { id: "1", n: null, x: 1 }),
        {
          id: "1",
          n: null,
        },
      );
      assert.deepEqual(written(Both, { id: "1", b: 2, x: 1 }), { id: "1", b: 2 });
      assert.throws(() => written(Both, { b: 2 }), /"id" is required/);
    });

    test("sends of what refers to itself or to others what they name", () => {
      const Node = Type.Recursive((This) => Type.Object({ n: Type.Number(), kids: Type.Array(This) }));
      const List = Type.Module({
        List: Type.Object({ head: Type.Number(), rest: Type.Union([Type.Null(), Type.Ref("List")]) }),
      }).Import("List");

      assert.deepEqual(written(Node, { n: 1, kids: [{ n: 2, kids: [], x: 1 }], x: 1 }), {
        n: 1,
        kids: [{ n: 2, kids: [] }],
      });
      assert.deepEqual(written(List, { head: 1, rest: { head: 2, rest: null, x: 1 } }), {
        head: 1,
        rest: { head: 2, rest: null },
      });
    });

    test("sends of records and tuples what their keys and places name", () => {
      const Item = Type.Object({ a: Type.Number() });
      const item = { a: 1, x: 2 };

      assert.deepEqual(written(Type.Record(Type.String(), Item), { k: item }), { k: { a: 1 } });
      assert.deepEqual(
        written(Type.Record(Type.String({ pattern: "^k" }), Item), { k1: item, other: item }),
        { k1: { a: 1 } },
      );
      assert.deepEqual(written(Type.Tuple([Type.String(), Item]), ["s", item, "more"]), ["s", { a: 1 }]);
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
