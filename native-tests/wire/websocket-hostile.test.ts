// Clients that mean ill: each ends as docs/websocket.md says, the memory that they take is
// bounded, and a connection beside them has its messages answered all the time.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { pause, until } from "../support/patience.js";
import { type ServerProcess, startIngress } from "../support/server-process.js";
import { WebSocketClient } from "../support/websocket-client.js";
import { BINARY, CONTINUATION, frame, PING, PONG, TEXT } from "../support/websocket-frames.js";

let server: ServerProcess;
let other: WebSocketClient;
before(async () => {
  server = await startIngress("websocket-ingress.ts");
  other = await WebSocketClient.open(server.address);
});
after(async () => {
  other.destroy();
  await server.end();
});

const MIB = 1024 * 1024;
let asked = 0;

/** That the connection beside it has its message answered. */
async function othersAreServed(): Promise<void> {
  asked += 1;
  other.text(`still here ${asked}`);
  assert.equal(await other.nextText(), `still here ${asked}`);
}

/** Runs it, and fails where the server holds much more behind it than it did before. */
async function inBoundedMemory(run: () => Promise<void>, maxMib = 64): Promise<void> {
  const before = await server.memory();
  await run();
  const grown = (await server.memory()) - before;
  assert.ok(grown < maxMib * MIB, `${Math.round(grown / MIB)} MiB more than before`);
}

/** Writes until nothing is taken any more, or the server has ended the connection; answers how much it took. */
async function flood(client: WebSocketClient, piece: Buffer, maxBytes: number): Promise<number> {
  let [sent, waitedMs] = [0, 0];
  while (sent < maxBytes && !client.isOver && client.socket.writable) {
    if (client.socket.writableNeedDrain) {
      if (waitedMs >= 500) break;
      await pause(20);
      waitedMs += 20;
      continue;
    }
    waitedMs = 0;
    client.socket.write(piece);
    sent += piece.length;
    await new Promise(setImmediate);
  }
  return sent;
}

/** As many of the same frame as make a good write. */
const many = (one: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => one));

async function endedAbnormally(client: WebSocketClient, ...codes: readonly number[]): Promise<void> {
  const { close } = await client.ended();
  assert.ok(close === undefined || codes.includes(close.code as number), `closed with ${close?.code}`);
}

// The limit of /small is 64 KiB, which is what a route has unless it says otherwise.
describe("a message above the limit", () => {
  const at = () => WebSocketClient.open(server.address, { path: "/small" });

  test("ends its connection, and one that is just as large as may be comes back", async () => {
    const client = await at();
    client.binary(Buffer.alloc(65_536, 1));
    assert.equal((await client.nextMessage())?.payload.length, 65_536);
    client.binary(Buffer.alloc(65_537, 1));

    await endedAbnormally(client, 1009);
    assert.deepEqual(client.reads, []);
    await othersAreServed();
  });

  test("ends it by the length that it tells, before it has come", async () => {
    for (const told of [65_537, MIB, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53, 2n ** 63n]) {
      const client = await at();
      client.send(BINARY, "", { told, lengthBytes: 8 });
      await endedAbnormally(client, 1009, 1002);
    }
    await othersAreServed();
  });

  test("ends it in fragments too, whatever stands between them", async () => {
    const client = await at();
    const fragment = frame(CONTINUATION, Buffer.alloc(4096), { fin: false });
    await client.write(frame(BINARY, Buffer.alloc(4096), { fin: false }));
    for (let n = 0; n < 17 && !client.isOver; n += 1) await client.write([frame(PING, "x"), fragment]);

    await endedAbnormally(client, 1009);
    assert.ok(client.reads.every(({ kind }) => kind === "pong"));
    await othersAreServed();
  });
});

describe("a message that never ends", () => {
  test("of a million empty fragments takes no memory, and ends as a message", async () => {
    const client = await WebSocketClient.open(server.address, { path: "/small" });
    const empty = many(frame(CONTINUATION, "", { fin: false }), 10_000);
    await inBoundedMemory(async () => {
      await client.write(frame(TEXT, "begun", { fin: false }));
      for (let n = 0; n < 100; n += 1) await client.write(empty);
      await othersAreServed();
      client.send(CONTINUATION, ", ended");

      assert.equal(await client.nextText(), "begun, ended");
    });
    client.destroy();
  });

  test("of fragments of a byte ends its connection at the limit", async () => {
    const client = await WebSocketClient.open(server.address, { path: "/small" });
    const one = many(frame(CONTINUATION, "x", { fin: false }), 8192);
    await client.write(frame(TEXT, "", { fin: false }));
    for (let n = 0; n < 9 && !client.isOver; n += 1) await client.write(one);

    await endedAbnormally(client, 1009);
    await othersAreServed();
  });

  test("and whose rest never comes takes no more than what has come, from many too", async () => {
    const clients = await Promise.all(
      Array.from({ length: 200 }, () => WebSocketClient.open(server.address, { path: "/small" })),
    );
    await inBoundedMemory(async () => {
      for (const client of clients)
        await client.write(frame(BINARY, Buffer.alloc(100), { told: 65_536, lengthBytes: 8 }));
      await othersAreServed();
    });
    for (const client of clients) client.destroy();
  });
});

