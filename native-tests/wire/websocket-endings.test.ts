// Connections that end while messages are under way: none is lost unless the connection is (WC3).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Axon, Framework } from "framework";
import { ingress, told } from "../support/endings-ingress.js";
import { handshake, RawWebSocket } from "../support/handshake.js";
import { until } from "../support/patience.js";
import { served } from "../support/served.js";
import { WebSocketClient } from "../support/websocket-client.js";
import { caughtUp } from "../support/wire.js";

const POURED_BYTES = 12 * 1_048_576;

const server = served(ingress);

const open = (path: string) => WebSocketClient.open(server.address, { path });
const post = async (path: string) =>
  (await fetch(`http://${server.address}${path}`, { method: "POST" })).text();

/** Waits until the server has told this since the last call that found something. */
let read = 0;
async function written(text: string): Promise<void> {
  await until(`the server told ${text}`, () => told.text.indexOf(text, read) >= 0);
  read = told.text.indexOf(text, read) + text.length;
}

describe("a connection that the server ends brings what was sent before, and the close frame, to a peer that reads later", () => {
  const cases = [
    { name: "in `open`", path: "/pour?at-once" },
    { name: "in a microtask of `open`", path: "/pour?in-a-microtask" },
    { name: "in a later turn of `open`", path: "/pour?later" },
    { name: "in a message", path: "/pour", message: "now" },
    { name: "with more buffered than may be", path: "/pour-above-limit", message: "now" },
  ];
  for (const { name, path, message } of cases)
    test(name, async () => {
      const client = await open(path);
      client.socket.pause();
      if (message !== undefined) client.text(message);
      await written("poured, isOpen false, then closed\n");
      // A room that it has left.
      await post("/late");
      client.socket.resume();
      const { close, how } = await client.ended();
      await written("ended ");

      assert.deepEqual([close, how], [{ code: 4000, reason: "poured" }, "closed"]);
      assert.deepEqual(client.violations, []);
      const bytes = client.reads.map((one) => (one.kind === "message" ? one.message.payload.length : 0));
      assert.equal(
        bytes.reduce((sum, length) => sum + length, 0),
        POURED_BYTES,
      );
      await written('{"code":4000,"reason":"poured"}\n');
    });
});

// The engine would do it at the latest after 16 s.
test("a connection that a later turn of `open` ends is ended in TCP too", { timeout: 10_000 }, async () => {
  const client = await open("/ends");
  assert.equal(client.answer?.status, 101, client.answer?.body());
  const { close, how } = await client.ended();

  assert.deepEqual(client.violations, []);
  assert.equal(await client.nextText(), "hello");
  assert.deepEqual([close, how], [{ code: 4000, reason: "enough" }, "closed"]);
});

describe("messages that came", () => {
  const frames = [
    { name: "a close frame", code: 1000, told: { code: 1000, reason: "" } },
    {
      name: "a close frame with a code that the engine does not know",
      code: 3001,
      told: { code: 1006, reason: "Received invalid close payload" },
    },
  ];
  for (const { name, code, told: end } of frames)
    test(`before ${name} run to their end, count as a connection until then, and \`close\` runs after them`, async () => {
      const client = await open("/steps");
      client.text("a");
      client.text("b");
      client.closeWith(code);
      await written("begun a\n");
      await client.ended();
      const other = await open("/steps");
      await post("/proceed");
      await written("done a\nbegun b\n");
      await post("/proceed");
      await written(`done b\nended ${JSON.stringify(end)}\n`);

      assert.equal(other.answer?.status, 503);
      other.destroy();
    });

  test("before the connection was lost are aborted or dropped, which `close` is told", async () => {
    const client = await open("/steps");
    client.text("a");
    client.text("b");
    await written("begun a\n");
    client.destroy();
    await written(
      `ended ${JSON.stringify({ code: 1006, reason: "Received TCP FIN before WebSocket close frame", unfinished: 2 })}\n`,
    );
    await post("/proceed");
  });
});

test("`close` counts back what `open` has counted for clients that are gone before it comes to its end", async () => {
  let present = 0;
  let opening = 0;
  let proceed: () => void = () => {};
  const proceeds = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const codes: number[] = [];
  const counting = await Framework.http({ processGuards: false })
    .bind("127.0.0.1:0")
    .drainIdle(0)
    .ws("/x", {
      open: async () => {
        opening += 1;
        await proceeds;
        present += 1;
      },
      message: () => undefined,
      close: ({ code }) => {
        present -= 1;
        codes.push(code);
      },
    })
    .get(
      "/",
      Axon.start("hello").thenFn("hello", () => "hello"),
    )
    .run();
  const sockets = [1, 2, 3, 4, 5].map(() => new RawWebSocket(counting.address, handshake("/x")).socket);
  await until("all are being opened", () => opening === 5);
  for (const socket of sockets) socket.resetAndDestroy();
  await caughtUp(counting.address);
  proceed();
  await until("all are closed", () => codes.length === 5);

  assert.deepEqual([present, codes], [0, [1006, 1006, 1006, 1006, 1006]]);
  await counting.close();
});
