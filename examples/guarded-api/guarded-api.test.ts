import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { FrameworkConfig } from "framework";
import { TestApp } from "framework/http";

import { type ApiOptions, guardedApi } from "./api.js";
import { gaugePage } from "./page.js";

const pageOrigin = "https://gauge.example";
const host = "api.example";

/** Writes no access log. */
const silent = FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } });

/** An API of its own, whose clock stands still unless the test moves it. */
function open(options: Partial<ApiOptions> = {}) {
  const clock = { ms: 0 };
  const gauge = { cm: 212 };
  const api = guardedApi({ pageOrigin, now: () => clock.ms, ...options }).config(silent);
  const app = new TestApp(api, { Gauge: gauge });
  return { app, clock, gauge };
}

describe("the guarded API", () => {
  test("tells pages of one origin, and programs, and no other pages", async () => {
    const { app } = open();
    const from = (origin: string) => app.get("/level", { headers: { host, origin } });
    const allowed = await from(pageOrigin);

    assert.deepEqual(allowed.json, { cm: 212 });
    assert.equal(allowed.headers["access-control-allow-origin"], pageOrigin);
    assert.equal((await app.get("/level")).status, 200);
    for (const origin of [
      "https://gauge.example.net",
      "http://gauge.example",
      "https://gauge.example:8443",
      "null",
    ]) {
      const { problem, headers } = await from(origin);
      assert.deepEqual([problem.status, problem.code], [403, "ORIGIN_REFUSED"], origin);
      assert.equal(headers["access-control-allow-origin"], undefined);
    }
  });

  test("tells a page before it sends what it may send, without running anything", async () => {
    const { app, gauge } = open();
    const headers = {
      host,
      origin: pageOrigin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    };
    const told = await app.options("/level", { headers });

    assert.equal(told.status, 204);
    assert.equal(told.headers["access-control-allow-methods"], "GET, POST");
    assert.equal(told.headers["access-control-allow-headers"], "Content-Type");
    assert.equal(gauge.cm, 212);
  });

  test("lets a client read five times at once, and then every two seconds", async () => {
    const { app, clock } = open();
    const headers = { host, origin: pageOrigin };
    for (const left of [4, 3, 2, 1, 0])
      assert.match(
        (await app.get("/level", { headers })).headers["ratelimit"] ?? "",
        new RegExp(`r=${left};`),
      );
    const refused = await app.get("/level", { headers });

    assert.deepEqual([refused.problem.status, refused.problem.code], [429, "RATE_LIMITED"]);
    assert.equal(refused.headers["retry-after"], "2");
    assert.equal(refused.headers["access-control-allow-origin"], pageOrigin, "so that the page can read it");
    assert.match(refused.headers["access-control-expose-headers"] ?? "", /Retry-After/);
    assert.equal((await app.get("/level", { headers, peer: "192.0.2.7" })).status, 200);
    clock.ms += 2000;
    assert.equal((await app.get("/level", { headers })).status, 200);
  });

  test("takes readings from its gauges alone, as JSON and of some bytes", async () => {
    const { app, gauge } = open({ gauges: ["192.0.2.0/24"] });
    const json = { cm: 205 };

    assert.equal((await app.post("/level", { json, peer: "198.51.100.1" })).problem.code, "ADDRESS_REFUSED");
    const text = await app.post("/level", {
      body: '{"cm":205}',
      headers: { "content-type": "text/plain" },
      peer: "192.0.2.7",
    });
    assert.deepEqual([text.status, text.problem.code], [415, "CONTENT_TYPE_REFUSED"]);
    const long = await app.post("/level", { json: { cm: 205, note: "x".repeat(100) }, peer: "192.0.2.7" });
    assert.equal(long.problem.code, "BODY_TOO_LARGE");
    assert.equal(gauge.cm, 212);
    assert.equal((await app.post("/level", { json, peer: "192.0.2.7" })).status, 201);
    assert.equal(gauge.cm, 205);
  });

  test("says its security headers on every answer, and nothing to whom it blocks", async () => {
    const { app } = open({ blocked: ["203.0.113.0/24"] });
    const answers = [await app.get("/level"), await app.get("/nowhere"), await app.delete("/level")];

    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers["x-content-type-options"]]),
      [
        [200, "nosniff"],
        [404, "nosniff"],
        [405, "nosniff"],
      ],
    );
    const blocked = await app.get("/nowhere", { peer: "203.0.113.9" });
    assert.deepEqual(
      [blocked.problem.code, blocked.headers["x-content-type-options"]],
      ["ADDRESS_REFUSED", "nosniff"],
    );
  });

  test("draws its guards in front of each route", () => {
    const routes = guardedApi({ pageOrigin }).routes();

    assert.deepEqual(
      routes.map(({ method, guards }) => [method, guards]),
      [
        ["GET", ["AccessLogGuard", "SecurityHeadersGuard", "CorsGuard", "IpFilterGuard", "readings"]],
        [
          "POST",
          [
            "AccessLogGuard",
            "SecurityHeadersGuard",
            "CorsGuard",
            "IpFilterGuard",
            "IpFilterGuard",
            "ContentTypeGuard",
            "BodyLimitGuard",
          ],
        ],
      ],
    );
  });
});

test("the gauge's page runs the script and the style that carry its nonce, and asks one API", async () => {
  const app = new TestApp(gaugePage("https://api.example"));
  const { text, headers } = await app.get("/");
  const policy = headers["content-security-policy"] ?? "";
  const [, nonce = ""] = /script-src 'nonce-([\w-]+)'/.exec(policy) ?? [];

  assert.match(nonce, /^[\w-]{24}$/);
  assert.equal(text.split(`nonce="${nonce}"`).length - 1, 2);
  assert.match(policy, /connect-src https:\/\/api\.example;/);
  assert.notEqual((await app.get("/")).headers["content-security-policy"], policy);
});
