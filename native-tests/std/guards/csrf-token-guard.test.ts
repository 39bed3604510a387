import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { TestApp } from "framework/http";
import { csrfTokenOf, isCsrfToken } from "#std/sessions/loaded-session.js";
import { sessionApp } from "../../support/session-app.js";

async function opened() {
  const app = new TestApp(sessionApp().ingress);
  const login = async (name: string) => {
    const { setCookies } = await app.post("/login", { json: { name } });
    return { cookie: (setCookies[0] as string).split(";")[0] as string };
  };
  const token = async (cookie: { cookie: string }) => (await app.get("/token", { headers: cookie })).text;
  return { app, ann: await login("ann"), ben: await login("ben"), token };
}

describe("CsrfTokenGuard", () => {
  test("lets in what has the session's token, as often as it comes, and whichever it is", async () => {
    const { app, ann, token } = await opened();
    const [first, second] = [await token(ann), await token(ann)];

    assert.notEqual(first, second);
    for (const sent of [first, second, first])
      assert.equal((await app.post("/guarded", { headers: { ...ann, "x-csrf-token": sent } })).status, 200);
  });

  test("refuses what has none, a changed one, or another session's", async () => {
    const { app, ann, ben, token } = await opened();
    const mine = await token(ann);
    const changed = `${mine.slice(0, 50)}${mine[50] === "A" ? "B" : "A"}${mine.slice(51)}`;
    for (const sent of ["", "x", changed, mine.slice(1), `${mine}A`, await token(ben), "A".repeat(86)]) {
      const { status, problem } = await app.post("/guarded", { headers: { ...ann, "x-csrf-token": sent } });
      assert.deepEqual([status, problem.code], [403, "CSRF_TOKEN_INVALID"], sent);
    }
    assert.equal((await app.post("/guarded", { headers: ann })).status, 403);
  });

  test("refuses the token of before a rotation", async () => {
    const { app, ann, token } = await opened();
    const old = await token(ann);
    const { setCookies } = await app.post("/rotate", { headers: ann });
    const rotated = { cookie: (setCookies[0] as string).split(";")[0] as string };

    assert.equal((await app.post("/guarded", { headers: { ...rotated, "x-csrf-token": old } })).status, 403);
    const next = await token(rotated);
    assert.equal((await app.post("/guarded", { headers: { ...rotated, "x-csrf-token": next } })).status, 200);
  });

  test("lets pass what has no session, which is for others to refuse", async () => {
    const { app } = await opened();

    assert.equal((await app.post("/unguarded")).text, "nobody, none");
    assert.equal((await app.post("/guarded")).problem.code, "TOKEN_MISSING");
  });
});

describe("a CSRF token", () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

  test("is good for its secret and no other, whatever its mask", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), bytes, (secret, other, mask) => {
        const token = csrfTokenOf(secret, () => mask);
        assert.equal(isCsrfToken(token, secret), true);
        assert.equal(isCsrfToken(token, other), secret === other);
        assert.equal(token.slice(0, 42), Buffer.from(mask).toString("base64url").slice(0, 42));
      }),
    );
  });

  test("is no other text", () => {
    const token = csrfTokenOf("secret", () => new Uint8Array(32));
    fc.assert(
      fc.property(fc.nat(84), fc.constantFrom(..."ABCxyz0-_ =."), (at, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        assert.equal(isCsrfToken(changed, "secret"), changed === token);
      }),
    );
  });
});
