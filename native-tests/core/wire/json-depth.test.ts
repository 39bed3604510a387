import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { isDeeperThan } from "#core/wire/json-depth.js";

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe("the depth of JSON", () => {
  test("is that of its value, for any", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.nat(9), (text, max) => {
        assert.equal(isDeeperThan(max, Buffer.from(text)), depthOf(JSON.parse(text)) > max);
      }),
    );
  });

  test("is counted outside of strings, also where it is no JSON", () => {
    const texts: readonly (readonly [string, boolean])[] = [
      ["[".repeat(100), true],
      ['{"a":'.repeat(3), true],
      ["[[]]", false],
      ['"[[[[["', false],
      ['["\\"[[[["]', false],
      ['["\\\\",[[["a"]]]]', true],
      ["]]]][[[", false],
      ["", false],
    ];

    for (const [text, isDeep] of texts) assert.equal(isDeeperThan(2, Buffer.from(text)), isDeep, text);
  });
});
