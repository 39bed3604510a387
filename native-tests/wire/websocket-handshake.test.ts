// Every way to ask for a connection of WebSocket, and what is answered (RFC 6455, section 4).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Axon, Framework, fault, guard, ProblemDetail, pass, type RunningServer } from "framework";

import { ACCEPT, type HandshakeLines, handshake, RawWebSocket } from "../support/handshake.js";
import { talk } from "../support/wire.js";

let opened = 0;

const nobody = guard({
  name: "nobody",
  run: () => fault(new ProblemDetail({ status: 403, code: "NOBODY", title: "Nobody may" })),
});
const greeting = guard({
  name: "greeting",
  responseHeaders: { always: { "x-greeting": "hello" } },
  run: (input) => pass(input),
});

const flow = {
  open: () => {
    opened += 1;
  },
  message: (message: string | Uint8Array) => message,
};

describe("a handshake of WebSocket", () => {
  let server: RunningServer;
  before(async () => {
    server = await Framework.http({ processGuards: false })
      .bind("127.0.0.1:0")
      .requestIdLayer()
      .ws("/ws", { ...flow, allowedOrigins: ["https://app.example"], protocols: ["chat.v2", "chat.v1"] })
      .ws("/large", { ...flow, maxMessageBytes: 1_048_576 })
      .ws("/greeted", { ...flow, guards: [greeting] })
      .ws("/later", { ...flow, open: async () => undefined })
      .ws("/admin/:room", { ...flow, guards: [nobody] })
      .get(
        "/plain",
        Axon.start("plain").thenFn("answer", () => "plain"),
      )
      .run();
  });
  after(() => server.close());

  /** Status and headers in lower case; the body is read past. */
  async function ask(request: string) {
    const { replies } = await talk(server.address, request, { until: 1 });
    const [reply] = replies;
    assert.ok(reply !== undefined, "it was answered");
    return { ...reply, problem: reply.body === "" ? undefined : JSON.parse(reply.body) };
  }

  async function upgraded(target: string, lines: HandshakeLines = {}): Promise<string> {
    const socket = new RawWebSocket(server.address, handshake(target, lines));
    const head = await socket.answered();
    socket.end();
    return head;
  }

  test("is answered 101 with the key's answer", async () => {
    const head = await upgraded("/ws");

    assert.match(head, /^HTTP\/1\.1 101 Switching Protocols\r\n/);
    assert.ok(head.includes(`Sec-WebSocket-Accept: ${ACCEPT}`), head);
    assert.ok(!/sec-websocket-(protocol|extensions)/i.test(head), head);
  });

  for (const [name, lines] of [
    ["tokens in other cases", { Upgrade: "WebSocket", Connection: "UPGRADE" }],
    ["upgrade among other options", { Connection: "keep-alive, Upgrade" }],
    ["options in several lines", { Connection: ["keep-alive", "Upgrade"] }],
    ["websocket among other protocols", { Upgrade: "h2c, websocket" }],
    ["empty items in lists", { Connection: ",, Upgrade ,", Upgrade: "websocket," }],
    ["extensions that are not taken", { "Sec-WebSocket-Extensions": 'permessage-deflate; x="10"; y, foo' }],
    ["its own origin", { Origin: "http://127.0.0.1" }],
    ["an allowed origin", { Origin: "https://app.example" }],
  ] satisfies [string, HandshakeLines][]) {
    test(`may have ${name}`, async () => {
      assert.match(await upgraded("/ws", lines), /^HTTP\/1\.1 101 /);
    });
  }

  for (const [name, lines, status, code] of [
    ["no Upgrade", { Upgrade: undefined }, 426, "UPGRADE_REQUIRED"],
    ["another protocol in Upgrade", { Upgrade: "h2c" }, 426, "UPGRADE_REQUIRED"],
    ["a part of the word in Upgrade", { Upgrade: "websockets" }, 426, "UPGRADE_REQUIRED"],
    ["what is no list in Upgrade", { Upgrade: "websocket; q=1" }, 400, "HANDSHAKE_INVALID"],
    ["no Connection", { Connection: undefined }, 400, "HANDSHAKE_INVALID"],
    ["no upgrade in Connection", { Connection: "keep-alive" }, 400, "HANDSHAKE_INVALID"],
    ["a part of the word in Connection", { Connection: "not-upgrade" }, 400, "HANDSHAKE_INVALID"],
    ["what is no list in Connection", { Connection: "Upgrade; x" }, 400, "HANDSHAKE_INVALID"],
    ["no version", { "Sec-WebSocket-Version": undefined }, 426, "UPGRADE_REQUIRED"],
    ["version 8", { "Sec-WebSocket-Version": "8" }, 426, "UPGRADE_REQUIRED"],
    ["version 013", { "Sec-WebSocket-Version": "013" }, 426, "UPGRADE_REQUIRED"],
    ["two versions", { "Sec-WebSocket-Version": ["13", "13"] }, 426, "UPGRADE_REQUIRED"],
    ["a list of versions", { "Sec-WebSocket-Version": "13, 8" }, 426, "UPGRADE_REQUIRED"],
    ["no key", { "Sec-WebSocket-Key": undefined }, 400, "HANDSHAKE_INVALID"],
    ["an empty key", { "Sec-WebSocket-Key": "" }, 400, "HANDSHAKE_INVALID"],
    ["a short key", { "Sec-WebSocket-Key": "dGhlIHNhbXBsZQ==" }, 400, "HANDSHAKE_INVALID"],
    ["24 characters that are no base64", { "Sec-WebSocket-Key": "!".repeat(24) }, 400, "HANDSHAKE_INVALID"],
    ["24 characters of 18 bytes", { "Sec-WebSocket-Key": "A".repeat(24) }, 400, "HANDSHAKE_INVALID"],
    ["24 characters of 17 bytes", { "Sec-WebSocket-Key": `${"A".repeat(23)}=` }, 400, "HANDSHAKE_INVALID"],
    [
      "bits to spare in its key",
      { "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZR==" },
      400,
      "HANDSHAKE_INVALID",
    ],
    [
      "two keys",
      { "Sec-WebSocket-Key": [`${"A".repeat(22)}==`, `${"B".repeat(21)}A==`] },
      400,
      "HANDSHAKE_INVALID",
    ],
    [
      "a good key behind another",
      { "Sec-WebSocket-Key": ["x", `${"A".repeat(22)}==`] },
      400,
      "HANDSHAKE_INVALID",
    ],
    ["a subprotocol that is no token", { "Sec-WebSocket-Protocol": "chat v1" }, 400, "HANDSHAKE_INVALID"],
    ["a subprotocol twice", { "Sec-WebSocket-Protocol": ["chat.v1", "chat.v1"] }, 400, "HANDSHAKE_INVALID"],
    ["an empty list of subprotocols", { "Sec-WebSocket-Protocol": "" }, 400, "HANDSHAKE_INVALID"],
    ["no subprotocol in its list", { "Sec-WebSocket-Protocol": "," }, 400, "HANDSHAKE_INVALID"],
    [
      "a malformed extension",
      { "Sec-WebSocket-Extensions": "permessage-deflate; =1" },
      400,
      "HANDSHAKE_INVALID",
    ],
    ["a body", { "Content-Length": "2" }, 400, "HANDSHAKE_INVALID"],
    ["a foreign origin", { Origin: "https://evil.example" }, 403, "ORIGIN_REFUSED"],
    [
      "an allowed origin with something behind it",
      { Origin: "https://app.example.evil" },
      403,
      "ORIGIN_REFUSED",
    ],
    ["its own origin by another scheme", { Origin: "https://127.0.0.1" }, 403, "ORIGIN_REFUSED"],
    ["the origin null", { Origin: "null" }, 403, "ORIGIN_REFUSED"],
    ["two origins", { Origin: ["https://app.example", "https://evil.example"] }, 400, "HEADER_REPEATED"],
  ] satisfies [string, HandshakeLines, number, string][]) {
    test(`with ${name} is ${status}, and opens nothing`, async () => {
      const before = opened;
      const body = "Content-Length" in lines ? "{}" : "";

      const reply = await ask(handshake("/ws", lines) + body);

      assert.equal(reply.status, status, reply.body);
      assert.equal(reply.problem.code, code);
      assert.equal(opened, before);
      if (status === 426) assert.equal(reply.headers["upgrade"], "websocket");
      if ("Sec-WebSocket-Version" in lines) assert.equal(reply.headers["sec-websocket-version"], "13");
    });
  }

  test("by another method than GET is 405, and another method does not name it", async () => {
    for (const method of ["POST", "PUT", "HEAD", "DELETE"]) {
      const { replies } = await talk(server.address, handshake("/ws", {}, method), {
        until: 1,
        heads: method === "HEAD" ? [0] : [],
      });

      assert.equal(replies[0]?.status, 405, method);
      assert.equal(replies[0]?.headers["allow"], "GET, OPTIONS", method);
    }
  });

  test("of a path without a route is 404, and of a route without WebSocket its own answer", async () => {
    assert.equal((await ask(handshake("/nothing"))).status, 404);
    assert.equal((await talk(server.address, handshake("/plain"), { until: 1 })).replies[0]?.body, "plain");
  });

  test("of a path that is encoded finds the same route and its guards", async () => {
    assert.match(await upgraded("/%77s"), /^HTTP\/1\.1 101 /);
    assert.equal((await ask(handshake("/%61dmin/1"))).problem.code, "NOBODY");
  });

  test("is answered by the guards before it", async () => {
    assert.equal((await ask(handshake("/admin/1"))).status, 403);
  });

  test("gets what guards write on the answer, and the request id", async () => {
    const head = await upgraded("/greeted", { "X-Request-Id": "mine" });

    assert.ok(head.includes("x-greeting: hello"), head);
    assert.ok(head.includes("x-request-id: mine"), head);
  });

  test("may take its time", async () => {
    assert.match(await upgraded("/later"), /^HTTP\/1\.1 101 /);
  });

  test("is upgraded with the limits of its own route", async () => {
    const message = Buffer.alloc(65_537).fill("x");
    const [small, large] = ["/ws", "/large"].map(
      (target) => new RawWebSocket(server.address, handshake(target)),
    ) as [RawWebSocket, RawWebSocket];
    await Promise.all([small.answered(), large.answered()]);
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(message.length));
    const frame = Buffer.concat([Buffer.from([0x82, 0xff]), length, Buffer.alloc(4), message]);

    small.socket.write(frame);
    large.socket.write(frame);

    assert.equal((await large.frame()).payload.length, message.length);
    await small.over();
    for (const socket of [small, large]) socket.end();
  });

  test("gets the best of the subprotocols that it offers, and none where none is known", async () => {
    const chosen = async (offered: string | readonly string[]) =>
      /sec-websocket-protocol: (\S+)/i.exec(
        await upgraded("/ws", { "Sec-WebSocket-Protocol": offered }),
      )?.[1];

    assert.equal(await chosen("chat.v1, chat.v2"), "chat.v2");
    assert.equal(await chosen(["other", "chat.v1"]), "chat.v1");
    assert.equal(await chosen("other"), undefined);
  });
});
