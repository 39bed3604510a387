import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { Feed } from "#inspector/feed/feed.js";
import { Peers } from "#inspector/peers/peers.js";
import { FeedHub, FeedSpoke } from "#inspector/peers/shared-feed.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";

/** A first worker and another one, with the feed of each, and how often one told the other something. */
function workers() {
  const rooms = new MemoryRooms();
  const clock = new ManualClock();
  const said = { count: 0 };
  const join = (pid: number) => {
    const feed = new Feed({ clock, wallClock: () => 1000 * pid });
    return { feed, peers: new Peers({ bus: rooms.join(), expected: 1, clock, pid }), clock };
  };
  const [first, other] = [join(1), join(2)];
  rooms.join().subscribe({
    message: () => {
      said.count += 1;
    },
    failed: () => {},
  });
  const hub = new FeedHub(first);
  new FeedSpoke(other);
  hub.start();
  /** Time goes on, and what is sent arrives. */
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 250) {
      await clock.advance(250);
      for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    }
  };
  const sent: any[] = [];
  const listen = (subscription: object = {}, to = sent) => {
    const send = (text: string) => to.push(JSON.parse(text));
    const client = first.feed.join({ send, close() {}, bufferedAmount: 0, isOpen: true } as never, "viewer");
    first.feed.request(client, { type: "subscribe", ...subscription });
    return client;
  };
  const emit = (count: number, circuit = "c") => {
    const node = `${circuit}/n`;
    for (let n = 0; n < count; n += 1)
      other.feed.tell({ kind: "event", run_id: `r-${n}`, circuit, node, name: "done" });
  };
  const events = () => sent.flatMap((message) => message.events ?? []);
  const lost = () => sent.reduce((sum, message) => sum + (message.lost ?? 0), 0);
  const { peers } = other;
  return { feed: first.feed, other: other.feed, peers, said, pass, listen, emit, events, lost };
}

describe("a feed of several workers", () => {
  test("says nothing while nobody listens, and nothing any more once nobody does", async () => {
    const { feed, other, said, pass, listen, emit } = workers();
    await pass(5000);
    assert.deepEqual([said.count, other.isHeard], [0, false]);
    const client = listen();
    await pass(1000);
    assert.equal(other.hasClients, true);
    feed.leave(client);
    // So long it may come back and have what it missed.
    await pass(70_000);
    const before = said.count;
    emit(10);
    await pass(5000);

    assert.equal(other.hasClients, false);
    assert.equal(said.count, before);
  });

  test("tells what another one tells, with its time, in numbers of its own", async () => {
    const { feed, pass, listen, emit, events, lost } = workers();
    listen();
    await pass(1000);
    feed.tell({ kind: "event", run_id: "own", circuit: "c", node: "c/n", name: "done" });
    emit(3);
    await pass(1000);

    assert.deepEqual(
      events().map(({ run_id, at, seq }) => [run_id, at, seq]),
      [
        ["own", 1000, 1],
        ["r-0", 2000, 2],
        ["r-1", 2000, 3],
        ["r-2", 2000, 4],
      ],
    );
    assert.equal(lost(), 0);
  });

  test("has what happened while a client had lost its connection, for it to go on", async () => {
    const { feed, pass, listen, emit, events } = workers();
    const client = listen();
    await pass(1000);
    feed.leave(client);
    await pass(5000);
    emit(3);
    await pass(5000);
    const send: any[] = [];
    const socket = { send: (text: string) => send.push(JSON.parse(text)), close() {}, bufferedAmount: 0 };
    const again = feed.join({ ...socket, isOpen: true } as never, "viewer");
    feed.request(again, { type: "subscribe", after: 0 });
    await pass(1000);

    assert.equal(events().length, 0);
    assert.deepEqual(
      send.flatMap((message) => message.events ?? []).map(({ run_id }) => run_id),
      ["r-0", "r-1", "r-2"],
    );
  });

  test("loses what is more than a batch of each worker may have, and counts it", async () => {
    const { feed, other, pass, listen, emit, events, lost } = workers();
    listen();
    await pass(1000);
    emit(800);
    await pass(1000);

    assert.equal(events().length + lost(), 800);
    assert.equal(events().length, 500);
    // /metrics adds the counts of all workers.
    assert.deepEqual([feed.stats.lost, other.stats.lost], [300, 0]);
  });

  test("counts what is lost for those alone that could have been sent it", async () => {
    const { feed, pass, listen, emit } = workers();
    const subscriptions = [
      {},
      { circuits: ["c"] },
      { circuits: ["d"] },
      { nodes: ["c/n"] },
      { kinds: ["stall_detected", "circuit_exit"] },
    ];
    const lost = subscriptions.map((subscription) => {
      const sent: any[] = [];
      listen(subscription, sent);
      return () => sent.reduce((sum, message) => sum + (message.lost ?? 0), 0);
    });
    await pass(1000);
    emit(800, "c");
    emit(400, "d");
    await pass(1000);

    const [all, ofC, ofD, ofNode, ofKind] = lost.map((count) => count());
    assert.deepEqual([all, ofNode, ofKind], [700, ofC, 0]);
    assert.equal((ofC ?? 0) + (ofD ?? 0), 700);
    assert.ok((ofD ?? 0) > 100, "They are spread evenly");
    assert.equal(feed.stats.lost, 700 + 700 + (ofC ?? 0));
  });

  test("counts what a worker of an earlier build lost, which does not say of what kind", async () => {
    const { feed, peers, pass, listen } = workers();
    listen({ kinds: ["alert"] });
    await pass(1000);
    peers.tell("feed events", {
      text: '{"type":"events","events":[],"lost":5}',
      lost: { groups: [{ kind: "event", circuit: "c", node: "c/n", count: 3 }], unknown: 2 },
    });
    await pass(1000);

    assert.equal(feed.stats.lost, 2);
  });

  test("counts for everybody what had to make room before anybody read it", async () => {
    const { pass, listen, emit } = workers();
    const sent: any[] = [];
    listen({ kinds: ["circuit_exit"] }, sent);
    await pass(1000);
    emit(9000);
    await pass(1000);

    assert.equal(
      sent.reduce((sum, message) => sum + (message.lost ?? 0), 0),
      9000 - 8192,
    );
  });

  test("goes on for as long as somebody listens", async () => {
    const { pass, listen, emit, events } = workers();
    listen();
    await pass(20_000);
    emit(1);
    await pass(1000);

    assert.equal(events().length, 1);
  });
});
