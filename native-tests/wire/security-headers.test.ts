import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { SecurityPolicy } from "framework/std";
import { ingress } from "../support/headers-ingress.js";
import { served } from "../support/served.js";
import { get, post, talk } from "../support/wire.js";

const { "strict-transport-security": hsts, ...always } = SecurityPolicy.default().headers;

describe("guards of headers on the wire", () => {
  const server = served(ingress);

  const nonceOf = (csp = "") => /script-src 'self' 'nonce-([\w-]{24})'/.exec(csp)?.[1];

  test("put each security header once on what the gate refuses, and on the body that is too large", async () => {
    for (const [status, request] of [
      [501, "BREW / HTTP/1.1\r\nHost: a\r\n\r\n"],
      [400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"],
      [400, post("/bytes", "", "Content-Length: 1", "Content-Length: 2")],
      [414, get(`/${"a".repeat(9000)}`)],
      [417, get("/", "Expect: tea")],
      [413, post("/bytes", "12345", "Content-Length: 5")],
      [404, get("/nowhere")],
    ] as const) {
      const { raw, replies } = await talk(server.address, request, { until: 1, waitMs: 30_000 });

      assert.equal(replies[0]?.status, status);
      const head = raw.slice(0, raw.indexOf("\r\n\r\n")).toLowerCase();
      for (const name of Object.keys(always)) {
        assert.equal(head.split(`\r\n${name}: `).length, 2, `${name} of ${status}`);
        if (name !== "content-security-policy") assert.equal(replies[0].headers[name], always[name]);
      }
      assert.ok(!head.includes("strict-transport-security"));
    }
  });

  test("make a nonce for each of the requests of one connection, and send it with its own page", async () => {
    const { replies } = await talk(server.address, get("/page").repeat(40), { until: 40, waitMs: 30_000 });

    assert.equal(replies.length, 40);
    for (const { headers, body } of replies) assert.equal(nonceOf(headers["content-security-policy"]), body);
    assert.equal(new Set(replies.map(({ body }) => body)).size, 40);
  });

  test("send HSTS where the proxy says https, request by request", async () => {
    const secure = "X-Forwarded-Proto: https";
    const requests = get("/page", secure) + get("/page") + get("/nowhere", secure) + get("/nowhere");
    const { replies } = await talk(server.address, requests, { until: 4, waitMs: 30_000 });

    assert.deepEqual(
      replies.map(({ headers }) => headers["strict-transport-security"]),
      [hsts, undefined, hsts, undefined],
    );
  });

  test("send nobody to a host of the client's choice", async () => {
    const target = (path: string, ...lines: string[]) =>
      `GET ${path} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
    for (const [request, location] of [
      [target("/secure/x", "Host: evil.example"), "https://a.example/secure/x"],
      [target("/secure/x", "Host: b.example:80"), "https://b.example/secure/x"],
      [
        target("/secure/x", "Host: b.example", "X-Forwarded-Host: evil.example"),
        "https://b.example/secure/x",
      ],
      [
        target("/secure//evil.example/%2e%2e?//evil.example", "Host: B.EXAMPLE"),
        "https://b.example/secure//evil.example/%2e%2e?//evil.example",
      ],
      [
        target("/secure/%0d%0aset-cookie:a=b?%0d%0a", "Host: a.example"),
        "https://a.example/secure/%0d%0aset-cookie:a=b?%0d%0a",
      ],
      [target("/old/a?b", "Host: evil.example"), "/a?b"],
    ] as const) {
      const { replies } = await talk(server.address, request, { until: 1, waitMs: 30_000 });

      assert.equal(replies[0]?.status, 301, request);
      assert.equal(replies[0].headers["location"], location);
      assert.equal(replies[0].headers["set-cookie"], undefined);
    }
    for (const path of ["/old//evil.example", "/old/\\evil.example", "/old///evil.example"]) {
      const { replies } = await talk(server.address, target(path, "Host: a.example"), {
        until: 1,
        waitMs: 30_000,
      });

      assert.equal(replies[0]?.headers["location"], undefined, path);
    }
  });

  test("keep a connection whole behind a redirect of a request with a body", async () => {
    const { replies } = await talk(
      server.address,
      ["GET /secure/a HTTP/1.1\r\nHost: a.example\r\nContent-Length: 4\r\n\r\n", `body${get("/page")}`],
      { until: 2, waitMs: 30_000 },
    );

    assert.deepEqual(
      replies.map(({ status }) => status),
      [301, 200],
    );
  });
});
