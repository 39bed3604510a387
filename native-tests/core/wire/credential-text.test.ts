import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { withoutCredentials } from "#core/wire/credential-text.js";

describe("a text without its credentials", () => {
  test("has no token with a dot in it, wherever in a run of characters that begins", () => {
    // Says the same plainly, in time that grows with the square of the text.
    const token = /\beyJ[\w-]{4,}\.[\w-]*\.?[\w-]*/g;
    const part = fc.constantFrom("eyJ", "-", ".", "a", "bcde", "_", " ", "ä", "/");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        assert.equal(withoutCredentials(text), text.replace(token, "[redacted]"));
      }),
      { numRuns: 5000 },
    );
    assert.equal(withoutCredentials("id-eyJhbGciOiJI.eyJzdWIi.c2ln, ok"), "id-[redacted], ok");
  });

  // Each takes milliseconds; in time that grows with the square, a quarter of a minute and more.
  for (const [shape, piece] of [
    ["begins tokens that never end", "-eyJ"],
    ["begins tokens behind dots", ".eyJaaaa"],
    ["names a scheme again and again", "Bearer "],
    ["has a scheme before spaces", `Bearer${" ".repeat(1000)}`],
    ["has a scheme before what is none", `Bearer ${"a".repeat(1000)} `],
    ["begins keys", "-----BEGIN PRIVATE KEY-----"],
    ["begins and nearly ends keys", "-----BEGIN PRIVATE KEY----- -----END "],
    ["has addresses without a name", "://a:a"],
    ["has names of secrets", "password="],
    ["has blanks before signs", `a${" ".repeat(31)}=`],
    ["has escapes before signs", `${"\\".repeat(31)}"=`],
    ["has texts that do not end", 'token:"'],
    ["offers subprotocols", "sec-websocket-protocol: a.token-, "],
  ] as const)
    test(`takes time in proportion to its length where it ${shape}`, () => {
      const text = piece.repeat(Math.ceil(160_000 / piece.length));
      const began = performance.now();
      withoutCredentials(text, true);
      withoutCredentials(piece.repeat(2).trimEnd() + text, true);

      assert.ok(performance.now() - began < 10_000);
    });
});
