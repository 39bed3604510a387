// One room across servers: over the channels of workers, and over a bus in memory.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework } from "framework";
import { MemoryRooms } from "framework/std";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { WebSocketClient } from "../../support/websocket-client.js";

/** Connections of two workers: the kernel deals them out, so as many are opened as it takes. */
async function onTwoWorkers({
  address,
}: ServerProcess): Promise<readonly [WebSocketClient, WebSocketClient]> {
  const byWorker = new Map<string | undefined, WebSocketClient>();
  for (let n = 0; byWorker.size < 2; n += 1) {
    assert.ok(n < 500, "one worker gets all connections");
    const client = await WebSocketClient.open(address, { path: "/room" });
    const worker = await client.nextText();
    if (byWorker.has(worker)) client.destroy();
    else byWorker.set(worker, client);
  }
  return [...byWorker.values()] as [WebSocketClient, WebSocketClient];
}

async function talk(from: WebSocketClient, to: WebSocketClient): Promise<void> {
  for (let n = 0; n < 50; n += 1) n % 2 === 0 ? from.text(`räume ${n}`) : from.binary(Buffer.of(n, 0xff));
  for (let n = 0; n < 50; n += 1) {
    const message = await to.nextMessage();
    const expected = n % 2 === 0 ? Buffer.from(`räume ${n}`) : Buffer.of(n, 0xff);
    assert.deepEqual([message?.binary, message?.payload], [n % 2 === 1, expected]);
  }
}

describe("a room", () => {
  test("is one across the workers of a supervisor", async () => {
    const server = await startIngress("websocket-workers-ingress.ts");
    const [here, there] = await onTwoWorkers(server);
    await talk(here, there);
    await talk(there, here);

    for (const { reads, violations } of [here, there]) assert.deepEqual([reads, violations], [[], []]);
    for (const client of [here, there]) client.destroy();
    assert.equal(await server.stop(), 0);
    assert.doesNotMatch(server.log(), /ROOMS_FAILED/);
  });

  test("is one across servers that a bus joins, until one of them stops", async () => {
    const rooms = new MemoryRooms();
    const start = () =>
      Framework.http({ rooms: rooms.join(), processGuards: false })
        .bind("127.0.0.1:0")
        .drainIdle(0)
        .ws("/room", {
          open: (_, connection) => void connection.subscribe("room"),
          message: (message, connection) => void connection.publish("room", message),
        })
        .run();
    const [first, second] = [await start(), await start()];
    const [a, b, c] = [
      await WebSocketClient.open(first.address, { path: "/room" }),
      await WebSocketClient.open(second.address, { path: "/room" }),
      await WebSocketClient.open(second.address, { path: "/room" }),
    ];
    await talk(a, b);
    await talk(b, a);
    // Who is in the room beside them hears both, at a time of its own.
    for (let n = 0; n < 100; n += 1) await c.nextMessage();
    await first.close();
    b.text("among us");

    assert.equal(await c.nextText(), "among us");
    assert.equal((await a.ended()).close?.code, 1001);
    for (const client of [b, c]) client.destroy();
    await second.close();
  });
});
