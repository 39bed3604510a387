// Rooms over the engine's own topics.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { served } from "../support/served.js";
import { WebSocketClient } from "../support/websocket-client.js";
import { ingress } from "../support/websocket-ingress.js";

const server = served(ingress);

const listener = () => WebSocketClient.open(server.address, { path: "/room" });
/** A connection of another route, which has subscribed to nothing. */
const outsider = () => WebSocketClient.open(server.address, { path: "/outside" });

describe("what is published to a room", () => {
  test("reaches those who have subscribed, and not the one that publishes", async () => {
    const [a, b] = [await listener(), await listener()];
    a.text("from a");
    assert.equal(await b.nextText(), "from a");
    b.text("from b");

    assert.equal(await a.nextText(), "from b");
    assert.deepEqual(b.reads, []);
    for (const client of [a, b]) client.destroy();
  });

  test("comes from a connection that has subscribed to nothing too", async () => {
    const [a, b] = [await listener(), await outsider()];
    b.text("hello");

    assert.equal(await b.nextText(), "true");
    assert.equal(await a.nextText(), "hello");
    for (const client of [a, b]) client.destroy();
  });

  test("is heard by nobody where nobody has subscribed", async () => {
    const client = await outsider();
    client.text("elsewhere");

    assert.equal(await client.nextText(), "false");
    client.destroy();
  });

  test("keeps its order and its kind, text or bytes", async () => {
    const [a, b] = [await listener(), await listener()];
    for (let n = 0; n < 100; n += 1) n % 2 === 0 ? a.text(`${n}`) : a.binary(Buffer.from(`${n}`));
    for (let n = 0; n < 100; n += 1) {
      const message = await b.nextMessage();
      assert.deepEqual([message?.binary, message?.payload.toString()], [n % 2 === 1, `${n}`]);
    }
    for (const client of [a, b]) client.destroy();
  });
});
