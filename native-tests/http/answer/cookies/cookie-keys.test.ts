import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import { CookieKeys, Secret } from "framework";

const secret = new Secret("0123456789abcdef0123456789abcdef");
const invalid = { code: "CONFIG_INVALID" };

describe("CookieKeys", () => {
  test("refuses a secret that could be guessed, and does not show it", () => {
    for (const text of ["", "swordfish", "x".repeat(31)])
      assert.throws(
        () => new CookieKeys([{ id: "a", secret: new Secret(text) }]),
        (error: Error & { code: string }) =>
          error.code === "CONFIG_INVALID" && (text === "" || !error.message.includes(text)),
      );
    assert.throws(() => new CookieKeys([{ id: "a", secret: new Secret(undefined as never) }]), invalid);
    assert.throws(() => new CookieKeys([{ id: "a", secret: "x".repeat(32) as never }]), invalid);
  });

  test("needs keys, each with an id of its own", () => {
    assert.throws(() => new CookieKeys([]), invalid);
    assert.throws(
      () =>
        new CookieKeys([
          { id: "a", secret },
          { id: "a", secret },
        ]),
      /two keys have the id 'a'/,
    );
    for (const id of ["", "a.b", "a b", "é", "a".repeat(33)])
      assert.throws(() => new CookieKeys([{ id, secret }]), invalid);
  });

  test("shows nothing of its secrets", () => {
    const keys = new CookieKeys([{ id: "a", secret }]);

    assert.ok(
      !`${inspect(keys, { depth: 9, showHidden: true })}${JSON.stringify(keys)}`.includes("0123456789"),
    );
  });
});
