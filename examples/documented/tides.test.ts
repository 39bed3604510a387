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

    assert.deepEqual(Object.keys(paths), ["/harbours/{harbour}/tides", "/harbours/{harbour}/sightings"]);
  });

  test("take a photograph by its name, and refuse a form without it", async () => {
    await using app = new TestApp(tides(staff));
    const gauge = new File(["jpeg"], "gauge.jpg", { type: "image/jpeg" });
    const send = (multipart: Record<string, string | Blob>, harbour = "brest") =>
      app.post(`/harbours/${harbour}/sightings`, { multipart });

    const { status, json } = await send({ metres: "6.8", gauge });
    assert.deepEqual([status, json], [201, { metres: 6.8, photo_bytes: 4 }]);
    const { code, errors } = (await send({ metres: "6.8" })).problem;
    assert.deepEqual([code, errors?.map(({ pointer }) => pointer)], ["INPUT_INVALID", ["/gauge"]]);
    assert.equal((await send({ metres: "6.8", gauge }, "nowhere")).problem.code, "HARBOUR_UNKNOWN");
  });

  test("show their page to browsers with the cookie of the staff", async () => {
    await using app = new TestApp(tides(staff));

    assert.equal((await app.get("/docs")).status, 401);
    const { status, headers } = await app.get("/docs", { headers: { cookie: "access=good" } });
    assert.deepEqual([status, headers["content-type"]], [200, "text/html; charset=utf-8"]);
  });
});
