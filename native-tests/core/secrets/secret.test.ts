import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { format, inspect } from "node:util";

import { Secret } from "#core/secrets/secret.js";

const ways = (value: unknown): readonly string[] => [
  `${value}`,
  String(value),
  JSON.stringify({ value }),
  inspect({ value }, { showHidden: true, depth: 9 }),
  format("%s %o %j", value, value, value),
];

describe("Secret", () => {
  test("prints as [redacted] however it is printed", () => {
    for (const printed of ways(new Secret("swordfish"))) {
      assert.match(printed, /\[redacted\]/);
      assert.doesNotMatch(printed, /swordfish/);
    }
  });

  test("prints what it was told to print instead", () => {
    for (const printed of ways(new Secret("swordfish", "a fish"))) {
      assert.match(printed, /a fish/);
      assert.doesNotMatch(printed, /swordfish/);
    }
  });

  test("gives its value to whoever asks for it", () => {
    assert.equal(new Secret("swordfish").reveal(), "swordfish");
  });
});
