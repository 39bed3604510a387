// The feed on raw sockets: what is no message, and who takes nothing, harm nobody.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Axon, BearerAuth, Framework, type RunningServer } from "framework";
import { WebSocketClient } from "../../support/websocket-client.js";
import { frame, TEXT } from "../../support/websocket-frames.js";

const OPERATOR = "operator-token-0123456789";
const headers = {
  Host: "localhost",
  Authorization: `Bearer ${OPERATOR}`,
  "Sec-WebSocket-Protocol": "framework.inspector.v1",
};

let server: RunningServer;
let inspector = "";
before(async () => {
  server = await Framework.http()
    .get(
      "/hello",
      Axon.start("hello").thenFn("greet", () => "hello"),
    )
    .inspector({
      enabled: true,
      auth: BearerAuth.tokens({ operator: OPERATOR }),
      port: 0,
      announce: (link) => {
        inspector = new URL(link).host;
      },
    })
    .bind("127.0.0.1:0")
    .run();
});
after(() => server.close());

const open = (): Promise<WebSocketClient> =>
  WebSocketClient.open(inspector, { path: "/api/v1/events", headers });
const hello = async (): Promise<number> => (await fetch(`${server.url}/hello`)).status;

describe("the feed on a socket", () => {
  test("tells of requests to the service", async () => {
    const client = await open();
    assert.equal(client.answer?.headers["sec-websocket-protocol"], "framework.inspector.v1");
    assert.match((await client.nextText()) ?? "", /"type":"hello"/);
    client.text('{"type":"subscribe","kinds":["node_exit","circuit_exit"]}');
    client.text("{");
    assert.match((await client.nextText()) ?? "", /"type":"error"/);
    assert.equal(await hello(), 200);

    const { events } = JSON.parse((await client.nextText()) ?? "");
    assert.deepEqual(
      events.map(({ kind }: { kind: string }) => kind),
      ["node_exit", "circuit_exit"],
    );
    client.destroy();
  });

  test("ends who sends bytes, no UTF-8 or too much, and goes on for others", async () => {
    const [binary, broken, large] = [await open(), await open(), await open()];
    binary.binary(Buffer.from([1, 2, 3]));
    broken.send(TEXT, Buffer.from([0xff, 0xfe]));
    await large.write(frame(TEXT, "x".repeat(65_537)));

    assert.equal((await binary.ended()).close?.code, 1003);
    await broken.ended();
    await large.ended();
    const other = await open();
    assert.match((await other.nextText()) ?? "", /"type":"hello"/);
    assert.equal(await hello(), 200);
    for (const client of [binary, broken, large, other]) client.destroy();
  });

  test("keeps no request waiting for who takes nothing", async () => {
    const dead = await open();
    await dead.nextText();
    dead.text('{"type":"subscribe","kinds":["node_exit","circuit_exit"]}');
    dead.socket.pause();
    for (let i = 0; i < 300; i += 1) assert.equal(await hello(), 200);
    dead.destroy();
  });
});
