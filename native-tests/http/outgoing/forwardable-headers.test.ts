// Headers of another message that a program passes on, and those of a service's response.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import { Axon, HttpClient } from "framework";
import { AxonTestKit } from "framework/runtime";

import { type Echoed, echo, echoed, remote, serveRemote } from "../../support/asked-service.js";

serveRemote();

/** Headers and text of what `fetch` resolves to. */
async function fetched(method = "GET") {
  const client = new HttpClient(remote.base);
  const axon = Axon.start("ask").thenFn(
    "ask",
    async (_, bus) => {
      const response = await client.fetch(bus, "x", { method });
      return { headers: Object.fromEntries(response.headers), text: await response.text() };
    },
    { mayRead: HttpClient.keys },
  );
  const { outcome } = await new AxonTestKit().run(axon, undefined);
  return outcome as { headers: Record<string, string>; text: string };
}

describe("headers of a connection or of a body's framing", () => {
  const forwarded: readonly Record<string, string>[] = [
    { "content-length": "3" },
    { "Content-Length": "300" },
    { te: "trailers" },
    { expect: "100-continue" },
    { connection: "x-hop, keep-alive", "x-hop": "1" },
    { connection: "(, ,", "x-hop": "1" },
    { "keep-alive": "timeout=5" },
    { "transfer-encoding": "chunked" },
    { upgrade: "websocket" },
    { trailer: "x-sum" },
    { "proxy-connection": "keep-alive" },
  ];

  test("are not sent, of the call or of the client, and the call succeeds", async () => {
    remote.handle = echo;
    for (const headers of forwarded)
      for (const from of ["options", "client"]) {
        const kept = { ...headers, "x-kept": "yes" };
        const body = { method: "POST", body: "hello" };
        const asked =
          from === "options"
            ? { options: { ...body, headers: kept } }
            : { options: body, client: { headers: kept } };
        const { headers: sent, body: received } = (await echoed(asked)) as Echoed;

        const what = `${JSON.stringify(headers)} of the ${from}`;
        assert.deepEqual([received, sent["content-length"], sent["x-kept"]], ["hello", "5", "yes"], what);
        const present = ["te", "expect", "keep-alive", "transfer-encoding", "upgrade", "trailer"];
        assert.deepEqual(
          [...present, "proxy-connection"].filter((name) => sent[name] !== undefined),
          [],
          what,
        );
        if (headers["connection"]?.startsWith("x-hop")) assert.equal(sent["x-hop"], undefined, what);
      }
  });

  test("of a response are not passed on", async () => {
    remote.handle = (_, response) =>
      response
        .writeHead(200, { connection: "x-hop", "x-hop": "1", "keep-alive": "timeout=9", "x-kept": "1" })
        .end("a");
    const { headers, text } = await fetched();

    assert.deepEqual([text, headers["x-kept"]], ["a", "1"]);
    for (const name of ["connection", "x-hop", "keep-alive", "transfer-encoding"])
      assert.equal(headers[name], undefined, name);
  });
});

describe("a body that was decoded", () => {
  const text = "hello ".repeat(20);
  const codings: readonly (readonly [string, Buffer])[] = [
    ["gzip", gzipSync(text)],
    ["X-GZIP", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(text)],
    ["gzip, br", brotliCompressSync(gzipSync(text))],
  ];

  test("has no content-encoding, and not the length that it had", async () => {
    for (const [coding, body] of codings) {
      remote.handle = (_, response) =>
        response
          .writeHead(200, { "content-encoding": coding, "content-length": body.length, etag: '"1"' })
          .end(body);
      const { headers, text: received } = await fetched();

      assert.deepEqual(
        [received, headers["content-encoding"], headers["content-length"], headers["etag"]],
        [text, undefined, undefined, '"1"'],
        coding,
      );
    }
  });

  test("keeps both where nothing was decoded", async () => {
    remote.handle = (_, response) =>
      response.writeHead(200, { "content-encoding": "compress", "content-length": 5 }).end("plain");
    const { headers } = await fetched();
    assert.deepEqual([headers["content-encoding"], headers["content-length"]], ["compress", "5"]);

    remote.handle = (_, response) =>
      response.writeHead(200, { "content-encoding": "gzip", "content-length": 700 }).end();
    const { headers: ofHead, text: none } = await fetched("HEAD");
    assert.deepEqual([ofHead["content-encoding"], ofHead["content-length"], none], ["gzip", "700", ""]);
  });
});
