import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework } from "framework";
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
      .guard(RedirectGuard.toHttps({ hosts: ["a.example"], except: ["/health"] }))
      .guard(RedirectGuard.toHost("a.example"))
      .guard(RedirectGuard.prefix("/v1", "/v2"))
      .get("/v2/*rest", hello)
      .post("/upload", Axon.start<Uint8Array>("upload"), { input: bytes(), bodyLimit: 4 })
      .get("/health", hello),
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

  test("keeps the method of what is not GET or HEAD, and reads no body", async () => {
    const answer = await app.post("/upload", { ...over("http"), body: "longer than the limit" });

    assert.deepEqual([answer.status, answer.headers["location"]], [308, "https://a.example/upload"]);
    assert.equal((await app.head("/v2/", over("http"))).status, 301);
  });

  test("sends to the one host, then to the new path, and then serves", async () => {
    const host = await app.get("/v1/a?b", over("https", "www.a.example"));
    const path = await app.get("/v1/a?b", over("https"));
    const last = await app.get("/v2/a?b", over("https"));

    assert.equal(host.headers["location"], "https://a.example/v1/a?b");
    assert.equal(path.headers["location"], "/v2/a?b");
    assert.deepEqual([last.status, last.text], [200, "hello"]);
  });

  test("sends from paths that nothing serves, too", async () => {
    assert.equal((await app.get("/nowhere", over("http"))).headers["location"], "https://a.example/nowhere");
    assert.equal((await app.get("/nowhere", over("https"))).status, 404);
  });

  test("leaves alone what is excepted", async () => {
    assert.equal((await app.get("/health", over("http"))).status, 200);
  });
});
