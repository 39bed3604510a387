import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import type { RunningServer } from "framework";
import { TestApp } from "framework/http";
import { AlertRefused, WebhookAlertHook } from "framework/inspector";

import { shownAlert } from "../../native-tests/support/shown-alert.js";
import { hooks, rules } from "./hooks.js";
import { receiver } from "./receiver.js";

const SECRET = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const delivery = { id: "d1", signal: new AbortController().signal };

describe("the receiver of alerts", () => {
  const told: unknown[] = [];
  let server: RunningServer;
  before(async () => {
    server = await receiver(SECRET, (alert) => told.push(alert))
      .bind("127.0.0.1:0")
      .run();
  });
  after(() => server.close());
  const to = (secret: string, wallClock = Date.now) =>
    new WebhookAlertHook(`${server.url}/alerts`, { secret, wallClock });

  test("is told of each delivery once", async () => {
    const hook = to(SECRET);
    await hook.deliver(shownAlert(), delivery);
    await hook.deliver(shownAlert(), delivery);
    await hook.deliver(shownAlert({ state: "resolved" }), { ...delivery, id: "d2" });

    assert.deepEqual(
      told.map((alert) => (alert as { type: string }).type),
      ["alert.active", "alert.resolved"],
    );
  });

  test("believes nobody else, and nothing that is old", async () => {
    const stranger = to(`whsec_${Buffer.alloc(32, 6).toString("base64")}`);
    const late = to(SECRET, () => Date.now() - 301_000);

    await assert.rejects(stranger.deliver(shownAlert(), delivery), AlertRefused);
    await assert.rejects(late.deliver(shownAlert(), delivery), AlertRefused);
  });

  test("asks for all headers, and for a signature of its form", async () => {
    const app = new TestApp(receiver(SECRET, () => assert.fail("it was told")));
    const headers = { "webhook-id": "d", "webhook-timestamp": "x", "webhook-signature": "v1,AAAA" };

    assert.equal((await app.post("/alerts", { body: "{}" })).status, 400);
    assert.equal((await app.post("/alerts", { body: "{}", headers })).problem.code, "SIGNATURE_INVALID");
  });
});

describe("the hooks and rules", () => {
  test("are ones that work", () => {
    const log = new Proxy({}, { get: () => () => {} });

    assert.equal(hooks(log as never, "https://hooks.example/alerts", SECRET).length, 2);
    assert.equal(rules.length, 2);
  });
});
