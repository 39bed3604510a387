// Connections that the engine ends by itself, after about ten seconds.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";

import { Axon, Framework } from "framework";

import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";
import { until } from "../../support/patience.js";
import { proxyHeader } from "../../support/proxy-header.js";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { portOf, shownNow } from "../../support/tls-client.js";
import { get, post, talk } from "../../support/wire.js";

describe("where the engine waits", { concurrency: true }, () => {
  describe("framing", { concurrency: true }, () => {
    let server: ServerProcess;
    before(async () => {
      server = await startIngress("wire-ingress.ts");
    });
    after(() => server.end());

    const chunked = (body: string) => post("/echo", body, "Transfer-Encoding: chunked");
    const ranBehind = async (): Promise<readonly string[]> => {
      const { replies } = await talk(server.address, get("/facts"), { until: 1 });
      return (JSON.parse(replies[0]?.body ?? "{}") as { ran: string[] }).ran;
    };

    test("a chunk with an extension gets one answer or none, and nothing behind it runs", async () => {
      const body = chunked("5;a=b\r\nhello\r\n0\r\n\r\n");
      const together = await talk(server.address, body + get("/mark/same-segment"));
      const apart = await talk(server.address, [body, get("/mark/later-segment")]);

      for (const { replies, raw } of [together, apart]) assert.ok(replies.length <= 1, raw);
      assert.deepEqual(await ranBehind(), []);
      assert.ok(server.alive());
    });

    test("a chunked body with a large answer ends the connection too", async () => {
      const large = "x".repeat(200_000);
      const { replies, raw } = await talk(
        server.address,
        [chunked(`${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`), get("/mark/later-segment")],
        { pauseMs: 300, waitMs: 30_000 },
      );

      assert.deepEqual(
        replies.map(({ status, body, headers }) => [status, body.length, headers["connection"]]),
        [[200, large.length, "close"]],
        raw.slice(0, 200),
      );
      assert.deepEqual(await ranBehind(), []);
    });
  });

  test("a connection is idle, too, where the body of its request ends behind the answer", async () => {
    const server = await startIngress("input-ingress.ts");
    const { replies, end } = await talk(server.address, [post("/half", "x", "Content-Length: 4"), "xxx"], {
      after: [0, 1],
      waitMs: 30_000,
    });
    await server.end();

    assert.deepEqual([replies.map(({ status }) => status), end], [[200], "closed"]);
  });

  test("a bare CR in a header is answered by nothing: the engine waits for the rest of the head", async () => {
    const server = await startIngress("cors-ingress.ts");
    const origin = "https://friend.example\rx-injected: 1";
    const { raw, end } = await talk(server.address, get("/", `Origin: ${origin}`), { until: 1 });
    await server.end();

    assert.deepEqual([raw, end], ["", "closed"]);
  });

  describe("the PROXY protocol", () => {
    let server: ServerProcess;
    before(async () => {
      const options = { trustedProxies: ["127.0.0.1"], proxyProtocol: "v2" };
      server = await startIngress("limits-ingress.ts", options);
    });
    after(() => server.end());

    const WHOAMI = get("/whoami");

    test("cannot be spoken by a client behind the proxy, who could name another address", async () => {
      const lie = proxyHeader("203.0.113.9") + WHOAMI;

      for (const pieces of [
        [proxyHeader("198.51.100.7") + WHOAMI, lie],
        [proxyHeader("198.51.100.7") + WHOAMI + lie],
        [proxyHeader("198.51.100.7"), lie],
        [proxyHeader("198.51.100.7") + lie],
        [proxyHeader("198.51.100.7") + post("/echo", lie, "Content-Length: 0")],
      ]) {
        const { raw } = await talk(server.address, pieces, { pauseMs: 60 });
        assert.ok(!raw.includes("203.0.113.9"), raw);
      }
    });
  });

  test("half a handshake counts as a connection, and is ended after a while", async () => {
    const folder = certificateFolder();
    const { cert, key } = folder.pair(localCertificate({ key: "rsa2048" }).own, "counted");
    const server = await Framework.http({ processGuards: false, reporter: () => {}, maxConnections: 10 })
      .bind("127.0.0.1:0")
      .drainIdle(0)
      .tls(cert, key)
      .get(
        "/",
        Axon.start("hello").thenFn("hello", () => "hello"),
      )
      .run();
    const halves = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const socket = connect(portOf(server), "127.0.0.1");
        await once(socket, "connect");
        return socket;
      }),
    );
    const refused = (): Promise<boolean> =>
      shownNow(server).then(
        () => false,
        () => true,
      );
    // The server learns of a connection a little later than its client.
    await until("a newcomer is refused", refused);

    await Promise.all(halves.map((socket) => once(socket.resume(), "close")));
    await until("a newcomer is served", async () => !(await refused()));
    await server.close();
  });
});
