import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TObject, Type } from "@sinclair/typebox";

import { compileCoercion, compileTreeCoercion, type RawParameters } from "#schema/compile/coercion.js";

const coerce = (schema: TObject, raw: RawParameters) => {
  const coerced = compileCoercion(schema)(raw);
  return coerced.ok
    ? { ...coerced.value }
    : coerced.errors.map(({ pointer, keyword, expected }) => `${pointer} ${keyword}: ${expected}`);
};
const one = (schema: TObject["properties"][string], text: string) =>
  coerce(Type.Object({ x: schema }), { x: text });

describe("coercion of parameters", () => {
  test("reads numbers as JSON writes them, and nothing else", () => {
    for (const [text, value] of [
      ["0", 0],
      ["-1.5", -1.5],
      ["1e3", 1000],
      ["10", 10],
    ] as const)
      assert.deepEqual(one(Type.Number(), text), { x: value });
    for (const text of ["", " 1", "1 ", "0x10", "01", "1_000", "Infinity", "NaN", "1e999", "+1", ".5", "١"]) {
      assert.deepEqual(one(Type.Number(), text), ["/x type: a number, once"], text);
    }
  });

  test("leaves to the schema whether a number is a whole one", () => {
    assert.deepEqual(one(Type.Integer(), "1.5"), { x: 1.5 });
  });

  test("reads true and false, null, literals and text", () => {
    assert.deepEqual(one(Type.Boolean(), "true"), { x: true });
    assert.deepEqual(one(Type.Boolean(), "1"), ["/x type: true or false, once"]);
    assert.deepEqual(one(Type.Null(), "null"), { x: null });
    assert.deepEqual(one(Type.Literal(5), "5"), { x: 5 });
    assert.deepEqual(one(Type.Literal(true), "false"), { x: false });
    assert.deepEqual(one(Type.Literal("a"), "b"), { x: "b" });
    assert.deepEqual(one(Type.Unknown(), "b"), { x: "b" });
  });

  test("takes the first alternative that fits", () => {
    const mixed = Type.Union([Type.Integer({ minimum: 10 }), Type.Boolean(), Type.Literal("all")]);

    assert.deepEqual(one(mixed, "12"), { x: 12 });
    assert.deepEqual(one(mixed, "true"), { x: true });
    assert.deepEqual(one(mixed, "all"), { x: "all" });
    assert.deepEqual(one(mixed, "3"), { x: 3 }, "none fits: the schema will say so");
    assert.deepEqual(one(Type.Union([Type.Integer(), Type.Boolean()]), "x"), [
      "/x type: a number or true or false, once",
    ]);
  });

  test("makes a list where one is wanted, of one value too", () => {
    const schema = Type.Object({ ids: Type.Array(Type.Integer()) });

    assert.deepEqual(coerce(schema, { ids: "1" }), { ids: [1] });
    assert.deepEqual(coerce(schema, { ids: ["1", "2"] }), { ids: [1, 2] });
    assert.deepEqual(coerce(schema, { ids: ["1", "x"] }), ["/ids type: a list, each a number"]);
  });

  test("refuses a repeated parameter where one is wanted", () => {
    assert.deepEqual(coerce(Type.Object({ id: Type.String() }), { id: ["a", "b"] }), [
      "/id type: a string, once",
    ]);
  });

  test("tells every parameter that is missing, and fills defaults in", () => {
    const schema = Type.Object({
      a: Type.String(),
      b: Type.Number(),
      c: Type.Optional(Type.String()),
      d: Type.Integer({ default: 20 }),
      "e/f": Type.String(),
    });

    assert.deepEqual(coerce(schema, {}), [
      "/a required: this parameter",
      "/b required: this parameter",
      "/e~1f required: this parameter",
    ]);
    assert.deepEqual(coerce(schema, { a: "x", b: "1", "e/f": "y" }), { a: "x", b: 1, "e/f": "y", d: 20 });
  });

  test("gives each request a default of its own", () => {
    const read = compileCoercion(Type.Object({ tags: Type.Array(Type.String(), { default: [] }) }));
    const [first, second] = [read({}), read({})];

    assert.ok(first.ok && second.ok);
    (first.value["tags"] as string[]).push("mine");
    assert.deepEqual(second.value["tags"], []);
  });

  test("keeps what the schema does not name, for the schema to judge", () => {
    assert.deepEqual(coerce(Type.Object({}), { extra: "1" }), { extra: "1" });
  });

  test("makes objects without a prototype", () => {
    const raw = Object.assign(Object.create(null), JSON.parse('{"__proto__":"x"}'));
    const coerced = compileCoercion(Type.Object({}))(raw);

    assert.ok(coerced.ok);
    assert.equal(Object.getPrototypeOf(coerced.value), null);
    assert.deepEqual(Object.keys(coerced.value), ["__proto__"]);
  });

  test("refuses when it is compiled what a string cannot be read as", () => {
    assert.throws(() => compileCoercion(Type.Object({ at: Type.Object({}) })), {
      code: "SCHEMA_UNSUPPORTED",
      message: /Parameter 'at': Object cannot be read from text/,
    });
    assert.throws(
      () => compileCoercion(Type.Object({ at: Type.Union([Type.Null(), Type.Array(Type.String())]) })),
      {
        code: "SCHEMA_UNSUPPORTED",
      },
    );
  });

  test("reads parameters inside parameters, each mistake at its place", () => {
    const read = compileTreeCoercion(
      Type.Object({
        u: Type.Object({
          age: Type.Integer(),
          tags: Type.Array(Type.Integer()),
          at: Type.Optional(Type.Object({ zip: Type.Number(), page: Type.Integer({ default: 1 }) })),
        }),
      }),
    );
    const plain = (raw: Parameters<typeof read>[0]) => {
      const coerced = read(raw);
      return coerced.ok
        ? JSON.parse(JSON.stringify(coerced.value))
        : coerced.errors.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
    };

    assert.deepEqual(plain({ u: { age: "7", tags: "1" } }), { u: { age: 7, tags: [1] } });
    assert.deepEqual(plain({ u: { age: "7", tags: ["1", "2"], at: { zip: "5" } } }), {
      u: { age: 7, tags: [1, 2], at: { zip: 5, page: 1 } },
    });
    assert.deepEqual(plain({ u: { age: "x", tags: { a: "1" }, at: {} } }), [
      "/u/age type",
      "/u/tags type",
      "/u/at/zip required",
    ]);
    assert.deepEqual(plain({ u: { age: { a: "1" }, tags: [], at: "1" } }), ["/u/age type", "/u/at type"]);
    for (const u of ["1", ["1"]]) assert.deepEqual(plain({ u }), ["/u type"]);
    assert.deepEqual(plain({}), ["/u required"]);
  });
});
