// WebSocket over TLS, where an ingress has several apps: each certificate has one, and
// within it each further name has routes of its own.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework, type RunningServer, type WebSocketConnection } from "framework";

import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";
import { issue } from "../../support/issued-certificate.js";
import { until } from "../../support/patience.js";
import { connected, shownNow } from "../../support/tls-client.js";
import { WebSocketClient } from "../../support/websocket-client.js";

const { authority } = localCertificate();
const named = (subject: string, names = ["localhost", "127.0.0.1"]) =>
  issue({ subject, names, issuer: authority });

const join = (_: unknown, connection: WebSocketConnection) => {
  connection.subscribe("room");
};

const chat = () =>
  Framework.http({ processGuards: false, reporter: () => {} })
    .bind("127.0.0.1:0")
    .drainIdle(0)
    .ws("/room", { open: join, message: (message, connection) => void connection.publish("room", message) });

/** A member of the room; a first message to itself would not come back. */
async function member(
  server: RunningServer,
  servername = "localhost",
  origin = `https://${server.address}`,
): Promise<WebSocketClient> {
  const socket = await connected(server, { ca: authority.cert, servername });
  return WebSocketClient.open(server.address, { path: "/room", socket, headers: { origin } });
}

describe("WebSocket over TLS", () => {
  test("is opened by pages of the server's own https origin, and of no other scheme", async () => {
    const { cert, key } = certificateFolder().pair(named("one"));
    const server = await chat().tls(cert, key).run();

    const own = await member(server);
    const foreign = await member(server, "localhost", `http://${server.address}`);
    assert.equal(own.answer?.status, 101);
    assert.equal(foreign.answer?.status, 403);
    own.destroy();
    foreign.destroy();
    await server.close();
  });

  test("joins the rooms of connections from before and after a change of the certificate", async () => {
    const folder = certificateFolder();
    const { cert, key } = folder.pair(named("one"));
    const server = await chat().tls(cert, key, { checkEveryMs: 20 }).run();
    const early = await member(server);
    folder.pair(named("two"));
    await until("two is shown", async () => (await shownNow(server).catch(() => "")) === "two");
    const late = await member(server);

    early.text("from before");
    assert.equal(await late.nextText(), "from before");
    late.text("from after");
    assert.equal(await early.nextText(), "from after");
    early.destroy();
    const later = await member(server);
    later.text("alone");
    assert.equal(await late.nextText(), "alone");
    const closed = server.close();
    assert.equal((await late.closed())?.code, 1001);
    later.destroy();
    await closed;
  });

  test("joins the rooms of all names", async () => {
    const folder = certificateFolder();
    const { cert, key } = folder.pair(named("one"));
    const names = { "b.example": folder.pair(named("b", ["b.example"]), "b") };
    const server = await chat().tls(cert, key, { names }).run();
    const [first, second] = [await member(server), await member(server, "b.example")];

    first.text("to b");
    assert.equal(await second.nextText(), "to b");
    second.text("from b");
    assert.equal(await first.nextText(), "from b");
    first.destroy();
    second.destroy();
    await server.close();
  });
});
