import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { openStores } from "framework";
import { TestApp } from "framework/http";

import { shop } from "./shop.js";

const own = { "sec-fetch-site": "same-origin" };

const open = (release: string) =>
  new TestApp(shop({ stores: openStores("memory:"), release }), {
    Host: { name: "a", release, stepMs: 0 },
  });

describe("the shop", () => {
  test("knows a customer until all of their sessions are ended", async () => {
    await using app = open("2");
    const [first, second] = [app.session(), app.session()];
    for (const browser of [first, second]) await browser.post("/login", { json: { name: "ann" } });
    assert.deepEqual((await second.get("/me")).json, { name: "ann" });
    await first.post("/me/logout-everywhere", { headers: own });

    assert.equal((await second.get("/me")).status, 401);
  });

  for (const [release, steps] of [
    ["1", ["reserve", "pay", "ship"]],
    ["2", ["reserve", "pay", "wrap", "ship"]],
  ] as const)
    test(`ships an order once, however often it is sent, in release ${release}`, async () => {
      await using app = open(release);
      const order = { json: { sku: "tea", pieces: 3 }, headers: { "idempotency-key": '"1"' } };
      const first = await app.post("/orders", order);
      const again = await app.post("/orders", order);

      const expected = { sku: "tea", steps: steps.map((step) => `${step} on a`) };
      assert.deepEqual([first.json, again.json], [expected, expected]);
      assert.equal(again.headers["idempotent-replayed"], "true");
    });

  test("refuses an order that is too large, or has no key", async () => {
    await using app = open("2");
    const order = { json: { sku: "tea", pieces: 901 } };
    const keyed = await app.post("/orders", { ...order, headers: { "idempotency-key": '"1"' } });

    assert.equal(keyed.problem.code, "SOLD_OUT");
    assert.equal((await app.post("/orders", order)).problem.code, "IDEMPOTENCY_KEY_INVALID");
  });

  test("sends what a member of a room says to all of its members", async () => {
    await using app = open("2");
    const [ann, ben, other] = [
      await app.ws("/room?name=tea"),
      await app.ws("/room?name=tea"),
      await app.ws("/room?name=jam"),
    ];
    ann.send({ text: "hello" });
    other.send({ text: "jam" });

    assert.deepEqual(
      [await ann.next(), await ben.next(), await other.next()].map((said) => JSON.parse(`${said}`)),
      [{ text: "hello" }, { text: "hello" }, { text: "jam" }],
    );
  });

  test("sends each level of its stock to the clients that watch", async () => {
    await using app = open("2");
    const watching = await app.sse("/levels");
    await app.post("/levels", { json: { sku: "tea", pieces: 8 } });

    assert.equal((await watching.next())?.data, '{"sku":"tea","pieces":8}');
  });
});
