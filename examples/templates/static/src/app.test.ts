import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { ingress } from "./app.js";

/** Throws these numbers, one after another. */
const open = (...numbers: number[]) => new TestApp(ingress(), { Chance: () => numbers.shift() ?? 0 });

describe("the page", () => {
  test("is sent with its script and its style", async () => {
    await using app = open();
    const page = await app.get("/");

    assert.match(page.headers["content-type"] ?? "", /^text\/html/);
    for (const [, file = ""] of page.text.matchAll(/(?:src|href)="([^"]+)"/g))
      assert.equal((await app.get(`/${file}`)).status, 200, file);
  });

  test("is not all that the folder may hold: hidden files are not served", async () => {
    await using app = open();

    assert.equal((await app.get("/.gitignore")).problem.code, "NOT_FOUND");
  });
});

describe("the API", () => {
  test("throws two dice, or as many as the query says", async () => {
    await using app = open(0, 0.99, 0.5, 0.5, 0.5);

    assert.deepEqual((await app.get("/api/throw")).json, { dice: [1, 6], sum: 7 });
    assert.deepEqual((await app.get("/api/throw", { query: { dice: "3" } })).json, {
      dice: [4, 4, 4],
      sum: 12,
    });
  });

  test("refuses more dice than a hand can hold", async () => {
    await using app = open();

    assert.equal((await app.get("/api/throw", { query: { dice: "11" } })).status, 422);
  });
});
