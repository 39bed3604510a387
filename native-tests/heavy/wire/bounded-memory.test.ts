// What clients cost a server that serves many of them: programs, because the memory of a whole
// process is compared.

import assert from "node:assert/strict";
import { once } from "node:events";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";

import { EventListener } from "../../support/event-stream.js";
import { pause, until } from "../../support/patience.js";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { site } from "../../support/site.js";
import { WebSocketClient } from "../../support/websocket-client.js";
import { BINARY, frame, RSV1 } from "../../support/websocket-frames.js";
import { dial, get } from "../../support/wire.js";

const MIB = 1024 * 1024;

describe("streams of events", () => {
  interface Facts {
    readonly clients: number;
    readonly waiting: number;
    readonly skipped: number;
    readonly lost: number;
    readonly heap: number;
  }
  async function served(use: (server: ServerProcess) => Promise<void>): Promise<void> {
    const server = await startIngress("events-ingress.ts", { heartbeatMs: 250 });
    await use(server).finally(() => server.stop("SIGKILL"));
  }
  const begun = (listener: EventListener) =>
    until("it is being sent events", () => listener.reader.retryMs !== undefined);
  const factsOf = async (server: ServerProcess) =>
    (await (await fetch(`http://${server.address}/facts`)).json()) as Facts;

  test("are not held up by a client that reads nothing, which costs no more than what it was given", () =>
    served(async (server) => {
      const facts = () => factsOf(server);
      const publish = async (event: object) => {
        const headers = { "content-type": "application/json" };
        const init = { method: "POST", headers, body: JSON.stringify(event) };
        return (await (await fetch(`http://${server.address}/publish`, init)).json()) as Facts;
      };
      const quick = new EventListener(server.address, "/events");
      const stuck = new EventListener(server.address, "/events");
      await begun(quick);
      await begun(stuck);
      stuck.socket.pause();
      let sent = 0;
      let now = await facts();
      while (now.waiting === 0) {
        now = await publish({ data: "x".repeat(30_000), times: 20 });
        sent += 20;
      }
      const before = (await facts()).heap;
      for (let i = 0; i < 20; i += 1) {
        await publish({ data: "y".repeat(30_000), times: 20 });
        sent += 20;
      }
      await until("all has come", () => quick.data.filter((data) => data.length === 30_000).length === sent);
      const grown = (await facts()).heap - before;

      assert.ok(grown < 8_000_000, `${grown} bytes more`);
      assert.ok((await facts()).skipped >= 400);
      stuck.socket.resume();
      await until("no client is behind", async () => (await facts()).waiting === 0);
      await publish({ data: "at last" });
      await until("it has the last", () => stuck.data.at(-1) === "at last" || stuck.end !== "open");
      if (stuck.end === "open") {
        assert.ok((await facts()).lost > 0);
        const isLag = ({ event, data }: { event: string; data: string }) =>
          event === "events-lost" && data === '{"reason":"lagged"}';
        assert.ok(stuck.reader.events.some(isLag));
      }
      for (const { socket } of [quick, stuck]) socket.destroy();
    }));

  test("cost less than 1 KiB of memory for each client that listens", () =>
    served(async (server) => {
      const many = 400;
      const open: EventListener[] = [];
      const heaps: number[] = [];
      for (let batch = 0; batch < 6; batch += 1) {
        const all = Array.from(
          { length: many },
          () => new EventListener(server.address, "/events", "User-Agent: a browser"),
        );
        open.push(...all);
        for (const listener of all) await begun(listener);
        await factsOf(server);
        const { heap, clients } = await factsOf(server);
        assert.equal(clients, open.length);
        heaps.push(heap);
      }
      for (const { socket } of open) socket.destroy();

      // Meanwhile functions are compiled, and tables grow: the batch with the least of that tells.
      const costs = heaps.slice(1).map((heap, i) => (heap - (heaps[i] as number)) / many);
      assert.ok(Math.min(...costs) < 1024, `${costs.map(Math.round).join(", ")} bytes for each`);
    }));
});

test("files over a socket cost a client that reads nothing a piece of memory, and no more", async () => {
  const folder = site({ "slow.bin": "" });
  truncateSync(join(folder, "slow.bin"), 200 * MIB);
  const server = await startIngress("static-ingress.ts", { folder });
  const facts = async () =>
    (await (await fetch(`http://${server.address}/facts`)).json()) as Record<string, number>;
  const begun = async () => {
    const socket = dial(server.address).on("error", () => {});
    socket.write(get("/static/slow.bin"));
    await once(socket, "readable");
    return socket;
  };
  try {
    const before = await facts();
    const sockets = await Promise.all(Array.from({ length: 100 }, begun));
    const during = await facts();
    const grown = (name: string) => (during[name] as number) - (before[name] as number);

    assert.ok(grown("arrayBuffers") < 100 * 200_000, "less than 200 KB each");
    assert.ok(grown("rss") < 100 * MIB, `${grown("rss")}`);
    for (const socket of sockets) socket.destroy();
    await until("none is open", async () => (await facts())["openFiles"] === 0);
  } finally {
    await server.end();
  }
});

test("a message that is small on the wire and large behind it ends its connection at the limit, is in no memory, and is nobody else's concern", async () => {
  const server = await startIngress("websocket-ingress.ts");
  const headers = { "Sec-WebSocket-Extensions": "permessage-deflate" };
  const open = () => WebSocketClient.open(server.address, { path: "/deflate", headers });
  const other = await WebSocketClient.open(server.address, { path: "/deflate" });
  const deflated = deflateRawSync(Buffer.alloc(60_000_000), { finishFlush: constants.Z_SYNC_FLUSH });
  const bomb = frame(BINARY, deflated.subarray(0, -4), { rsv: RSV1 });
  try {
    const memory = await server.memory();
    for (let round = 0; round < 20; round += 1) {
      const clients = await Promise.all(Array.from({ length: 5 }, open));
      for (const client of clients) void client.write(bomb);
      for (const client of clients) {
        const { close } = await client.ended();
        assert.ok(close === undefined || close.code === 1009, `closed with ${close?.code}`);
        assert.deepEqual(client.reads, []);
      }
      other.text(`still here ${round}`);
      assert.equal(await other.nextText(), `still here ${round}`);
    }
    await pause(50);

    const grown = (await server.memory()) - memory;
    assert.ok(grown < 64 * MIB, `${Math.round(grown / MIB)} MiB more than before`);
    other.destroy();
  } finally {
    await server.end();
  }
});
