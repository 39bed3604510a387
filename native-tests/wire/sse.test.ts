// Streams of events over real sockets: what is written, and clients that misbehave.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import type { Report } from "framework";

import { EventListener } from "../support/event-stream.js";
import { ingress } from "../support/events-ingress.js";
import { pause } from "../support/patience.js";
import { served } from "../support/served.js";
import { get, talk } from "../support/wire.js";

interface Facts {
  readonly clients: number;
  readonly waiting: number;
  readonly published: number;
  readonly skipped: number;
  readonly lost: number;
  readonly sources: { readonly open: number; readonly closed: number; readonly made: number };
}

describe("streams of events", () => {
  const reports: Report[] = [];
  const server = served(ingress, { heartbeatMs: 250, reporter: (report) => void reports.push(report) });
  const listeners: EventListener[] = [];
  after(() => {
    for (const { socket } of listeners) socket.destroy();
  });

  const listen = (target: string, ...headers: readonly string[]): EventListener => {
    const listener = new EventListener(server.address, target, ...headers);
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
  const begun = (listener: EventListener) => until(() => listener.reader.retryMs !== undefined);

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
    assert.ok(reports.some(({ code }) => code === "EVENTS_FAILED"));
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
  });

  test("end at once when the server stops, and it waits for nobody", async () => {
    const stopped = await ingress({ processGuards: false }).drainIdle(0).run();
    const open = Array.from({ length: 20 }, () => new EventListener(stopped.address, "/events"));
    for (const listener of open) await begun(listener);

    await stopped.close();
    await until(() => open.every(({ end }) => end !== "open"));

    for (const listener of open) {
      assert.ok(listener.isWhole, listener.raw.slice(-200));
      assert.equal(listener.reader.retryMs, 100);
    }
  });
});
