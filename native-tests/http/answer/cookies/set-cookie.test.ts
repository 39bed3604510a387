import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parse, parseSetCookie } from "cookie";
import fc from "fast-check";

import { deleteCookie, setCookie } from "framework";
import type { CookieOptions } from "framework/http";

const invalid = { code: "COOKIE_INVALID" };

describe("setCookie", () => {
  test("is safe where nothing else is said", () => {
    assert.equal(setCookie("sid", "a b").line, "sid=a%20b; Path=/; HttpOnly; Secure; SameSite=Lax");
  });

  test("writes what is said", () => {
    const options: CookieOptions = {
      maxAge: 60,
      domain: "example.com",
      path: "/shop",
      httpOnly: false,
      sameSite: "none",
      partitioned: true,
      priority: "high",
    };

    const { httpOnly: _, ...attributes } = options;
    assert.deepEqual(
      { ...parseSetCookie(setCookie("cart", "7", options).line) },
      { name: "cart", value: "7", ...attributes, secure: true },
    );
  });

  test("carries any text to the next request and back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (value) => {
        const [pair = ""] = setCookie("a", value).line.split(";");

        assert.match(pair, /^a=[\x21-\x7e]*$/);
        assert.equal(parse(`x=1; ${pair}; y=2`)["a"], value);
      }),
    );
  });

  test("never lets a value or an option begin another attribute or header", () => {
    for (const value of ["a; Domain=evil", "a\r\nx: y", "a\0", ",", '"'])
      assert.equal(setCookie("a", value).line.split(";").length, 5);
    for (const text of ["/; Domain=evil", "/\r\nx: y", "/\0", "/é"])
      assert.throws(() => setCookie("a", "", { path: text }), invalid);
    for (const text of ["a; Path=/", "a\r\nb", "a_b", "é"])
      assert.throws(() => setCookie("a", "", { domain: text }), invalid);
    for (const name of ["", "a b", "a=b", "a;b", "a,b", "a\r\nb", "é"])
      assert.throws(() => setCookie(name, ""), invalid);
  });

  test("refuses what browsers would drop", () => {
    const refused: readonly [string, CookieOptions][] = [
      ["__Host-sid", { secure: false }],
      ["__Host-sid", { path: "/shop" }],
      ["__Host-sid", { domain: "example.com" }],
      ["__host-sid", { domain: "example.com" }],
      ["__Secure-sid", { secure: false }],
      ["sid", { sameSite: "none", secure: false }],
      ["sid", { partitioned: true, secure: false }],
      ["sid", { path: "shop" }],
      ["sid", { maxAge: 1.5 }],
      ["sid", { maxAge: -1 }],
    ];
    for (const [name, options] of refused)
      assert.throws(() => setCookie(name, "x", options), invalid, `${name} ${JSON.stringify(options)}`);
    assert.doesNotThrow(() => setCookie("__Host-sid", "x"));
    assert.doesNotThrow(() => setCookie("__Secure-sid", "x", { domain: "example.com", path: "/shop" }));
  });

  test("refuses what browsers would cut, with its name and not its value", () => {
    const attributes = setCookie("a", "").line.length;

    assert.equal(setCookie("a", "x".repeat(4096 - attributes)).line.length, 4096);
    assert.throws(() => setCookie("a", "x".repeat(4097 - attributes)), {
      ...invalid,
      message: /^Cookie "a": it has 4097 bytes with its attributes/,
    });
  });

  test("refuses a value that is no text, and does not show it", () => {
    assert.throws(
      () => setCookie("a", "secret\ud800"),
      (error: Error) => !error.message.includes("secret"),
    );
    assert.throws(() => setCookie("a", undefined as never), invalid);
  });

  test("deletes by the same attributes", () => {
    assert.equal(
      deleteCookie("__Host-sid").line,
      "__Host-sid=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
    );
  });
});
