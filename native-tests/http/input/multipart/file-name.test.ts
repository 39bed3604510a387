import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { safeFileName } from "#http/input/multipart/uploaded-file.js";
import { anyText } from "../../../support/any-text.js";

describe("the name of an uploaded file", () => {
  test("is what is left of a path", () => {
    for (const [sent, safe] of [
      ["photo.jpg", "photo.jpg"],
      ["../../etc/passwd", "passwd"],
      ["C:\\dir\\x.txt", "x.txt"],
      ["a/b\\c/", "unnamed"],
      ["..", "unnamed"],
      ["", "unnamed"],
      [".htaccess", "htaccess"],
      ["...x. ", "x"],
      ["a\0b.txt", "ab.txt"],
      ["evil\u202Egnp.exe", "evilgnp.exe"],
      ["x\r\ny", "xy"],
      ['a<b>:"|?*.txt', "a_b______.txt"],
      ["CON", "_CON"],
      ["nul.txt", "_nul.txt"],
      ["console.txt", "console.txt"],
      ["e\u0301.txt", "é.txt"],
      ["café 💩.txt", "café 💩.txt"],
    ] as const)
      assert.equal(safeFileName(sent), safe, JSON.stringify(sent));
  });

  test("is at most 255 bytes, its extension kept where it is short", () => {
    assert.equal(safeFileName(`${"é".repeat(200)}.tar`), `${"é".repeat(125)}.tar`);
    assert.equal(Buffer.byteLength(safeFileName(`a.${"x".repeat(400)}`)), 255);
    assert.equal(safeFileName("💩".repeat(100)), "💩".repeat(63));
  });

  test("may stand in a directory, for any text", () => {
    const long = fc.string({ unit: fc.constantFrom("a", "é", ".", " "), minLength: 100, maxLength: 300 });
    fc.assert(
      fc.property(fc.oneof(anyText(), long), fc.constantFrom("", "/", "\\", "..", ".\0"), (text, more) => {
        const safe = safeFileName(`${text}${more}`);

        assert.ok(safe.length > 0 && Buffer.byteLength(safe) <= 255);
        assert.doesNotMatch(safe, /[/\\\p{Cc}]|^\.|[. ]$/u);
        assert.equal(safeFileName(safe), safe);
      }),
      { numRuns: 300 },
    );
  });
});
