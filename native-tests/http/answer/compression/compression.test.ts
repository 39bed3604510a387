import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Compression } from "#http/answer/compression/compression.js";
import { compressionRules } from "#http/plan/compression-rules.js";

describe("what clients want", () => {
  test("is remembered of a hundred, and read anew of others and of long ones", () => {
    const compression = new Compression(compressionRules());
    const wishes = Array.from({ length: 101 }, (_, n) => `gzip, x-${n}`);
    const long = `br, ${"x".repeat(200)}`;
    const isRemembered = (text: string) => {
      const first = compression.wishOf(text);
      return compression.wishOf(text) === first;
    };

    assert.equal(isRemembered(long), false);
    assert.deepEqual(
      wishes.map(isRemembered),
      wishes.map((_, n) => n < 100),
    );
    for (const text of [...wishes, long])
      assert.equal(compression.wishOf(text).coding, text === long ? "br" : "gzip");
  });
});
