// Streams of events over real sockets: what is written, and clients that misbehave.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";

import { EventStream } from "../support/event-stream.js";
import { pause } from "../support/patience.js";
import { type ServerProcess, startServer } from "../support/server-process.js";
import { dial, get, talk } from "../support/wire.js";

interface Facts {
  readonly clients: number;
  readonly waiting: number;
  readonly published: number;
  readonly skipped: number;
  readonly lost: number;
  readonly sources: { readonly open: number; readonly closed: number; readonly made: number };
  readonly heap: number;
}

/** A connection that reads events; `raw` is all that came, chunks and all. */
class Listener {
  readonly socket: Socket;
  readonly reader = new EventStream();
  raw = "";
  end: "open" | "ended" | "reset" = "open";
  #rest = Buffer.alloc(0);

  constructor(address: string, target: string, ...headers: readonly string[]) {
    this.socket = dial(address);
    this.socket.on("data", (piece) => this.#take(piece));
    this.socket.on("end", () => (this.end = "ended"));
    this.socket.on("error", () => (this.end = "reset"));
    this.socket.on("close", () => {
      if (this.end === "open") this.end = "ended";
    });
    this.socket.write(get(target, "Accept: text/event-stream", ...headers));
  }

  get data(): readonly string[] {
    return this.reader.events.map(({ data }) => data);
  }

  /** Whether the last chunk has come, which is empty. */
  get isWhole(): boolean {
    return this.raw.endsWith("\r\n0\r\n\r\n");
  }

  #take(piece: Buffer): void {
    this.raw = (this.raw + piece.toString("latin1")).slice(-100_000);
    this.#rest = Buffer.concat([this.#rest, piece]);
    if (this.reader.retryMs === undefined && !this.#rest.includes("\r\n\r\n")) return;
    if (this.reader.comments.length + this.reader.events.length === 0 && this.reader.retryMs === undefined)
      this.#rest = this.#rest.subarray(this.#rest.indexOf("\r\n\r\n") + 2);
    this.#chunks();
    // As clients do that were told that the connection ends with the answer.
    if (this.isWhole) this.socket.end();
  }

  // The engine ends a chunk with what it writes before the next.
  #chunks(): void {
    for (;;) {
      const [line, size] = /^\r\n([0-9a-f]+)\r\n/.exec(this.#rest.subarray(0, 20).toString("latin1")) ?? [];
      if (line === undefined || size === undefined) return;
      const end = line.length + Number.parseInt(size, 16);
      if (this.#rest.length < end) return;
      this.reader.read(this.#rest.subarray(line.length, end).toString());
      this.#rest = this.#rest.subarray(end);
    }
  }
}

describe("streams of events", () => {
  let server: ServerProcess;
  const listeners: Listener[] = [];
  before(async () => {
    server = await startServer("./events-server.ts", { HEARTBEAT_MS: "250" });
  });
  after(async () => {
    for (const { socket } of listeners) socket.destroy();
    await server.stop("SIGKILL");
  });

  const listen = (target: string, ...headers: readonly string[]): Listener => {
    const listener = new Listener(server.address, target, ...headers);
    listeners.push(listener);
    return listener;
  };
  const facts = async (): Promise<Facts> =>
    (await fetch(`http://${server.address}/facts`)).json() as Promise<Facts>;
  const publish = async (event: object): Promise<Facts> => {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(event),
    };
    return (await fetch(`http://${server.address}/publish`, init)).json() as Promise<Facts>;
  };
  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    const endsAt = performance.now() + 30_000;
    while (!(await holds())) {
      assert.ok(performance.now() < endsAt, "it takes too long");
      await pause(10);
    }
  }
  const begun = (listener: Listener) => until(() => listener.reader.retryMs !== undefined);

  test("arrive event by event, with heartbeats in between", async () => {
    const listener = listen("/events");
    await begun(listener);
    await publish({ data: "one\ntwo\r\nid: 5" });
    await until(() => listener.data.length === 1 && listener.reader.comments.length > 1);

    assert.match(listener.raw, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(listener.raw, /\r\ntransfer-encoding: chunked\r\n/i);
    assert.deepEqual(listener.data, ["one\ntwo\nid: 5"]);
    assert.equal(listener.end, "open");
    listener.socket.destroy();
    await until(async () => (await facts()).clients === 0);
  });

  test("go on behind the id that a client comes back with, which may be any text", async () => {
    const { published } = await facts();
    const first = listen("/events");
    await begun(first);
    await publish({ data: "missed" });
    const id = first.reader.lastId;
    const [epoch] = id.split("-");
    const back = listen("/events", `Last-Event-ID: ${epoch}-${published}`);
    const strange = ["", "\u00e9x\u00ff", "x".repeat(4000), "-1", `${epoch}-999999`, "__proto__"].map(
      (text) => listen("/events", `Last-Event-ID: ${text}`),
    );
    await until(() => back.data.length > 0);
    for (const listener of strange) await begun(listener);
    await publish({ data: "last" });
    await until(() => [back, ...strange].every(({ data }) => data.at(-1) === "last"));

    assert.deepEqual(back.data, ["missed", "last"]);
    assert.deepEqual(
      strange.map(({ reader }) => reader.events[0]?.event).slice(1),
      Array(5).fill("events-lost"),
    );
    assert.deepEqual(strange[0]?.data, ["last"]);
  });

  test("are not held up by a client that reads nothing, which costs no more than what it was given", async () => {
    const quick = listen("/events");
    const stuck = listen("/events");
    await begun(quick);
    await begun(stuck);
    stuck.socket.pause();
    let sent = 0;
    let now = await facts();
    const lost = now.lost;
    while (now.waiting === 0) {
      now = await publish({ data: "x".repeat(30_000), times: 20 });
      sent += 20;
    }
    const before = (await facts()).heap;
    for (let i = 0; i < 20; i += 1) {
      await publish({ data: "y".repeat(30_000), times: 20 });
      sent += 20;
    }
    await until(() => quick.data.filter((data) => data.length === 30_000).length === sent);
    const grown = (await facts()).heap - before;

    assert.ok(grown < 8_000_000, `${grown} bytes more`);
    assert.ok((await facts()).skipped >= 400);
    stuck.socket.resume();
    await until(async () => (await facts()).waiting === 0);
    await publish({ data: "at last" });
    await until(() => stuck.data.at(-1) === "at last" || stuck.end !== "open");
    if (stuck.end === "open") {
      assert.ok((await facts()).lost > lost);
      assert.ok(
        stuck.reader.events.some(
          ({ event, data }) => event === "events-lost" && data === '{"reason":"lagged"}',
        ),
      );
    }
  });

  test("end for a client alone that resets, leaves or closes its half", async () => {
    const others = (await facts()).clients;
    const gone = [listen("/events"), listen("/rooms/a"), listen("/endless")];
    for (const listener of gone) await begun(listener);
    gone[0]?.socket.resetAndDestroy();
    gone[1]?.socket.destroy();
    gone[2]?.socket.end();

    await until(async () => (await facts()).clients === others);
    await until(async () => {
      const { open, closed } = (await facts()).sources;
      return open === closed;
    });
    assert.ok(server.alive());
  });

  test("are made only as fast as their client reads, and no more when it has gone", async () => {
    const stuck = listen("/endless");
    await begun(stuck);
    stuck.socket.pause();
    let made = -1;
    await until(async () => {
      const before = made;
      made = (await facts()).sources.made;
      await pause(100);
      return made === before;
    });
    stuck.socket.destroy();

    await until(async () => {
      const { open, closed } = (await facts()).sources;
      return open === closed;
    });
  });

  test("that break off are not whole, so that the client can tell", async () => {
    const broken = listen("/broken");
    await until(() => broken.end !== "open");

    assert.deepEqual([broken.data, broken.reader.lastId, broken.isWhole], [["first"], "1", false]);
    assert.match(server.log(), /EVENTS_FAILED/);
  });

  test("are asked for with a body, or by HEAD, or refused, as any route is", async () => {
    const { replies } = await talk(server.address, get("/closed"), { until: 1 });
    assert.equal(replies[0]?.status, 403);
    const head = await talk(server.address, get("/events").replace("GET", "HEAD"), { until: 1, heads: [0] });
    assert.equal(head.replies[0]?.headers["content-type"], "text/event-stream");
    assert.equal(head.replies[0]?.body, "");
    const chunked = "Transfer-Encoding: chunked\r\n";
    const body = listen("/over");
    body.socket.write(`GET /events HTTP/1.1\r\nHost: a\r\n${chunked}\r\n3\r\nabc\r\n0\r\n\r\n`);
    await until(() => body.raw.includes("text/event-stream"));
    assert.ok(server.alive());
  });

  test("cost less than 1 KiB of memory for each client that listens", async () => {
    const many = 400;
    const roomy = await startServer("./events-server.ts");
    const open: Listener[] = [];
    const heaps: number[] = [];
    for (let batch = 0; batch < 6; batch += 1) {
      const all = Array.from(
        { length: many },
        () => new Listener(roomy.address, "/events", "User-Agent: a browser"),
      );
      open.push(...all);
      for (const listener of all) await begun(listener);
      await fetch(`http://${roomy.address}/facts`);
      const { heap, clients } = (await (await fetch(`http://${roomy.address}/facts`)).json()) as Facts;
      assert.equal(clients, open.length);
      heaps.push(heap);
    }
    for (const { socket } of open) socket.destroy();
    await roomy.stop("SIGKILL");

    // Meanwhile functions are compiled, and tables grow: the batch with the least of that tells.
    const costs = heaps.slice(1).map((heap, i) => (heap - (heaps[i] as number)) / many);
    assert.ok(Math.min(...costs) < 1024, `${costs.map(Math.round).join(", ")} bytes for each`);
  });

  test("end at once when the server stops, and it waits for nobody", async () => {
    const stopped = await startServer("./events-server.ts", { FRAMEWORK_SERVER_DRAIN_IDLE_SECS: "0" });
    const open = Array.from({ length: 20 }, () => new Listener(stopped.address, "/events"));
    for (const listener of open) await begun(listener);

    assert.equal(await stopped.stop("SIGTERM"), 0);
    await until(() => open.every(({ end }) => end !== "open"));

    for (const listener of open) {
      assert.ok(listener.isWhole, listener.raw.slice(-200));
      assert.equal(listener.reader.retryMs, 100);
    }
  });
});
