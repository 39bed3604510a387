import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework } from "framework";
import { TestApp } from "framework/http";
import { RedirectGuard, SecurityHeadersGuard } from "framework/std";

const trusted = { trustedProxies: ["127.0.0.1"], reporter: () => assert.fail("nothing is wrong") };
let ran = 0;
const hello = Axon.start("hello").thenFn("greet", () => {
  ran += 1;
  return "hello";
});

describe("a RedirectGuard of an ingress", () => {
  const app = new TestApp(
    Framework.http(trusted)
      .guard(new SecurityHeadersGuard())
      .guard(RedirectGuard.toHttps({ hosts: ["a.example"] }))
      .get("/v2/*rest", hello),
  );
  const over = (scheme: string, host = "a.example") => ({ headers: { "x-forwarded-proto": scheme, host } });

  test("sends a client to https before anything else is done, its target to the letter", async () => {
    ran = 0;
    const answer = await app.get("/v2/a%2Fb//?q=%20+&q", over("http", "evil.example"));

    assert.equal(answer.status, 301);
    assert.equal(answer.headers["location"], "https://a.example/v2/a%2Fb//?q=%20+&q");
    assert.equal(answer.text, "");
    assert.equal(answer.headers["x-frame-options"], "DENY");
    assert.equal(answer.headers["strict-transport-security"], undefined);
    assert.equal(ran, 0);
  });

  test("sends from paths that nothing serves, too", async () => {
    assert.equal((await app.get("/nowhere", over("http"))).headers["location"], "https://a.example/nowhere");
    assert.equal((await app.get("/nowhere", over("https"))).status, 404);
  });
});
