// Array keywords that TypeBox checks differently from JSON Schema: it ignores `minContains: 0`, and
// its hashes of unequal items can collide.

import { type TSchema, Type } from "@sinclair/typebox";
import { define } from "../tree/schema-tree.js";
import { conjoin, failingAs } from "./conjunction.js";
import { itemKey } from "./item-key.js";
import { asLeaf } from "./leaf-check.js";

export function asCheckedArray(schema: TSchema): TSchema {
  const { uniqueItems, contains, minContains, maxContains } = schema;
  let checked = schema;
  if (uniqueItems === true) {
    define(schema, "uniqueItems", undefined);
    checked = conjoin(checked, unique());
  }
  if (contains === undefined || minContains !== 0) return checked;
  for (const keyword of ["contains", "minContains", "maxContains"]) define(schema, keyword, undefined);
  if (maxContains === undefined) return checked;
  const tooMany = Type.Not(Type.Array(Type.Unknown(), { contains, minContains: maxContains + 1 }));
  const expected = `at most this many matching items: ${maxContains}`;
  return conjoin(checked, failingAs(tooMany, { keyword: "maxContains", expected }));
}

const unique = (): TSchema =>
  asLeaf(Type.Unknown(), JSON.stringify(["unique"]), () => ({
    rules: [
      {
        holds: (value: unknown) =>
          !Array.isArray(value) || new Set(value.map((item) => itemKey(item))).size === value.length,
        failure: { keyword: "uniqueItems", expected: "no two equal items" },
      },
    ],
  }));