describe("a flood", () => {
  test("of pings whose pongs nobody reads is bounded", async () => {
    const client = await WebSocketClient.open(server.address, { path: "/small" });
    client.socket.pause();
    const pings = many(frame(PING, Buffer.alloc(125)), 1000);
    await inBoundedMemory(async () => {
      await flood(client, pings, 128 * MIB);
      await othersAreServed();
    });
    client.destroy();
  });

  test("of pings whose pongs are read is answered, while others are served", async () => {
    const client = await WebSocketClient.open(server.address, { path: "/small" });
    for (let n = 0; n < 20; n += 1) {
      await client.write(many(frame(PING, "x"), 1000));
      await othersAreServed();
    }
    await client.arrived(20_000);

    assert.equal(client.reads.length, 20_000);
    client.destroy();
  });

  test("of pongs that nobody asked for does nothing", async () => {
    const client = await WebSocketClient.open(server.address, { path: "/small" });
    await inBoundedMemory(async () => {
      for (let n = 0; n < 50; n += 1) await client.write(many(frame(PONG, "x"), 1000));
      await othersAreServed();
    });
    client.text("and then");

    assert.equal(await client.nextText(), "and then");
    client.destroy();
  });

  test("of messages that are echoed to somebody who reads nothing ends his connection", async () => {
    const client = await WebSocketClient.open(server.address, { path: "/small" });
    client.socket.pause();
    const messages = many(frame(BINARY, Buffer.alloc(16_384)), 8);
    await inBoundedMemory(async () => {
      const sent = await flood(client, messages, 256 * MIB);
      assert.ok(sent < 128 * MIB, `${sent / MIB} MiB were taken`);
      await othersAreServed();
    });
    client.socket.resume();

    await endedAbnormally(client);
  });

  test("of messages whose steps wait closes the connection with 1008, and lets those end that have begun", async () => {
    const client = await WebSocketClient.open(server.address, { path: "/slow" });
    for (let n = 0; n < 300; n += 1) client.text(`${n}`);
    const { close } = await client.ended();

    assert.equal(close?.code, 1008);
    await othersAreServed();
  });

  test("of large messages whose steps wait closes it before there are many", async () => {
    const client = await WebSocketClient.open(server.address, { path: "/slow" });
    // One has begun and sixteen may wait, which are 1 MiB.
    for (let n = 0; n < 18; n += 1) client.binary(Buffer.alloc(65_536));
    const { close } = await client.ended();

    assert.equal(close?.code, 1008);
    await othersAreServed();
  });
});

describe("a client that reads nothing", () => {
  test("has its connection ended once more waits for it than may, without a close frame", async () => {
    const client = await WebSocketClient.open(server.address, { path: "/talk" });
    client.socket.pause();
    await inBoundedMemory(async () => {
      client.text("4096");
      await until("it was ended", async () => {
        await othersAreServed();
        return server.stdout().includes("talk closed 1006");
      });
    });
    client.socket.resume();
    const { close } = await client.ended();

    assert.equal(close, undefined);
    assert.ok(client.bytesRead < 64 * MIB, `${client.bytesRead / MIB} MiB`);
  });

  test("is nothing to those who read what is sent to all", async () => {
    const [reader, idler] = [
      await WebSocketClient.open(server.address, { path: "/room" }),
      await WebSocketClient.open(server.address, { path: "/room" }),
    ];
    const talker = await WebSocketClient.open(server.address, { path: "/room" });
    idler.socket.pause();
    await inBoundedMemory(async () => {
      for (let n = 0; n < 800; n += 1) {
        talker.binary(Buffer.alloc(32_768, n));
        const heard = await reader.nextMessage();
        assert.equal(heard?.payload[0], n & 0xff);
      }
    });
    idler.socket.resume();

    await endedAbnormally(idler);
    for (const client of [reader, talker]) client.destroy();
  });
});

test("a thousand connections that are cut in the middle of a frame leave nothing", async () => {
  const cut = async () => {
    const client = await WebSocketClient.open(server.address);
    await client.write(frame(TEXT, "x".repeat(2000)).subarray(0, 1000));
    client.socket.resetAndDestroy();
  };
  for (let n = 0; n < 5; n += 1) await Promise.all(Array.from({ length: 20 }, cut));
  await inBoundedMemory(async () => {
    for (let n = 0; n < 50; n += 1) await Promise.all(Array.from({ length: 20 }, cut));
    await othersAreServed();
  }, 32);
});
