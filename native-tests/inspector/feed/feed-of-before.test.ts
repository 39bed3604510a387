// A client that was built before this release, with its schemas as they were.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { Axon, BearerAuth, Framework, fault, ProblemDetail } from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

import { FeedMessage } from "#inspector/api/events.js";
import { Feed, type NewFeedEvent } from "#inspector/feed/feed.js";
import { Peers } from "#inspector/peers/peers.js";
import { FeedHub, FeedSpoke } from "#inspector/peers/shared-feed.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { fits } from "#schema/compile/validator.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { FeedMessage as MessageOfBefore } from "../../support/feed-of-before.js";
import { circuitOf, figuresOf, listener, nodeOf } from "../../support/figures-of.js";

const NAME = "節".repeat(200);
const place = { circuit: NAME, node: `${NAME}/n` };
const request = { method: "GET", path: `/${NAME}`, request_id: NAME };
const payload = { kind: "full" as const, value: "x".repeat(16_384), is_cut: false };
const breakpoint = {
  ...{ id: "b1", circuit: NAME, node_id: `${NAME}/n`, label: NAME, condition: null, mode: "hold" as const },
  ...{ hold_ms: 1, max_hits: 1, hits: 0, let_through: 0, enabled: true, created_at: 0, snapshots: [] },
};
const run = {
  ...{
    run_id: "r",
    circuit: NAME,
    version: "1",
    status: "faulted" as const,
    started_at: 0,
    duration_us: 1,
    ended_at: 0,
  },
  ...{ node_count: 1, request: { ...request, route: NAME, trace_id: null, http_status: 422 }, goes_on: null },
  fault: { node: `${NAME}/n`, label: NAME, code: "X", status: 422, title: "Wrong", detail: "d".repeat(4000) },
};
/** One event of each kind. */
const EVENTS: readonly NewFeedEvent[] = [
  { kind: "node_exit", run_id: "r", ...place, label: NAME, outcome: "fault", duration_us: 1, fault: NAME },
  { kind: "circuit_exit", run },
  {
    kind: "node_paused",
    paused: {
      ...{ id: "h", run_id: "r", circuit: NAME, node_id: `${NAME}/n`, label: NAME, breakpoint_id: null },
      ...{ since: 0, until: 1, input: payload, input_schema: {}, request },
    },
  },
  { kind: "node_resumed", id: "h", run_id: "r", how: "time" },
  { kind: "event", run_id: "r", ...place, name: NAME },
  {
    kind: "metrics",
    metrics: figuresOf([
      circuitOf(
        NAME,
        [...Array(1314).keys()].map((n) => nodeOf(`${NAME}/${n}`)),
      ),
    ]),
  },
  {
    kind: "stall_detected",
    stall: { run_id: "r", ...place, label: NAME, entered_at: 0, stalled_ms: 1, threshold_ms: 1, request },
  },
  { kind: "stall_ended", run_id: "r", node: `${NAME}/n`, stalled_ms: 1 },
  {
    kind: "alert",
    alert: {
      ...{
        key: "k",
        kind: "stall",
        state: "active",
        severity: "critical",
        ...place,
        title: NAME,
        cause: NAME,
      },
      ...{ since: 0, last_at: 0, resolved_at: null, run_ids: ["r"] },
    },
  },
  { kind: "breakpoint", breakpoint, change: "set" },
];

function assertRead(texts: readonly string[]): void {
  for (const text of texts) {
    assert.ok(Buffer.byteLength(text) <= 262_144, `${Buffer.byteLength(text)} bytes`);
    for (const schema of [MessageOfBefore, FeedMessage])
      assert.ok(fits(schema, JSON.parse(text)), text.slice(0, 500));
  }
}

describe("a client of the feed that was built before", () => {
  test("reads every message, of 1314 nodes and names of 200 characters too, none above 256 KiB", () => {
    const feed = new Feed({ clock: { now: () => 10_000, after: () => () => {} } });
    const { wire } = listener(feed, { kinds: EVENTS.map(({ kind }) => kind) });
    for (let round = 0; round < 100; round += 1) for (const event of EVENTS) feed.tell(event);
    for (let n = 0; n < 40; n += 1) feed.flush();

    assertRead(wire.texts);
    const kinds = new Set(wire.events().map(({ kind }) => kind));
    assert.equal(kinds.size, EVENTS.length);
  });

  test("reads every message of a service of several workers", async () => {
    const rooms = new MemoryRooms();
    const clock = new ManualClock();
    const join = (pid: number) => {
      const feed = new Feed({ clock });
      return { feed, peers: new Peers({ bus: rooms.join(), expected: 1, clock, pid }), clock };
    };
    const [first, other] = [join(1), join(2)];
    const hub = new FeedHub(first);
    new FeedSpoke(other);
    hub.start();
    const { wire } = listener(first.feed, {});
    const pass = async (times: number): Promise<void> => {
      for (let n = 0; n < 3 * times; n += 1) {
        if (n % 3 === 0) await clock.advance(250);
        await setImmediate();
      }
    };
    await pass(4);
    for (let round = 0; round < 300; round += 1)
      for (const event of EVENTS) if (event.kind !== "metrics") other.feed.tell(event);
    await pass(40);
    hub.close();

    assert.ok(wire.texts.length > 5);
    assertRead(wire.texts);
  });

  test("reads what a server sends it, its own questions being understood", async () => {
    const closed = new ProblemDetail({ status: 409, code: "CLOSED", title: "Closed" });
    const order = Axon.start("order").thenFn("pay", () => fault(closed), { responses: [closed] });
    const ingress = Framework.http()
      .get(
        "/hello",
        Axon.start("hello").thenFn("greet", () => "hello"),
      )
      .get("/order", order)
      .inspector({
        ...{ enabled: true, metricsIntervalMs: 100 },
        auth: BearerAuth.tokens({ operator: "operator-token-0123456789" }),
      });
    await using app = new TestApp(ingress);
    await app.start();
    const { app: inspector } = inspectorOf(ingress);
    const authorization = "Bearer operator-token-0123456789";
    const socket = await inspector.ws("/api/v1/events", { headers: { host: "localhost", authorization } });
    const texts: string[] = [];
    socket.send('{"type":"subscribe","circuits":["hello","order"],"nodes":["order/pay"],"faults_only":true}');
    socket.send('{"type":"unsubscribe"}');
    socket.send('{"type":"subscribe","kinds":["circuit_exit","node_exit","metrics"],"after":0}');
    const kinds = () => new Set(texts.join("").match(/"kind":"(?:circuit_exit|node_exit|metrics)"/g));
    // Until the subscription has reached the feed.
    while (kinds().size < 3) {
      await app.get("/hello");
      await app.get("/order");
      texts.push((await socket.next()) as string);
    }
    await socket.close();
    await inspector.close();

    assertRead(texts);
    assert.ok(!texts.some((text) => text.includes('"type":"error"')));
  });
});
