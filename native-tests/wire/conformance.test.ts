// The target of wire suites and load tools: examples/conformance, whose routes are fixed.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { type ServerProcess, startServer } from "../support/server-process.js";

const ORIGIN = "https://app.example";

describe("the conformance target", () => {
  let server: ServerProcess;
  before(async () => {
    server = await startServer("../../examples/conformance/main.ts", { CONFORMANCE_PORT: "0" });
  });
  after(() => server.stop());

  const ask = (target: string, init: RequestInit = {}) => fetch(`http://${server.address}${target}`, init);
  const posted = (body: string | FormData, type?: string): RequestInit => ({
    method: "POST",
    body,
    ...(type !== undefined && { headers: { "content-type": type } }),
  });

  test("answers each of its routes as it was fixed", async () => {
    const json = "application/json";
    const form = new FormData();
    form.append("file", new Blob(["1234"]), "a.txt");
    for (const [target, init, status, type, text] of [
      ["/", {}, 200, /^text\/plain/, "hello"],
      ["/echo", posted("\x00bytes"), 200, /^application\/octet-stream$/, "\x00bytes"],
      ["/user/a%20b", {}, 200, /json/, '{"id":"a b"}'],
      [
        "/json",
        posted('{"id":"a","qty":2,"tags":["t"]}', json),
        200,
        /json/,
        '{"id":"a","qty":2,"tags":["t"]}',
      ],
      ["/json", posted('{"id":"a","qty":0}', json), 422, /problem/, undefined],
      ["/slow?ms=1", posted(""), 200, /json/, '{"ms":1}'],
      ["/slow?ms=5001", posted(""), 422, /problem/, undefined],
      ["/boom", {}, 500, /problem/, undefined],
      ["/fault", {}, 409, /problem/, undefined],
      ["/upload", posted(form), 200, /json/, undefined],
      ["/cookie", { headers: { cookie: "a=b" } }, 200, /json/, '{"a":"b"}'],
      ["/reflect?name=x", {}, 200, /text/, "reflected"],
      ["/reflect?name=x%0d%0ay:z", {}, 400, /problem/, undefined],
      ["/health", {}, 200, /json/, undefined],
      ["/ready", {}, 200, /json/, undefined],
      ["/live", {}, 200, /json/, '{"status":"ok","probe":"liveness"}'],
      ["/nowhere", {}, 404, /problem/, undefined],
    ] as const) {
      const answer = await ask(target, init);
      const told = await answer.text();

      assert.equal(answer.status, status, `${target}: ${told}`);
      assert.match(answer.headers.get("content-type") ?? "", type, target);
      if (text !== undefined) assert.equal(told, text, target);
    }
    const big = await (await ask("/big")).arrayBuffer();
    assert.equal(big.byteLength, 8 * 1024 * 1024);
    const { ip } = (await (await ask("/whoami")).json()) as { ip: string };
    assert.equal(ip, "127.0.0.1");
  });

  test("lets the pages of one origin in, with cookies, and guards every answer", async () => {
    for (const [target, init] of [
      ["/", {}],
      ["/echo", posted("x")],
      ["/nowhere", {}],
    ] as const) {
      const { headers } = await ask(target, { ...init, headers: { origin: ORIGIN } });

      assert.equal(headers.get("access-control-allow-origin"), ORIGIN, target);
      assert.equal(headers.get("access-control-allow-credentials"), "true", target);
      assert.match(headers.get("vary") ?? "", /origin/i, target);
      assert.equal(headers.get("x-content-type-options"), "nosniff", target);
      assert.ok(headers.has("content-security-policy"), target);
    }
    const preflight = await ask("/echo", {
      method: "OPTIONS",
      headers: {
        origin: ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /GET.*POST/);
    assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /content-type.*authorization/i);
    assert.equal((await ask("/", { headers: { origin: "https://app.example.evil" } })).status, 403);
  });

  test("admits ten requests of a client at once, by its key", async () => {
    const asking = (key: string) => ask("/limited", { headers: { "x-api-key": key } });
    // More than can be refilled meanwhile, one in 200 ms: at least one is refused.
    const answers = await Promise.all(Array.from({ length: 200 }, () => asking("alice")));
    const [refused] = answers.filter(({ status }) => status === 429);

    assert.ok(answers.filter(({ status }) => status === 200).length >= 10);
    assert.ok(Number(refused?.headers.get("retry-after")) >= 1);
    assert.ok(refused?.headers.has("ratelimit"));
    assert.equal((await asking("bob")).status, 200);
    assert.equal((await ask("/limited")).status, 200);
  });
});
