import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework, json } from "framework";
import { TestApp } from "framework/http";
import { CsrfGuard } from "framework/std";
import { EVIL, hello, Item, item, OWN } from "../../support/shared-origins.js";

describe("a CsrfGuard of the ingress", () => {
  const app = new TestApp(
    Framework.http()
      .guard(new CsrfGuard())
      .get("/", hello)
      .post("/", item, { input: json(Item) }),
  );
  const send = async (headers: Readonly<Record<string, string>>) =>
    (await app.post("/", { json: { id: "7" }, headers })).status;

  test("lets in one's own pages and programs, and no other site's", async () => {
    assert.equal(await send({ "sec-fetch-site": "same-origin", cookie: "sid=1" }), 200);
    assert.equal(await send({ origin: OWN, cookie: "sid=1" }), 200);
    assert.equal(await send({}), 200);
    assert.equal(await send({ "sec-fetch-site": "cross-site", origin: EVIL, cookie: "sid=1" }), 403);
    assert.equal(await send({ origin: EVIL }), 403);
    assert.equal(await send({ cookie: "sid=1" }), 403);
    assert.equal((await app.get("/", { headers: { "sec-fetch-site": "cross-site" } })).status, 200);
    assert.equal((await app.post("/nowhere", { headers: { origin: EVIL } })).problem.code, "CSRF_REFUSED");
  });
});
