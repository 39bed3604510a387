// Behind HAProxy, whose connections to the server many clients share: what one of
// them sends must never become part of another's.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { findProgram, skipWithout } from "../../support/debian-program.js";
import { until } from "../../support/patience.js";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { TricklingUpload } from "../../support/trickling-upload.js";
import { get, post, talk } from "../../support/wire.js";

// Connections to the server that nobody uses are closed before the engine does it, after 8 s.
const config = (port: number, server: string) => `
defaults
  mode http
  timeout connect 2s
  timeout client 10s
  timeout server 15s
  timeout http-keep-alive 9s
  option http-keep-alive
  http-reuse always
frontend in
  bind 127.0.0.1:${port}
  default_backend out
backend out
  server one ${server} pool-max-conn 1 pool-purge-delay 2s maxconn 1
`;

/** The client's side ends with the answer; the proxy's connection to the server does not. */
const ONCE = ["Connection: close"];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("behind HAProxy", { skip: skipWithout("haproxy") }, () => {
  let server: ServerProcess;
  let proxy: ChildProcess;
  let address: string;
  const folder = mkdtempSync(join(tmpdir(), "framework-"));

  before(async () => {
    server = await startIngress("wire-ingress.ts", { discardTimeoutMs: 9000 });
    const port = await freePort();
    address = `127.0.0.1:${port}`;
    writeFileSync(join(folder, "haproxy.cfg"), config(port, server.address));
    proxy = spawn(findProgram("haproxy") as string, ["-db", "-f", join(folder, "haproxy.cfg")], {
      stdio: "ignore",
    });
    await until("HAProxy has begun", async () => {
      const { replies } = await talk(address, get("/"), { until: 1, waitMs: 5000 });
      return replies[0]?.status === 200;
    });
  });
  after(async () => {
    proxy?.kill();
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  const ran = async (): Promise<readonly string[]> => {
    const { replies } = await talk(server.address, get("/facts"), { until: 1 });
    return (JSON.parse(replies[0]?.body ?? "{}") as { ran: string[] }).ran;
  };

  test("requests of many clients share its connection", async () => {
    for (let i = 0; i < 20; i += 1) {
      const { replies } = await talk(address, get(`/mark/${i}`, ...ONCE), { waitMs: 30_000 });

      assert.deepEqual(
        replies.map(({ status }) => status),
        [200],
      );
    }
    assert.equal((await ran()).length, 20);
  });

  test("bodies arrive whole, with a length and in chunks", async () => {
    for (let i = 0; i < 5; i += 1) {
      const sized = await talk(address, post("/echo", "hello", "Content-Length: 5", ...ONCE), {
        waitMs: 30_000,
      });
      const chunked = await talk(
        address,
        post("/echo", "5\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked", ...ONCE),
        { waitMs: 30_000 },
      );

      assert.deepEqual(
        [sized, chunked].map(({ replies }) => replies[0]?.body),
        ["hello", "hello"],
      );
    }
  });

  test("answers to bodies that are not read leave when their runs are over", async () => {
    const late = new TricklingUpload(server.address, "/discard");
    for (const [method, target] of [
      ["GET", "/later"],
      ["POST", "/discard"],
      ["GET", "/nothing"],
    ] as const)
      for (const [framing, body] of [
        ["Content-Length: 2", "{}"],
        ["Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n"],
      ]) {
        const sent = `${method} ${target} HTTP/1.1\r\nHost: a\r\n${framing}\r\n${ONCE}\r\n\r\n${body}`;
        const { replies } = await talk(address, sent, { waitMs: 30_000 });

        assert.equal(replies[0]?.status, target === "/nothing" ? 204 : 200);
      }
    assert.ok(!late.isAnswered);
    late.end();
  });

  test("an upload that is refused before it is whole is answered as the server answers it", async () => {
    const body = "x".repeat(3_000_000);
    for (let i = 0; i < 8; i += 1) {
      const sent = post("/nowhere", body, `Content-Length: ${body.length}`, ...ONCE);
      const { replies } = await talk(address, sent, { waitMs: 30_000 });

      assert.equal(replies[0]?.status, 404);
    }
  });

  test("what one client hides in its request is never run, nor answered to another", async () => {
    const hidden = get("/mark/hidden");
    const attacks = [
      post(
        "/echo",
        `0\r\n\r\n${hidden}`,
        `Content-Length: ${hidden.length + 5}`,
        "Transfer-Encoding: chunked",
      ),
      post(
        "/echo",
        `0\r\n\r\n${hidden}`,
        "Transfer-Encoding: chunked",
        `Content-Length: ${hidden.length + 5}`,
      ),
      post(
        "/echo",
        `0\r\n\r\n${hidden}`,
        `Content-Length: ${hidden.length + 5}`,
        "Transfer-Encoding: xchunked",
      ),
      post("/echo", `5;a=b\r\nhello\r\n0\r\n\r\n${hidden}`, "Transfer-Encoding: chunked"),
      post("/echo", `5\r\nhello\r\n0\r\nX: y\r\n\r\n`, "Transfer-Encoding: chunked"),
      post("/echo", hidden, "Content-Length: 0", `Content-Length: ${hidden.length}`),
      get("/", `X: y\r\n\r\n${hidden}`),
    ];
    for (const attack of attacks) {
      await talk(address, attack, { waitMs: 300 });
      const victim = await talk(address, get("/", ...ONCE), { waitMs: 30_000 });

      assert.equal(victim.replies[0]?.body, "hello", attack);
    }
    // Behind a whole chunked body and behind a GET it was an honest second request.
    const found: string[] = [];
    await until("both are run", async () => found.push(...(await ran())) >= 2);
    assert.deepEqual(found, ["hidden", "hidden"]);
  });
});
