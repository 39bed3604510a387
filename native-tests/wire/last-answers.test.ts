// The last answer of a connection: it leaves when its run is over, and the connection ends behind it.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { connect as dialTls } from "node:tls";

import {
  Axon,
  Framework,
  fault,
  guard,
  ProblemDetail,
  type RunningServer,
  respond,
  stream,
  Type,
} from "framework";
import { certificateFolder, localCertificate } from "../support/certificate-folder.js";
import { until } from "../support/patience.js";
import { proxyHeader } from "../support/proxy-header.js";
import { site } from "../support/site.js";
import { portOf } from "../support/tls-client.js";
import { TricklingUpload } from "../support/trickling-upload.js";
import { dial } from "../support/wire.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const refused = new ProblemDetail({ status: 403, code: "NO", title: "No" });
const no = guard({ name: "No", run: () => fault(refused) });
const noLater = guard({
  name: "NoLater",
  run: async () => {
    // The body is there by then.
    for (let n = 0; n < 20; n += 1) await turn();
    return fault(refused);
  },
});
const Anything = Type.Object({});
const json = Axon.start("json", Anything).thenFn("tell", () => "read");
const files = site({ "a.txt": "a file" });
const MIDDLING = "x".repeat(60_000);

let ran: string[] = [];
let proceed: () => void = () => {};

function ingress(options: Parameters<typeof Framework.http>[0] = {}) {
  return Framework.http({ processGuards: false, reporter: () => {}, discardTimeoutMs: 9000, ...options })
    .bind("127.0.0.1:0")
    .drainIdle(0)
    .post(
      "/sync",
      Axon.start("sync").thenFn("tell", () => "ok"),
    )
    .post(
      "/async",
      Axon.start("async").thenFn("tell", async () => {
        for (let n = 0; n < 20; n += 1) await turn();
        return "ok";
      }),
    )
    .post("/no", json, { guards: [no] })
    .post("/no-later", json, { guards: [noLater] })
    .post(
      "/half",
      Axon.start<AsyncIterable<Uint8Array>>("half").thenFn("read", async (pieces) => {
        for await (const piece of pieces) return piece.length;
        return 0;
      }),
      { input: stream() },
    )
    .get(
      "/text",
      Axon.start("text").thenFn("tell", () => "text"),
    )
    .get(
      "/middling",
      Axon.start("middling").thenFn("tell", () => {
        ran.push("middling");
        return MIDDLING;
      }),
    )
    .get(
      "/big",
      Axon.start("big").thenFn("tell", () => MIDDLING.repeat(5)),
    )
    .get(
      "/empty",
      Axon.start("empty").thenFn("tell", () => ""),
    )
    .get(
      "/nothing",
      Axon.start("nothing").thenFn("tell", () => {
        ran.push("nothing");
      }),
    )
    .get(
      "/unmodified",
      Axon.start("unmodified").thenFn("tell", { responses: [{ status: 304 }] }, () =>
        respond({ status: 304 }),
      ),
    )
    .get(
      "/hold",
      Axon.start("hold").thenFn(
        "wait",
        () =>
          new Promise<void>((resolve) => {
            proceed = resolve;
          }),
      ),
    )
    .ws("/open", { message: () => undefined })
    .ws("/ws", { message: () => undefined, guards: [no] })
    .ws("/ws-later", { message: () => undefined, guards: [noLater] })
    .serveDir("/memory", files)
    .serveDir("/disk", files, { cache: false });
}

/** Everything that the server sends until it ends the connection. */
function whole(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
    });
    socket.on("error", reject).on("end", () => {
      socket.destroy();
      resolve(text);
    });
  });
}

function told(address: string, request: string): Promise<string> {
  const socket = dial(address);
  socket.write(request, "latin1");
  return whole(socket);
}

function toldByTls(address: string, request: string): Promise<string> {
  const socket = dialTls({ host: "127.0.0.1", port: portOf({ address }), rejectUnauthorized: false });
  socket.write(request, "latin1");
  return whole(socket);
}

const request = (method: string, target: string, lines: readonly string[], body = "") =>
  `${[`${method} ${target} HTTP/1.1`, "Host: a", ...lines].join("\r\n")}\r\n\r\n${body}`;

/** Method, target and status of answers that are made before and after the body has come. */
const UNREAD = [
  ["POST", "/sync", 200],
  ["POST", "/async", 200],
  ["POST", "/no", 403],
  ["POST", "/no-later", 403],
  ["GET", "/memory/a.txt", 200],
  ["GET", "/disk/a.txt", 200],
  ["GET", "/ws", 403],
  ["GET", "/ws-later", 403],
  ["POST", "/nowhere", 404],
] as const;

