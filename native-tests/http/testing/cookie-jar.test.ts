import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { CookieJar } from "#http/testing/cookie-jar.js";

/** What a jar sends to a target after answers to others. */
function sent(target: string, ...answers: readonly (readonly [string, ...string[]])[]): string {
  const jar = new CookieJar();
  for (const [from, ...lines] of answers) jar.keep(from, lines);
  return jar.pairsFor(target).join("; ");
}

describe("a cookie jar", () => {
  test("sends what was set, the last value of each name", () => {
    assert.equal(sent("/", ["/", "a=1; HttpOnly", "b=x%20y; Path=/; Secure"], ["/", "a=2"]), "b=x%20y; a=2");
    assert.equal(sent("/"), "");
    assert.equal(sent("/", ["/", "=x", "x", ""]), "");
    assert.equal(sent("/", ["/", "a=b=c"]), "a=b=c");
  });

  test("sends cookies below their path alone, the longest first", () => {
    const answers = [
      ["/", "a=root; Path=/"],
      ["/", "b=shop; path=/shop"],
      ["/shop/cart/x?y=/z", "c=cart"],
    ] as const;

    assert.equal(sent("/", ...answers), "a=root");
    assert.equal(sent("/shop?x=/shop/cart", ...answers), "b=shop; a=root");
    assert.equal(sent("/shopping", ...answers), "a=root");
    assert.equal(sent("/shop/cart", ...answers), "c=cart; b=shop; a=root");
    assert.equal(sent("/shop/", ...answers), "b=shop; a=root");
    assert.equal(sent("/x", ["/deep/down", "a=1; Path=relative"]), "");
  });

  test("tells cookies of one name and two paths apart", () => {
    assert.equal(
      sent("/a", ["/", "x=1; Path=/"], ["/", "x=2; Path=/a"], ["/", "x=; Path=/; Max-Age=0"]),
      "x=2",
    );
  });

  test("forgets what the server takes back", () => {
    for (const attribute of ["Max-Age=0", "max-age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"])
      assert.equal(sent("/", ["/", "a=1"], ["/", `a=; ${attribute}`]), "", attribute);
    for (const attribute of [
      "Max-Age=60",
      "Expires=Fri, 31 Dec 9999 23:59:59 GMT",
      "Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
      "Max-Age=soon",
    ])
      assert.equal(sent("/", ["/", `a=1; ${attribute}`]), "a=1", attribute);
  });
});
