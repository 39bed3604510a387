import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, HttpClient, isFault, UpstreamError } from "framework";
import { TestApp } from "framework/http";
import { AxonTestKit } from "framework/runtime";

import {
  ask,
  asking,
  type Echoed,
  echo,
  echoed,
  failed,
  remote,
  serveRemote,
  TRACE,
} from "../../support/asked-service.js";

serveRemote();

describe("what a service is told", () => {
  test("is the run's request id and its place in the trace, as a part of its own", async () => {
    const { headers } = await echoed();
    const [version, trace, span, flags] = headers["traceparent"]?.split("-") ?? [];

    assert.equal(headers["x-request-id"], "id-1");
    assert.equal(headers["tracestate"], "foo=1");
    assert.deepEqual([version, trace, flags], ["00", TRACE.traceId, "01"]);
    assert.match(span ?? "", /^[0-9a-f]{16}$/);
    assert.notEqual(span, TRACE.spanId);
    assert.notEqual((await echoed()).headers["traceparent"], headers["traceparent"]);
  });

  test("is no id where it is a stranger, or where the run has none", async () => {
    remote.handle = echo;
    const { headers } = await echoed({ client: { sendsIds: false } });
    const without = await new AxonTestKit().run(asking({}), undefined);

    for (const told of [headers, (without.outcome as Echoed).headers])
      assert.deepEqual(
        Object.keys(told).filter((name) => /^trace|request-id/.test(name)),
        [],
      );
  });

  test("is nothing else of the request that is being answered", async () => {
    remote.handle = echo;
    const app = new TestApp(Framework.http().get("/", asking({})));
    const { json } = await app.get("/", {
      headers: { authorization: "Bearer secret", "x-request-id": "from-client", "x-tenant": "acme" },
      cookies: { sid: "secret" },
    });
    const { headers } = json as Echoed;

    assert.equal(headers["x-request-id"], "from-client");
    assert.ok(!JSON.stringify(json).includes("secret"));
    assert.equal(headers["x-tenant"], undefined);
  });

  test("is the program's own headers, the call's before the client's", async () => {
    const { headers } = await echoed({
      client: { headers: { authorization: "Bearer own", "x-a": "client" } },
      options: { headers: { "X-A": "call", traceparent: "forged" } },
    });

    assert.deepEqual([headers["authorization"], headers["x-a"]], ["Bearer own", "call"]);
    assert.match(headers["traceparent"] ?? "", /^00-4bf/);
  });

  test("is JSON, a query, a method and a body as they are given", async () => {
    const query = { a: "b c&d", n: 1, yes: true, none: undefined, nil: null, many: ["x", "y"] };
    const { method, url, headers, body } = await echoed({
      below: "/api",
      path: "/items/a%2Fb",
      options: { method: "PUT", json: { a: 1 }, query },
    });

    assert.deepEqual([method, body, headers["content-type"]], ["PUT", '{"a":1}', "application/json"]);
    assert.equal(url, "/api/items/a%2Fb?a=b+c%26d&n=1&yes=true&many=x&many=y");
    assert.equal((await echoed({ options: { method: "POST", body: "text" } })).body, "text");
    assert.equal((await echoed({ path: "x?a=1", options: { query: { b: 2 } } })).url, "/x?a=1&b=2");
  });
});

describe("where a call goes", () => {
  test("is below the remote.base, whatever stands in the path", async () => {
    for (const path of [
      "//evil.example/x",
      "http://evil.example/",
      ":80@evil.example",
      "?a=..",
      "a..b/.x",
      "...",
    ]) {
      const { url, headers } = await echoed({ below: "/api/", path });

      assert.ok(url.startsWith("/api/"), path);
      assert.ok(headers["host"]?.startsWith("127.0.0.1"), path);
    }
  });

  test("is nowhere where the path climbs or is not encoded", async () => {
    for (const path of [
      "..",
      "../x",
      "a/../../x",
      "a/.",
      "%2e%2E/x",
      ".%2e",
      "a\\..\\x",
      ".\t./x",
      "a b",
      "é",
      "a#b",
      "..?x",
    ]) {
      const outcome = await ask({ below: "/api", path });

      assert.ok(isFault(outcome) && !(outcome.error instanceof UpstreamError), path);
      assert.match(String((outcome.error as { cause: Error }).cause), /is no path below/);
    }
  });

  test("is not where a redirect points", async () => {
    let asked = 0;
    remote.handle = (_, response) => {
      asked += 1;
      response.writeHead(307, { location: "/elsewhere" }).end();
    };
    const error = await failed();

    assert.deepEqual([error.code, error.status, asked], ["UPSTREAM_REFUSED", 307, 1]);
  });

  test("must be a remote.base that is one", () => {
    for (const bad of [
      "",
      "stock",
      "ftp://a/",
      "http://user:secret@a/",
      "http://a/?token=secret",
      "http://a/#x",
    ])
      assert.throws(
        () => new HttpClient(bad),
        (error: Error & { code?: string }) =>
          error.code === "CONFIG_INVALID" && !error.message.includes("secret"),
        bad,
      );
    for (const options of [{ timeoutMs: 0 }, { timeoutMs: 1.5 }, { timeoutMs: 2 ** 31 }, { maxBodyBytes: 0 }])
      assert.throws(() => new HttpClient("http://a", options), { code: "CONFIG_INVALID" });
  });
});

describe("a plain answer", () => {
  test("has status, headers and a body that is read on demand", async () => {
    remote.handle = (_, response) => response.writeHead(418, { "x-tea": "pot" }).end("short and stout");
    const service = new HttpClient(remote.base);
    const axon = Axon.start("ask").thenFn(
      "ask",
      async (_, bus) => {
        const response = await service.fetch(bus, "tea");
        return [response.status, response.headers.get("x-tea"), await response.text()];
      },
      { reads: HttpClient.keys },
    );
    const app = new TestApp(Framework.http().get("/", axon));

    assert.deepEqual((await app.get("/")).json, [418, "pot", "short and stout"]);
  });
});
