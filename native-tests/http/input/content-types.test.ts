import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework } from "framework";
import { TestApp } from "framework/http";
import { ContentTypeGuard } from "framework/std";

describe("a ContentTypeGuard before routes", () => {
  const sized = Axon.start<Uint8Array>("sized").thenFn("tell", ({ length }) => ({ length }));
  const app = new TestApp(
    Framework.http()
      .guard(new ContentTypeGuard(["image/*", "application/json"]))
      .get(
        "/",
        Axon.start("hello").thenFn("greet", () => "hello"),
      )
      .post("/", sized, { input: bytes(), bodyLimit: 4 })
      .patch("/", sized, { input: bytes() }),
  );
  const sending = (type: string, body = "body") => ({ body, headers: { "content-type": type } });

  test("takes the bodies it names, and requests without one", async () => {
    assert.deepEqual((await app.post("/", sending("image/png"))).json, { length: 4 });
    assert.equal((await app.get("/", { headers: { "content-type": "text/plain" } })).status, 200);
    assert.deepEqual((await app.post("/")).json, { length: 0 });
  });

  test("refuses others with what would be taken, before the body is looked at", async () => {
    const posted = await app.post("/", sending("text/plain", "longer than the limit"));

    assert.equal(posted.status, 415);
    assert.equal(posted.headers["accept-post"], "image/*, application/json");
    assert.equal(posted.problem.code, "CONTENT_TYPE_REFUSED");
    assert.deepEqual((posted.json as { accepted: unknown }).accepted, ["image/*", "application/json"]);
    const patched = await app.patch("/", sending("text/plain"));
    assert.deepEqual([patched.status, patched.headers["accept-patch"]], [415, "image/*, application/json"]);
  });

  test("refuses a body in pieces too, whose length nobody says", async () => {
    const refused = await app.post("/", { body: ["a", "b"], headers: { "content-type": "text/plain" } });

    assert.equal(refused.status, 415);
  });
});