const upgrade = (target: string, connection: string): readonly string[] =>
  target.startsWith("/ws")
    ? [
        `Connection: Upgrade${connection === "" ? "" : `, ${connection}`}`,
        ...["Upgrade: websocket", "Sec-WebSocket-Version: 13"],
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ]
    : connection === ""
      ? []
      : [`Connection: ${connection}`];

const CHUNKED = ["Transfer-Encoding: chunked"];
const SIZED = ["Content-Type: application/json", "Content-Length: 2"];

describe("an answer leaves when its run is over, though the connection ends behind it", () => {
  let server: RunningServer;
  let late: TricklingUpload;
  before(async () => {
    server = await ingress().run({});
    late = new TricklingUpload(server.address, "/sync");
  });
  after(async () => {
    late.end();
    await server.close();
  });

  for (const [method, target, status] of UNREAD) {
    test(`behind a chunked body: ${method} ${target}`, async () => {
      const lines = [...CHUNKED, ...upgrade(target, "")];
      const answer = await told(server.address, request(method, target, lines, "2\r\n{}\r\n0\r\n\r\n"));

      assert.equal(answer.slice(0, 12), `HTTP/1.1 ${status}`);
      assert.ok(!late.isAnswered);
    });

    test(`where the client closes: ${method} ${target}`, async () => {
      const lines = [...SIZED, ...upgrade(target, "close")];
      const answer = await told(server.address, request(method, target, lines, "{}"));

      assert.equal(answer.slice(0, 12), `HTTP/1.1 ${status}`);
      assert.ok(!late.isAnswered);
    });
  }

  test("where the server stops", async () => {
    const stopping = await ingress().run({});
    const trickling = new TricklingUpload(stopping.address, "/sync");
    const [held, probe, ...sockets] = [null, null, ...UNREAD].map(() => dial(stopping.address));
    const all = sockets.map((socket) => {
      socket.write(request("GET", "/text", []));
      return whole(socket);
    });
    held?.write(request("GET", "/hold", []));
    await until("they are connected", () => sockets.every(({ bytesRead }) => bytesRead > 0));
    const stopped = stopping.close();
    let seen = "";
    probe?.on("data", (piece) => {
      seen += String(piece);
    });
    await until("it stops", () => {
      if (probe?.writable === true) probe.write(request("GET", "/text", []));
      return /connection: close/i.test(seen);
    });
    for (const [i, [method, target]] of UNREAD.entries())
      sockets[i]?.write(request(method, target, [...SIZED, ...upgrade(target, "")], "{}"));
    const answers = await Promise.all(all);

    assert.ok(!trickling.isAnswered);
    trickling.end();
    proceed();
    await stopped;
    held?.destroy();
    probe?.destroy();
    for (const [i, [, target, status]] of UNREAD.entries())
      assert.match(answers[i]?.slice(10) ?? "", new RegExp(`HTTP/1.1 ${status} `), target);
  });
});

/** Method, target, status and bytes of the body. */
const ANSWERS = [
  ["GET", "/text", 200, 4],
  ["HEAD", "/text", 200, 0],
  ["GET", "/nothing", 204, 0],
  ["HEAD", "/nothing", 204, 0],
  ["GET", "/unmodified", 304, 0],
  ["OPTIONS", "/text", 204, 0],
  ["GET", "/empty", 200, 0],
  ["HEAD", "/empty", 200, 0],
  ["GET", "/big", 200, 300_000],
  ["HEAD", "/big", 200, 0],
  ["HEAD", "/memory/a.txt", 200, 0],
  ["HEAD", "/disk/a.txt", 200, 0],
  ["GET", "/disk/a.txt", 200, 6],
  ["HEAD", "/nowhere", 404, 0],
] as const;

