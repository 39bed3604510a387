import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { countdown } from "./countdown.js";
import { harbour } from "./levels.js";

describe("the water levels", () => {
  test("are told to whoever listens, and how they are to whoever comes later", async () => {
    const { ingress, measured } = harbour();
    await using app = new TestApp(ingress);
    measured({ pier: "North", cm: 210 });
    const all = await app.sse("/levels");
    const south = await app.sse("/levels?pier=South");

    measured({ pier: "South", cm: 180 });

    assert.equal((await all.next())?.data, '{"pier":"North","cm":210}');
    assert.equal((await all.next())?.data, '{"pier":"South","cm":180}');
    assert.equal((await south.next())?.data, '{"pier":"South","cm":180}');
  });

  test("that a page has missed are told when it comes back", async () => {
    const { ingress, measured } = harbour();
    await using app = new TestApp(ingress);
    const page = await app.sse("/levels");
    await page.close();
    measured({ pier: "North", cm: 211 });

    const back = await app.sse("/levels", { headers: { "last-event-id": page.lastEventId } });

    assert.equal((await back.next())?.data, '{"pier":"North","cm":211}');
  });
});

describe("the countdown", () => {
  test("is each client's own, goes on where it was cut, and is over when it is", async () => {
    await using app = new TestApp(countdown(1));
    const seconds: string[] = [];
    for await (const { data } of await app.sse("/countdown?from=2")) seconds.push(data);
    const cut = await app.sse("/countdown?from=600", { headers: { "last-event-id": "500" } });

    assert.deepEqual(seconds, ["2", "1", "0"]);
    assert.equal((await cut.next())?.data, "499");
    assert.equal((await app.get("/countdown?from=2", { headers: { "last-event-id": "0" } })).status, 204);
    assert.equal((await app.get("/countdown?from=0")).status, 422);
  });
});
