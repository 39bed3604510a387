// Connections that say nothing. The engine looks at them every four seconds: the test takes as
// long as the shortest time that it can keep.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { until } from "../../support/patience.js";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { WebSocketClient } from "../../support/websocket-client.js";
import { frame, TEXT } from "../../support/websocket-frames.js";

let server: ServerProcess;
before(async () => {
  server = await startIngress("websocket-ingress.ts");
});
after(() => server.end());

test("a connection whose peer reads nothing ends without the close frame that waits, which `close` is told", async () => {
  const endings = await startIngress("endings-ingress.ts");
  const client = await WebSocketClient.open(endings.address, { path: "/pour?at-once" });
  client.socket.pause();
  await until("it was ended", () => endings.stdout().includes("ended "));
  client.socket.resume();
  const { close } = await client.ended();

  assert.equal(close, undefined);
  assert.match(endings.stdout(), /ended \{"code":1006,"reason":""\}/);
  await endings.end();
});

const open = () => WebSocketClient.open(server.address, { path: "/idle" });
const isPing = ({ kind }: { readonly kind: string }) => kind === "ping";

describe("a connection that is silent for as long as it may be", () => {
  test("is pinged before; it ends where no pong comes, in the middle of a frame too, and goes on where one does", async () => {
    const [alive, silent, halting] = [await open(), await open(), await open()];
    for (const client of [silent, halting]) client.answersPings = false;
    await halting.write(frame(TEXT, "x".repeat(1000)).subarray(0, 500));
    await Promise.all([silent.ended(), halting.ended()]);

    for (const client of [silent, halting]) {
      assert.equal(client.close, undefined);
      assert.ok(client.reads.some(isPing), "it was not pinged");
    }
    assert.ok(alive.reads.some(isPing), "the other one was not pinged");
    alive.reads.splice(0);
    alive.text("still here");
    assert.equal(await alive.nextText(), "still here");
    assert.equal(alive.isOver, false);
    alive.destroy();
  });
});