describe("a connection ends behind its last answer", () => {
  const folder = certificateFolder();
  const servers: RunningServer[] = [];
  before(async () => {
    const { cert, key } = folder.pair(localCertificate().own);
    servers.push(
      await ingress().run({}),
      await ingress({ proxyProtocol: "v2", trustedProxies: ["127.0.0.1"] }).run({}),
      await ingress().tls(cert, key).run({}),
    );
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  const plain = (n: number) => (request: string) => told(servers[n]?.address ?? "", request);
  const tls = (request: string) => toldByTls(servers[2]?.address ?? "", request);
  const fromProxy = (request: string) => plain(1)(proxyHeader("192.0.2.9") + request);
  const ways: Readonly<Record<string, readonly [(request: string) => Promise<string>, ...string[]]>> = {
    "to a client that closes it": [plain(0), "Connection: close"],
    "to a client that closes it in a list": [plain(0), "Connection: TE, close"],
    "to a client that closes it in a second line": [plain(0), "Connection: TE", "Connection: close"],
    "to a client that changes its mind": [plain(0), "Connection: close", "Connection: keep-alive"],
    "behind a chunked body": [plain(0), "Transfer-Encoding: chunked"],
    "behind a PROXY header": [fromProxy],
    "over TLS": [tls, "Connection: close"],
    "over TLS, to a client that closes it in a list": [tls, "Connection: TE, close"],
  };
  for (const [way, [ask, ...lines]] of Object.entries(ways)) {
    const body = lines.includes("Transfer-Encoding: chunked") ? "0\r\n\r\n" : "";
    test(way, async () => {
      const all = ANSWERS.map(([method, target]) => ask(request(method, target, lines, body)));

      for (const [i, answer] of (await Promise.all(all)).entries()) {
        const [method, target, status, length] = ANSWERS[i] as (typeof ANSWERS)[number];
        const [head = "", content] = answer.split("\r\n\r\n", 2);
        const what = `${method} ${target}: ${head}`;
        assert.ok(head.startsWith(`HTTP/1.1 ${status} `), what);
        assert.equal(head.match(/\r\ndate: /gi)?.length, 1, what);
        assert.equal(
          head.match(/\r\ncontent-length: /gi)?.length,
          status === 204 || status === 304 ? undefined : 1,
        );
        assert.equal(content?.length, length, what);
      }
    });
  }

  test("whatever handshake is refused", async () => {
    const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    const lines = ["Connection: Upgrade, close", "Upgrade: websocket", key];
    const answers = await Promise.all([
      plain(0)(request("GET", "/ws", [...lines, "Sec-WebSocket-Version: 13"])),
      plain(0)(request("GET", "/open", [...lines, "Sec-WebSocket-Version: 12"])),
      plain(0)(request("HEAD", "/open", [...lines, "Sec-WebSocket-Version: 13"])),
    ]);

    assert.deepEqual(
      answers.map((answer) => answer.slice(9, 12)),
      ["403", "426", "405"],
    );
  });

  // The client reads nothing until the engine has to buffer.
  for (const [connection, ...last] of [
    ["close", "GET", "/nothing"],
    ["TE, close", "GET", "/nothing"],
    ["close", "HEAD", "/nothing"],
    ["TE, close", "HEAD", "/nothing"],
  ] as const)
    test(`with everything before it, to a client that reads late: ${last.join(" ")}, ${connection}`, async () => {
      ran = [];
      const socket = dial(servers[0]?.address ?? "").pause();
      socket.write(request("GET", "/middling", []).repeat(100));
      await until("they have run", () => ran.length === 100);
      socket.write(request(last[0], last[1], [`Connection: ${connection}`]));
      await until("the last one has run", () => ran.length === 101);
      for (let n = 0; n < 5; n += 1) await turn();
      const text = await whole(socket.resume());

      assert.equal(text.split("HTTP/1.1 200 OK").length, 101);
      assert.ok(text.length > 6_000_000);
      assert.match(text.slice(-300), /HTTP\/1.1 204 No Content\r\n.*\r\n\r\n$/s);
    });
});

describe("an answer before its body is over", () => {
  let server: RunningServer;
  let late: TricklingUpload;
  before(async () => {
    server = await ingress().bodyLimit(1000).run({});
    late = new TricklingUpload(server.address, "/sync");
  });
  after(async () => {
    late.end();
    await server.close();
  });

  const type = "Content-Type: application/json";
  for (const target of ["/sync", "/async"])
    test(`leaves although the client waits for it, and nothing behind is run: ${target}, 413`, async () => {
      ran = [];
      const socket = dial(server.address);
      const all = whole(socket);
      socket.write(request("POST", target, [type, "Content-Length: 2000"], "x"));
      await until("it is answered", () => socket.bytesRead > 0);
      socket.write("x".repeat(1999) + request("GET", "/middling", []));
      const answer = await all;

      assert.ok(answer.startsWith("HTTP/1.1 413 "));
      assert.match(answer, /\r\nconnection: close\r\n/);
      assert.equal(answer.match(/HTTP\/1.1/g)?.length, 1);
      assert.deepEqual(ran, []);
      assert.ok(!late.isAnswered);
    });

  for (const [target, status] of [
    ["/no-later", 403],
    ["/async", 200],
    ["/half", 200],
  ] as const)
    test(`leaves, and the connection is kept: ${target}, ${status}`, async () => {
      const socket = dial(server.address);
      const all = whole(socket);
      socket.write(request("POST", target, [type, "Content-Length: 200"], "x"));
      await until("it is answered", () => socket.bytesRead > 0);
      socket.write("x".repeat(199) + request("GET", "/text", ["Connection: close"]));
      const answer = await all;

      assert.deepEqual(answer.match(/HTTP\/1.1 \d+/g), [`HTTP/1.1 ${status}`, "HTTP/1.1 200"]);
      assert.ok(!late.isAnswered);
    });
});
