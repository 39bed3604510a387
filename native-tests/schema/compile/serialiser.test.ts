import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";

import { compileSerialiser } from "#schema/compile/serialiser.js";
import { compileSchema } from "#schema/compile/validator.js";
import { anyText } from "../../support/any-text.js";
import { anySchema, fitting, oddValue } from "../../support/closed-schemas.js";
import { generators } from "../../support/code-generation.js";

for (const generate of generators) {
  const compiled = (schema: TSchema) => compileSerialiser(schema, { owner: "Axon 'a', output", generate });
  const written = (schema: TSchema, value: unknown) => JSON.parse(compiled(schema)(value));

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
      assert.throws(() => written(Type.Object({ id: Type.Integer() }), {}), /"\/id" is required/);
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

    test("refuses a schema that is itself before a value is looked at", () => {
      const refused = {
        code: "SCHEMA_INVALID",
        message: /^Axon 'a', output: Schema at '.*' is itself again/,
      };
      const endless = [
        Type.Recursive((This) => Type.Union([This, Type.String()])),
        Type.Recursive((This) => Type.Union([Type.String(), Type.Union([Type.Null(), This])])),
        Type.Recursive((This) => Type.Intersect([Type.Object({ a: Type.Null() }), This])),
        Type.Object({ a: Type.Array(Type.Recursive((This) => Type.Not(This))) }),
        Type.Module({ A: Type.Ref("B"), B: Type.Union([Type.Ref("A"), Type.Null()]) }).Import("A"),
        Type.Module({ A: Type.Ref("A") }).Import("A"),
      ];
      for (const schema of endless) {
        assert.throws(() => compiled(schema), refused);
        assert.throws(() => compileSchema(schema, { owner: "Axon 'a', input", origin: "json", generate }), {
          code: "SCHEMA_INVALID",
          message: /^Axon 'a', input: Schema at '.*' is itself again/,
        });
      }
      const Tree = Type.Recursive((This) => Type.Union([Type.String(), Type.Array(This)]));
      const Twice = Type.Union([Tree, Type.Object({ a: Tree })]);
      assert.deepEqual(written(Twice, { a: ["x", ["y"]], b: 1 }), { a: ["x", ["y"]] });
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

    test("sends what every variant names that fits, and refuses what fits none", () => {
      const Either = Type.Union([
        Type.Object({ a: Type.String() }),
        Type.Object({ a: Type.String(), b: Type.Optional(Type.Number()) }),
        Type.Object({ c: Type.Number() }),
      ]);

      assert.deepEqual(written(Either, { a: "x", b: 1, c: "no", d: 2 }), { a: "x", b: 1 });
      assert.throws(() => written(Either, { b: 1, d: 2 }), /must be one of its union to be written/);
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
      assert.throws(() => written(Both, { b: 2 }), /one of its union/);
      const Turned = Type.Intersect([Both.allOf[1], Base]);
      assert.deepEqual(written(Turned, { id: "1", b: 2, x: 1 }), { id: "1", b: 2 });
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

    test("writes nothing whole that is not of its schema's type", () => {
      const odd = { password: "hunter2" };
      const U = Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]);
      const Who = Type.Object({ name: Type.Optional(Type.String()) });
      const u = { a: "x" };
      const cases: [TSchema, unknown][] = [
        [Type.Object({ id: Type.String(), u: U }), { id: odd, u }],
        [Type.Object({ who: Who, u: U }), { who: [odd], u }],
        [Type.Object({ all: Type.Array(Who), u: U }), { all: odd, u }],
        [U, [odd]],
        [Type.Object({ id: Type.Union([Type.String(), Type.Number()]) }), { id: odd }],
        [Type.Object({ id: Type.Number() }), { id: odd }],
        [Type.Object({ who: Who }), { who: [odd] }],
        [Type.Tuple([Type.Intersect([Type.String(), Type.Unknown()])]), [odd]],
        ...[odd, ["hunter2"], [], () => "hunter2", /hunter2/, Symbol("hunter2")].flatMap(
          (value): [TSchema, unknown][] => [
            [Type.Object({ id: Type.String() }), { id: value }],
            [Type.String(), value],
            [Type.Union([Type.String(), Type.Null()]), value],
            [Type.Union([Type.String(), Type.Number()]), value],
            [Type.Array(Type.String()), [value]],
            [Type.Array(Type.String()), [...Array.from({ length: 200 }, () => "x"), value]],
            [Type.Object({ n: Type.Number() }), { n: value }],
            [Type.Array(Type.Number()), [value]],
            [Type.Object({ b: Type.Boolean() }), { b: value }],
          ],
        ),
        [Type.Record(Type.String(), Type.String()), { a: ["hunter2"] }],
        [Type.Object({ n: Type.Number() }), { n: [5] }],
        [Type.Object({ n: Type.Number() }), { n: "hunter2" }],
      ];

      for (const [schema, value] of cases)
        assert.throws(
          () => written(schema, value),
          (error: Error) => {
            assert.doesNotMatch(`${error.stack}`, /hunter2"|"hunter2/);
            return true;
          },
          JSON.stringify(schema),
        );
    });

    test("writes no value as another one, and says where it would have", () => {
      const schema = Type.Object({
        s: Type.String(),
        n: Type.Number(),
        b: Type.Boolean(),
        l: Type.Array(Type.String()),
        o: Type.Object({ "a/b": Type.Optional(Type.String()) }),
        r: Type.Record(Type.String(), Type.Number()),
        any: Type.Unknown(),
      });
      const right = { s: "", n: 0, b: false, l: [], o: {}, r: {}, any: null };
      assert.deepEqual(written(schema, right), right);
      const cycle: Record<string, unknown> = {};
      cycle["in"] = { cycle };

      for (const [wrong, why] of [
        [{ s: 5 }, '"/s" must be a string to be written, and is a number'],
        [{ s: null }, '"/s" must be a string to be written, and is null'],
        [{ n: "" }, '"/n" must be a number to be written, and is a string'],
        [{ n: null }, '"/n" must be a number to be written, and is null'],
        [{ n: Number.NaN }, '"/n" must be a number to be written, and is NaN'],
        [{ n: Number.POSITIVE_INFINITY }, '"/n" must be a number to be written, and is Infinity'],
        [{ n: 5n }, '"/n" must be a number to be written, and is a bigint'],
        [{ b: "false" }, '"/b" must be a boolean to be written, and is a string'],
        [{ l: ["a", null] }, '"/l/1" must be a string to be written, and is null'],
        [{ l: null }, '"/l" must be an array to be written, and is null'],
        [{ l: new Set(["a"]) }, '"/l" must be an array to be written, and is a Set'],
        [{ o: new Map() }, '"/o" must be an object to be written, and is a Map'],
        [{ o: { "a/b": 1 } }, '"/o/a~1b" must be a string to be written, and is a number'],
        [{ r: { x: Number.NaN } }, '"/r/x" must be a number to be written, and is NaN'],
        [
          { any: { deep: [new Map([["a", 1]])] } },
          '"/any/deep/0" is a Map: give Object.fromEntries(map), or [...map]',
        ],
        [{ any: [1, /x/] }, '"/any/1" is a RegExp: make data of it'],
        [{ any: [Number.NaN] }, '"/any/0" is NaN, which JSON does not have'],
        [{ any: [new Date(Number.NaN)] }, '"/any/0" is a Date of no time'],
        [{ any: [() => 1] }, '"/any/0" is a function, which JSON does not have'],
        [{ any: { at: 1n } }, '"/any/at" is a bigint, which JSON does not have'],
        [{ any: cycle }, '"/any/in/cycle" is what it stands in'],
      ] as const)
        assert.throws(() => written(schema, { ...right, ...wrong }), { name: "Error", message: why });
    });

    test("leaves out what is a function or a symbol in an object, whatever else is there", () => {
      const value = { a: null, f: () => 1, s: Symbol("s"), u: undefined };

      assert.deepEqual(written(Type.Unknown(), value), { a: null });
      assert.deepEqual(written(Type.Object({ any: Type.Unknown() }), { any: [value] }), {
        any: [{ a: null }],
      });
    });

    test("writes what classes have, and what is only inherited from no class", () => {
      class Point {
        x = 1;
        get y() {
          return 2;
        }
      }
      const schema = Type.Object({
        x: Type.Number(),
        y: Type.Number(),
        toString: Type.Optional(Type.String()),
      });

      assert.deepEqual(written(schema, new Point()), { x: 1, y: 2 });
      assert.deepEqual(written(schema, Object.assign(Object.create(null), { x: 1, y: 2 })), { x: 1, y: 2 });
      assert.deepEqual(written(schema, { x: 1, y: 2, toString: "own" }), { x: 1, y: 2, toString: "own" });
    });

    test("writes each type of a union of leaves as it is", () => {
      const schema = Type.Array(Type.Union([Type.Number(), Type.String(), Type.Boolean()]));

      assert.deepEqual(written(schema, [1, "1", true]), [1, "1", true]);
      assert.throws(
        () => written(schema, [1, null]),
        /"\/1" must be a number or a string or a boolean .* is null/,
      );
    });

    test("merges the lists of a union that a value fits", () => {
      const A = Type.Object({ a: Type.Optional(Type.String()) });
      const B = Type.Object({ b: Type.Optional(Type.String()) });
      const Lists = Type.Union([Type.Array(A), Type.Array(B)]);
      const Places = Type.Union([Type.Tuple([A]), Type.Tuple([B, B])]);

      assert.deepEqual(written(Lists, []), []);
      assert.deepEqual(written(Lists, [{ a: "1", b: "2", c: "3" }]), [{ a: "1", b: "2" }]);
      assert.deepEqual(written(Places, [{ a: "1" }, { b: "2", c: "3" }, { b: "4" }]), [
        { a: "1" },
        { b: "2" },
      ]);
      assert.deepEqual(written(Type.Union([Type.Unknown(), Type.Any()]), [{ a: 1 }]), [{ a: 1 }]);
    });

    test("sends of a record beside an object what either names", () => {
      const Name = Type.Object({ a: Type.Optional(Type.String()) });
      const Count = Type.Record(Type.String({ pattern: "^[abc]$" }), Type.Number());
      const Named = Type.Record(Type.String({ pattern: "^[abc]$" }), Name);
      const One = Type.Object({ a: Type.Object({ b: Type.Optional(Type.Number()) }) });

      assert.deepEqual(written(Type.Union([Named, Type.Object({ a: Count })]), { a: { a: "x" } }), {
        a: { a: "x" },
      });
      for (const variants of [
        [Named, One],
        [One, Named],
      ])
        assert.deepEqual(written(Type.Union(variants), { a: { a: "x", b: 1, c: 2 } }), {
          a: { a: "x", b: 1 },
        });
    });

    test("sends nothing that only a record names which the value is not", () => {
      const Counts = Type.Record(Type.String({ pattern: "^[a-z]+$" }), Type.Number());
      const schema = Type.Union([Type.Object({ id: Type.String() }), Counts]);

      assert.deepEqual(written(schema, { id: "x", pin: 5 }), { id: "x" });
      assert.deepEqual(written(schema, { pin: 5 }), { pin: 5 });
    });

    test("sends what the variants of a union within a union name", () => {
      const Inner = Type.Union([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Number() })]);
      const schema = Type.Union([Inner, Type.Object({ c: Type.Number() })]);

      assert.deepEqual(written(schema, { b: 1, x: 2 }), { b: 1 });
    });

    test("never writes what no schema names, however odd the value", () => {
      const refused = /must be .* to be written|is required|which JSON does not have|: (?:make|give|await) /;
      fc.assert(
        fc.property(anySchema, oddValue, (schema, value) => {
          try {
            assert.doesNotMatch(compiled(schema)(value), /secret|hunter2/);
          } catch (error) {
            assert.match(String(error), refused);
          }
        }),
        { numRuns: 300 },
      );
    });

    test("writes of each union all of a value of one of its variants", () => {
      const pair = anySchema.chain((schema) => fc.tuple(fc.constant(schema), fitting(schema)));
      fc.assert(
        fc.property(pair, ([schema, value]) => assert.deepEqual(written(schema, value), value)),
        { numRuns: 300 },
      );
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
          id: anyText(),
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
