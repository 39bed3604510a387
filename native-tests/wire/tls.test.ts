// What strangers send to a port that speaks TLS, and which TLS that is.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as dial } from "node:net";
import { after, before, describe, test } from "node:test";
import type { ConnectionOptions } from "node:tls";
import fc from "fast-check";
import { Axon, Framework, OwnOrigin, RequestScheme, type RunningServer } from "framework";
import { SecurityHeadersGuard } from "framework/std";

import { certificateFolder, localCertificate } from "../support/certificate-folder.js";
import { clientHello } from "../support/client-hello.js";
import { issue } from "../support/issued-certificate.js";
import { connected, got, portOf, shownNow } from "../support/tls-client.js";

const folder = certificateFolder();
const { authority, own } = localCertificate({ key: "rsa2048" });
const trusted: ConnectionOptions = { ca: authority.cert };

const facts = Axon.start("facts").thenFn(
  "facts",
  (_, bus) => `${bus.get(RequestScheme)} ${bus.get(OwnOrigin)}`,
  { reads: [RequestScheme, OwnOrigin] },
);

/** Ends every connection, and does not wait for those that do nothing. */
const serving = (tls: Parameters<ReturnType<typeof Framework.http>["tls"]>, maxConnections = 10_000) =>
  Framework.http({ processGuards: false, reporter: () => {}, maxConnections })
    .bind("127.0.0.1:0")
    .drainIdle(0)
    .guard(new SecurityHeadersGuard())
    .tls(...tls)
    .get("/", facts);

describe("a server that speaks TLS", () => {
  let server: RunningServer;
  before(async () => {
    const { cert, key } = folder.pair(own);
    server = await serving([cert, key]).run();
  });
  after(() => server.close());

  const handshake = (options: ConnectionOptions) => connected(server, { ...trusted, ...options });

  test("says so in its URL, and is reached by https", async () => {
    assert.equal(server.url, `https://${server.address}`);
    const socket = await handshake({});

    const { head, body } = await got(socket, "/", `localhost:${portOf(server)}`);
    assert.ok(socket.authorized);
    assert.equal(body, `https https://localhost:${portOf(server)}`);
    assert.match(head, /strict-transport-security: max-age=31536000; includeSubDomains/);
    socket.destroy();
  });

  test("speaks 1.2 and 1.3 with forward secrecy and authenticated encryption", async () => {
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const socket = await handshake({ minVersion: version, maxVersion: version });

      assert.equal(socket.getProtocol(), version);
      assert.match(socket.getCipher().name, /GCM|CHACHA20/);
      assert.ok("name" in (socket.getEphemeralKeyInfo() ?? {}));
      socket.destroy();
    }
    for (const cipher of [
      "ECDHE-RSA-AES128-GCM-SHA256",
      "ECDHE-RSA-AES256-GCM-SHA384",
      "ECDHE-RSA-CHACHA20-POLY1305",
    ])
      (await handshake({ maxVersion: "TLSv1.2", ciphers: cipher })).destroy();
  });

  test("refuses older versions, CBC, and keys without forward secrecy", async () => {
    for (const version of ["TLSv1", "TLSv1.1"] as const)
      await assert.rejects(
        handshake({ minVersion: version, maxVersion: version, ciphers: "ALL:@SECLEVEL=0" }),
      );
    for (const cipher of [
      "ECDHE-RSA-AES128-SHA",
      "ECDHE-RSA-AES256-SHA384",
      "AES128-GCM-SHA256",
      "AES256-SHA",
    ])
      await assert.rejects(handshake({ maxVersion: "TLSv1.2", ciphers: `${cipher}:@SECLEVEL=0` }), cipher);
  });

  test("agrees on no protocol of ALPN, and serves HTTP/1.1", async () => {
    const socket = await handshake({ ALPNProtocols: ["h2", "http/1.1"] });

    assert.equal(socket.alpnProtocol, false);
    assert.match((await got(socket)).head, /^HTTP\/1\.1 200/);
    socket.destroy();
  });

  test("does not renegotiate", async () => {
    const socket = await handshake({ maxVersion: "TLSv1.2" });

    socket.renegotiate({}, () => {});
    const [error] = await once(socket, "error");
    assert.match(String(error), /no.renegotiation/i);
  });

  test("closes a connection that speaks plain HTTP, without an answer", async () => {
    const socket = dial(portOf(server), "127.0.0.1");
    let received = 0;
    socket.on("data", (piece) => {
      received += piece.length;
    });
    socket.on("error", () => {});

    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "close");
    assert.equal(received, 0);
  });

  test("survives whatever stands in the place of a handshake", async () => {
    const hello = [0x16, 3, 1, 0, 60, 1, 0, 0, 56, 3, 3];
    await fc.assert(
      fc.asyncProperty(fc.nat(hello.length), fc.uint8Array({ maxLength: 300 }), async (kept, rest) => {
        const socket = dial(portOf(server), "127.0.0.1");
        socket.on("error", () => {});
        socket.resume();
        socket.end(Buffer.from([...hello.slice(0, kept), ...rest]));
        await once(socket, "close");
      }),
      { numRuns: 200 },
    );

    const socket = await handshake({});
    assert.match((await got(socket)).body, /^https/);
    socket.destroy();
  });

  test("survives clients that leave in every phase of the handshake", async () => {
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const socket = dial(portOf(server), "127.0.0.1");
        socket.on("error", () => {});
        await once(socket, "connect");
        if (i % 2 === 0) socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
        if (i % 3 === 0) socket.resetAndDestroy();
        else socket.destroy();
      }),
    );

    assert.equal(await shownNow(server), "localhost");
  });

  test("serves others at once while a thousand begin a handshake and stop", async () => {
    const halves = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const socket = dial(portOf(server), "127.0.0.1");
        socket.on("error", () => {});
        await once(socket, "connect");
        socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
        return socket;
      }),
    );

    for (let i = 0; i < 20; i += 1) assert.equal(await shownNow(server), "localhost");
    for (const socket of halves) socket.destroy();
  });
});

