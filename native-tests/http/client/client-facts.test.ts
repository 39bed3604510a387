import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  ClientIdentity,
  ClientIp,
  Framework,
  fault,
  guard,
  ProblemDetail,
  pass,
  RequestScheme,
} from "framework";
import { TestApp } from "framework/http";

const whoami = Axon.start("whoami").thenFn(
  "tell",
  (_, bus) => [bus.find(ClientIp), bus.get(ClientIdentity), bus.get(RequestScheme)],
  { reads: [ClientIdentity, RequestScheme], mayRead: [ClientIp] },
);

describe("the client as a step reads it", () => {
  const app = new TestApp(Framework.http({ trustedProxies: ["::1"] }).get("/", whoami));

  test("is the peer, or whom a trusted proxy names", async () => {
    const headers = { "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https" };

    assert.deepEqual((await app.get("/")).json, ["127.0.0.1", "127.0.0.1", "http"]);
    assert.deepEqual((await app.get("/", { peer: "2001:db8::1" })).json, [
      "2001:db8::1",
      "2001:db8::/64",
      "http",
    ]);
    assert.deepEqual((await app.get("/", { headers })).json, ["127.0.0.1", "127.0.0.1", "http"]);
    assert.deepEqual((await app.get("/", { headers, peer: "::1" })).json, [
      "198.51.100.7",
      "198.51.100.7",
      "https",
    ]);
    assert.deepEqual((await app.get("/", { peer: "" })).json, [null, "unknown", "http"]);
  });

  test("is read by guards and layers too, before what no route serves as well, and by what is provided", async () => {
    const Caller = busKey<string>()("Caller");
    const forbidden = new ProblemDetail({ status: 403, code: "FORBIDDEN", title: "Not from there" });
    const home = guard({
      name: "home",
      mayRead: [ClientIp],
      run: (input, bus) => (bus.find(ClientIp) === "198.51.100.7" ? pass(input) : fault(forbidden)),
    });
    const guarded = new TestApp(
      Framework.http({ trustedProxies: ["::1"] })
        .provide(Caller, (bus) => `from ${bus.get(ClientIdentity)}`, { reads: [ClientIdentity] })
        .guard(home)
        .get(
          "/",
          Axon.start("caller").thenFn("tell", (_, bus) => bus.get(Caller), { reads: [Caller] }),
        ),
    );
    const asked = async (target: string, hop: string) =>
      guarded.get(target, { peer: "::1", headers: { "x-forwarded-for": hop } });

    assert.equal((await asked("/", "198.51.100.7")).text, "from 198.51.100.7");
    assert.equal((await asked("/", "198.51.100.8")).status, 403);
    assert.equal((await asked("/none", "198.51.100.7")).status, 404);
    assert.equal((await asked("/none", "198.51.100.8")).status, 403);
  });

  test("is fetched only where a step declares it", async () => {
    const plain = new TestApp(
      Framework.http({ trustedProxies: ["::1"] }).get(
        "/",
        Axon.start("plain").thenFn("hello", () => "hello"),
      ),
    );

    assert.equal((await plain.get("/", { peer: "::1" })).text, "hello");
  });

  test("cannot be named by PROXY headers that nobody is trusted to send", () => {
    const ingress = Framework.http({ proxyProtocol: "v2" });

    assert.throws(() => new TestApp(ingress), { code: "CONFIG_INVALID", message: /trustedProxies is empty/ });
    new TestApp(ingress.bind("unix:/tmp/a"));
    new TestApp(Framework.http({ proxyProtocol: "v2", trustedProxies: ["::1"] }));
  });

  test("cannot be looked for in another header, nor by another protocol", () => {
    const options: any[] = [{ forwardedHeader: "X-Real-IP" }, { proxyProtocol: "v1" }];

    for (const each of options) assert.throws(() => Framework.http(each), { code: "CONFIG_INVALID" });
  });

  test("cannot be looked for by ranges that are none", () => {
    const ingress = Framework.http({ trustedProxies: ["10.0.0.0/8", "localhost"] });

    assert.throws(() => new TestApp(ingress), {
      code: "CONFIG_INVALID",
      message: /^trustedProxies: 'localhost'; use/,
    });
  });
});
