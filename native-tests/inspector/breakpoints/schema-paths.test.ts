import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";

import { compileCondition } from "#inspector/breakpoints/compile-condition.js";
import { parseCondition } from "#inspector/breakpoints/parse-condition.js";
import { pathsOfSchema } from "#inspector/breakpoints/schema-paths.js";

const shown = (schema: TSchema) => pathsOfSchema(schema).map(({ path, type }) => `${path}: ${type}`);

describe("the paths of a schema", () => {
  test("are written as in a condition, nearest first, with their types", () => {
    const order = Type.Object({
      total: Type.Number(),
      lines: Type.Array(Type.Object({ sku: Type.String(), "gift wrap": Type.Boolean() })),
      size: Type.Tuple([Type.Integer(), Type.Integer()]),
      note: Type.Union([Type.String(), Type.Null()]),
      kind: Type.Literal("web"),
      rest: Type.Unknown(),
    });

    assert.deepEqual(shown(order), [
      "$: object",
      "total: number",
      "lines: array",
      "size: array",
      "note: string | null",
      "kind: string",
      "rest: any",
      "lines[0]: object",
      "size[0]: integer",
      "size[1]: integer",
      "lines[0].sku: string",
      'lines[0]["gift wrap"]: boolean',
    ]);
  });

  test("are of all variants of a union, each once", () => {
    const event = Type.Union([
      Type.Object({ id: Type.String(), at: Type.Number() }),
      Type.Intersect([Type.Object({ id: Type.Integer() }), Type.Object({ why: Type.String() })]),
    ]);

    assert.deepEqual(shown(event), ["$: object", "id: string | integer", "at: number", "why: string"]);
  });

  test("end where a schema holds itself, and where there are too many", () => {
    const tree = Type.Recursive((self) => Type.Object({ left: self, right: self }));
    const wide = Type.Object(
      Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}`, Type.String()])),
    );

    assert.equal(pathsOfSchema(tree, { maxDepth: 3 }).length, 1 + 2 + 4 + 8);
    assert.equal(pathsOfSchema(tree).length, 200);
    assert.equal(pathsOfSchema(wide).length, 200);
    assert.ok(pathsOfSchema(tree, { maxDepth: 3 }).some(({ path }) => path === "left.right.left"));
  });

  test("can all be asked for", () => {
    const odd = Type.Object({
      $: Type.Null(),
      "": Type.Null(),
      "0": Type.Null(),
      'a"b': Type.Null(),
      é: Type.Null(),
    });

    for (const { path } of pathsOfSchema(odd).slice(1)) {
      const asks = compileCondition(parseCondition(`${path} == 7`));
      assert.equal(["$", "", "0", 'a"b', "é"].filter((name) => asks({ [name]: 7 })).length, 1, path);
    }
  });
});