/** Of as many parts as the engine takes. */
const LONGEST = "a.b.c.d.e.f.g.h.i.example";

describe("a server with several certificates", () => {
  let server: RunningServer;
  before(async () => {
    const { cert, key } = folder.pair(own, "first");
    const b = folder.pair(issue({ subject: "b.example", names: ["b.example"], issuer: authority }), "b");
    const wild = folder.pair(issue({ subject: "wild", names: ["*.c.example"], issuer: authority }), "wild");
    const long = folder.pair(issue({ subject: "long", names: [LONGEST], issuer: authority }), "long");
    const names = { "b.example": b, "*.c.example": wild, [LONGEST]: long };
    server = await serving([cert, key, { names }]).run();
  });
  after(() => server.close());

  test("shows each to who asks for its name, and the first one to all others", async () => {
    for (const [asked, shown] of [
      ["b.example", "b.example"],
      ["x.c.example", "wild"],
      [LONGEST, "long"],
      ["c.example", "localhost"],
      ["x.y.c.example", "localhost"],
      ["localhost", "localhost"],
      ["other.example", "localhost"],
      ["a".repeat(63), "localhost"],
      ["", "localhost"],
    ] as const)
      assert.equal(await shownNow(server, { servername: asked }), shown, asked);
  });

  test("shows one of them, or ends the handshake, whatever stands in the place of a name", async () => {
    const label = fc.constantFrom(
      "",
      "*",
      "b",
      "c",
      "example",
      "\0",
      "x".repeat(64),
      "\u00ff",
      "%n",
      "EXAMPLE",
    );
    const names = fc.oneof(
      fc.array(label, { maxLength: 200 }).map((labels) => Buffer.from(labels.join("."), "latin1")),
      fc.uint8Array({ maxLength: 300 }),
    );
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        const socket = dial(portOf(server), "127.0.0.1");
        socket.on("error", () => {});
        socket.write(clientHello(name));
        const [answer] = (await once(socket, "data")) as [Buffer];
        socket.destroy();

        // A handshake that goes on, or an alert.
        assert.ok(answer[0] === 0x16 || answer[0] === 0x15);
      }),
      {
        numRuns: 200,
        examples: [[Buffer.from(`${"a.".repeat(9)}c.example`)], [Buffer.from("a.".repeat(127))]],
      },
    );
    assert.equal(await shownNow(server, { servername: "x.c.example" }), "wild");
  });

  test("serves the same whichever name is asked for", async () => {
    for (const servername of ["b.example", "x.c.example", "localhost"]) {
      const socket = await connected(server, { ...trusted, servername });

      const { body, head } = await got(socket, "/", servername);
      assert.equal(body, `https https://${servername}`);
      assert.match(head, /strict-transport-security/);
      assert.match((await got(socket, "/none", servername)).head, /^HTTP\/1\.1 404/);
      socket.destroy();
    }
  });

  test("encrypts no worse for any name", async () => {
    const weak: ConnectionOptions = { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0" };

    await assert.rejects(connected(server, { ...trusted, ...weak, servername: "b.example" }));
  });
});
