import assert from "node:assert/strict";
import { posix, win32 } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";

import { isServable } from "#http/static/media-type.js";
import { anyText } from "../../support/any-text.js";

describe("a path that may be looked up", () => {
  test("is made of names", () => {
    for (const path of [
      "a",
      "a/b.txt",
      "café/ü.png",
      "a b/c+d.txt",
      "_next/static/x.js",
      "a..b",
      "~user",
      "x~1.txt",
      "console.js",
      "com.txt",
      "nully",
      "contents/aux1",
    ])
      assert.ok(isServable(path), path);
  });

  test("leads nowhere else, on no system", () => {
    const refused = [
      "",
      "/",
      "/a",
      "a/",
      "a//b",
      ".",
      "..",
      "../a",
      "a/..",
      "a/../b",
      "a/./b",
      "...",
      "a\\b",
      "..\\a",
      "\\\\host\\share",
      "c:",
      "c:/a",
      "c:a",
      "a.txt:stream",
      "a.txt::$DATA",
      "a\0",
      "a\n",
      "a\x7f",
      "a.",
      "a. ",
      "a ",
      "a./b",
      "con",
      "CON",
      "con.txt",
      "con .txt",
      "a/nul",
      "aux.tar.gz",
      "com1",
      "COM¹.log",
      "lpt9",
      "conin$",
    ];
    for (const path of refused) assert.ok(!isServable(path), JSON.stringify(path));
  });

  test("has no name with a dot before it, but the one that is well known", () => {
    for (const path of [".env", ".git/config", "a/.htaccess", "a/.b/c", ".well-known/x"]) {
      assert.ok(!isServable(path), path);
    }
    assert.ok(isServable(".well-known/security.txt", true));
    for (const path of [".well-known/.env", "a/.well-known/x", ".git/config", ".well-knownx/a", ".."])
      assert.ok(!isServable(path, true), path);
  });

  test("stays below its root, whatever it says, as POSIX and Windows read it", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "",
        "a",
        "b.txt",
        "c:",
        "\\",
        "con",
        "..\\..",
        "%2e%2e",
        "：",
        "．．",
        " ",
        "a ",
        "::$DATA",
        ".well-known",
      ),
      anyText({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.boolean(), (pieces, wellKnown) => {
        const path = pieces.join("/");
        if (!isServable(path, wellKnown)) return;
        assert.ok(posix.resolve("/srv/www", path).startsWith("/srv/www/"), path);
        assert.ok(win32.resolve("c:\\srv\\www", path).startsWith("c:\\srv\\www\\"), path);
        // It has one spelling: no other path names the same file.
        assert.equal(posix.normalize(path), path);
        assert.equal(win32.normalize(path).replaceAll("\\", "/"), path);
      }),
      { numRuns: 300 },
    );
  });
});
