import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { IamError, type IamVerifier } from "framework";
import { TestApp } from "framework/http";

import { tides } from "./tides.js";

const staff: IamVerifier = {
  description: "the staff's cookies",
  verify: (token) =>
    token === "good"
      ? { subject: "ada", roles: ["staff"], claims: {} }
      : IamError.invalidToken("Not of the staff"),
};

describe("the documented tides", () => {
  test("show their document to every client", async () => {
    await using app = new TestApp(tides(staff));
    const { paths } = (await app.get("/openapi.json")).json as { readonly paths: object };

    assert.deepEqual(Object.keys(paths), ["/harbours/{harbour}/tides"]);
  });

  test("show their page to browsers with the cookie of the staff", async () => {
    await using app = new TestApp(tides(staff));

    assert.equal((await app.get("/docs")).status, 401);
    const { status, headers } = await app.get("/docs", { headers: { cookie: "access=good" } });
    assert.deepEqual([status, headers["content-type"]], [200, "text/html; charset=utf-8"]);
  });
});
