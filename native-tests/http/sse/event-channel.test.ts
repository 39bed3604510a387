import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { Type } from "@sinclair/typebox";

import { Axon, emit, eventKind } from "framework";
import { FrameworkError } from "#core/errors.js";
import { EventChannel } from "#http/sse/event-channel.js";
import { ROUND_CLIENTS } from "#http/sse/fan-out.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { channelOf, listeners, seen } from "../../support/event-listeners.js";
import type { MemoryPipe } from "../../support/event-pipe.js";

const isRefused = (error: unknown): boolean =>
  error instanceof FrameworkError && error.code === "EVENT_INVALID";

describe("a channel of events", () => {
  test("gives an event to all who listen, in the same bytes", () => {
    const { connect } = listeners();
    const channel = channelOf();
    const clients = Array.from({ length: 3 }, () => connect(channel.subscribe()));

    channel.publish({ event: "count", data: 1 });

    for (const { reader } of clients)
      assert.deepEqual(reader.events, [{ event: "count", data: "1", id: "e-1" }]);
    const [first, ...others] = clients.map(({ writes }) => writes.at(-1));
    for (const other of others) assert.equal(other, first);
  });

  test("publishes events of an Axon: those of the kind, as they are picked", async () => {
    const { connect } = listeners();
    const channel = channelOf();
    const client = connect(channel.subscribe());
    const Booked = eventKind<{ berth: number }>()("booked");
    const Left = eventKind<{ berth: number }>()("left");
    const axon = Axon.start<number>("book")
      .thenFn("book", { emits: [Booked] }, (berth) => emit(Booked, { berth }, berth))
      .thenFn("leave", { emits: [Left] }, (berth) => emit(Left, { berth }, berth))
      .withEventSink(channel.sinkOf(Booked, ({ berth }) => (berth === 13 ? undefined : { data: berth })));

    await axon.execute(4);
    await axon.execute(13);

    assert.deepEqual(
      client.reader.events.map(({ event, data }) => [event, data]),
      [["booked", "4"]],
    );
  });

  test("tells a client that comes for the first time where it is, and how long to wait", () => {
    const { connect } = listeners();
    const channel = channelOf();
    const early = connect(channel.subscribe());
    channel.publish({ data: 1 });
    const late = connect(channel.subscribe());

    assert.deepEqual([early.reader.lastId, early.reader.retryMs], ["e-1", 1000]);
    assert.deepEqual([seen(late), late.reader.lastId], [[], "e-1"]);
  });

  test("gives a client that comes back what it missed, also where it had seen no event yet", () => {
    const { connect } = listeners();
    const channel = channelOf();
    const client = connect(channel.subscribe());
    client.leave();
    for (const data of [1, 2, 3]) channel.publish({ data });

    const back = connect(channel.subscribe(), client.reader.lastId);

    assert.deepEqual(seen(back), ["1", "2", "3"]);
    assert.deepEqual(seen(connect(channel.subscribe(), "e-2")), ["3"]);
    assert.deepEqual(seen(connect(channel.subscribe(), "e-3")), []);
  });

  test("tells a client that the id it comes back with is no longer, or never was, one of the channel's", () => {
    const { connect } = listeners();
    const channel = channelOf(2);
    for (const data of [1, 2, 3, 4]) channel.publish({ data });

    for (const id of ["e-1", "e-99", "f-3", "x\u00e9"]) {
      const client = connect(channel.subscribe(), id);
      channel.publish({ data: 9 });
      assert.deepEqual(seen(client), ["lost", "9"], id);
      assert.deepEqual(client.reader.events[0]?.data, '{"reason":"unknown"}');
      client.leave();
    }
  });

  test("knows an event that it keeps no longer, where all that follows it is there", () => {
    const { connect } = listeners();
    const channel = channelOf(2);
    for (const data of [1, 2, 3, 4]) channel.publish({ data });

    assert.deepEqual(seen(connect(channel.subscribe(), "e-2")), ["3", "4"]);
  });

  test("takes ids of the program's own, and finds them again", () => {
    const { connect } = listeners();
    const channel = channelOf();
    channel.publish({ id: "order 7", data: 1 });
    channel.publish({ id: "order 8", data: 2 });

    assert.deepEqual(seen(connect(channel.subscribe(), "order 7")), ["2"]);
  });

  test("gives a client only what its filter takes, and asks it of each event once", () => {
    const { connect } = listeners();
    const channel = channelOf();
    const asked: string[] = [];
    const client = connect(
      channel.subscribe(({ id, event, topic }) => {
        asked.push(`${id} ${event} ${topic}`);
        return topic === "a";
      }),
    );

    channel.publish({ topic: "a", data: 1 });
    channel.publish({ topic: "b", data: 2, event: "other" });
    channel.publish({ topic: "a", data: 3 });

    assert.deepEqual(seen(client), ["1", "3"]);
    assert.deepEqual(asked, ["e-1 message a", "e-2 other b", "e-3 message a"]);
  });

  test("gives each client first how things are, again where it begins anew, and not where it lacks nothing", () => {
    const { connect } = listeners();
    const channel = channelOf(2);
    let now = 0;
    const subscribed = () => channel.subscribe({ first: () => [{ event: "now", data: now }] });
    const client = connect(subscribed());
    client.takes = false;
    for (now = 1; now < 5; now += 1) channel.publish({ data: now });
    client.take();

    assert.deepEqual(seen(client), ["0", "1", "lost", "5"]);
    assert.equal(client.reader.lastId, "e-4");
    assert.deepEqual(seen(connect(subscribed(), "e-4")), []);
    assert.deepEqual(seen(connect(subscribed(), "gone")), ["lost", "5"]);
  });

  test("lets a client listen from when it subscribed, though its answer begins later", () => {
    const { connect } = listeners();
    const channel = channelOf();
    const subscription = channel.subscribe();
    channel.publish({ data: 1 });

    assert.deepEqual(seen(connect(subscription)), ["1"]);
  });

  test("refuses, and sends to nobody, what is no event", () => {
    const { connect } = listeners();
    const channel = new EventChannel({
      name: "checked",
      schema: Type.Object({ n: Type.Integer() }),
      check: "validate",
      maxEventBytes: 64,
    });
    const client = connect(channel.subscribe());
    const loose = new EventChannel({ name: "loose" });

    assert.throws(
      () => channel.publish({ data: { n: "secret" as unknown as number } }),
      (error: Error) => isRefused(error) && !error.message.includes("secret"),
    );
    assert.throws(() => channel.publish({ event: "a\nb", data: { n: 1 } }), isRefused);
    for (const id of ["", "a\rb", "\u00e9"])
      assert.throws(() => channel.publish({ id, data: { n: 1 } }), isRefused);
    assert.throws(() => channel.publish({ event: "x".repeat(60), data: { n: 1 } }), isRefused);
    for (const data of [undefined, () => 1, 1n]) assert.throws(() => loose.publish({ data }), isRefused);

    assert.deepEqual([seen(client), channel.stats.published, loose.stats.published], [[], 0, 0]);
  });

  test("writes by its schema, so that nothing goes out that it does not name", () => {
    const { connect } = listeners();
    const channel = new EventChannel({ name: "named", schema: Type.Object({ n: Type.Integer() }) });
    const client = connect(channel.subscribe());

    channel.publish({ data: { n: 1, password: "x" } as { n: number } });

    assert.deepEqual(seen(client), ['{"n":1}']);
  });

  test("ends a client alone whose filter throws, and reports it", () => {
    const { connect, reports } = listeners();
    const channel = channelOf();
    const broken = connect(
      channel.subscribe(() => {
        throw new Error("broken");
      }),
    );
    const other = connect(channel.subscribe());

    channel.publish({ data: 1 });

    assert.deepEqual([broken.how, seen(broken)], ["failed", []]);
    assert.deepEqual(seen(other), ["1"]);
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["EVENTS_FAILED"],
    );
    assert.equal(channel.stats.clients, 1);
  });

  test("tells once of each client that has gone", () => {
    const { connect, open } = listeners();
    const channel = channelOf();
    let gone = 0;
    const client = connect(channel.subscribe({ onClose: () => (gone += 1) }));
    client.leave();
    client.leave();

    assert.deepEqual([gone, channel.stats.clients, open.count], [1, 0, 0]);
  });

  test("lets a client that publishes when it has gone, or is asked, mix nothing up", () => {
    const { connect } = listeners();
    const channel = channelOf();
    const others = [connect(channel.subscribe()), connect(channel.subscribe())];
    connect(
      channel.subscribe(({ topic }) => {
        if (topic === "ask") channel.publish({ data: 2 });
        return true;
      }),
    );
    others.push(connect(channel.subscribe()));

    channel.publish({ topic: "ask", data: 1 });

    for (const other of others) assert.deepEqual(seen(other), ["1", "2"]);
  });

  test("tells a client with each heartbeat where it is, though nothing was for it", () => {
    const { connect, deadlines } = listeners({ heartbeatMs: 250 });
    const channel = channelOf(2);
    const client = connect(channel.subscribe(({ topic }) => topic === "a"));
    for (const data of [1, 2, 3]) channel.publish({ data });
    deadlines.tick();
    deadlines.tick();

    assert.deepEqual([client.reader.lastId, seen(client)], ["e-3", []]);
    client.leave();
    channel.publish({ topic: "a", data: 4 });
    assert.deepEqual(seen(connect(channel.subscribe(), client.reader.lastId)), ["4"]);
  });

  test("tells no client with a heartbeat that it has what is still to come", () => {
    const { connect, deadlines } = listeners({ heartbeatMs: 250 });
    const channel = channelOf();
    const clients = Array.from({ length: ROUND_CLIENTS + 1 }, () => connect(channel.subscribe()));
    const last = clients.at(-1) as MemoryPipe;
    channel.publish({ data: 1 });
    deadlines.tick();
    deadlines.tick();

    assert.deepEqual([last.reader.comments.length, last.reader.lastId, seen(last)], [1, "e-0", []]);
    assert.equal(clients[0]?.reader.lastId, "e-1");
  });

  test("reaches the clients of other processes, who may come back to any of them", async () => {
    const rooms = new MemoryRooms();
    const [here, there] = ["a", "b"].map(
      (epoch) => new EventChannel<unknown>({ name: "news", epoch, rooms: rooms.join() }),
    ) as [EventChannel, EventChannel];
    const other = new EventChannel<unknown>({ name: "other", rooms: rooms.join() });
    const { connect } = listeners();
    const clients = [connect(here.subscribe()), connect(there.subscribe(({ topic }) => topic === "\u00e9"))];
    const stranger = connect(other.subscribe());

    const id = here.publish({ event: "said", topic: "\u00e9", data: "one\ntwo \u00e9" });
    here.publish({ data: "not for the second" });
    while (there.stats.published < 2) await turn();

    for (const { reader } of clients)
      assert.deepEqual(reader.events[0], { event: "said", data: "one\ntwo \u00e9", id });
    assert.equal(clients[1]?.reader.events.length, 1);
    assert.deepEqual(seen(stranger), []);
    assert.deepEqual(seen(connect(there.subscribe(), id)), ["not for the second"]);
  });

  test("warns several workers once that each has clients of its own, unless they are joined", () => {
    const { connect, reports } = listeners({ workers: 2 });
    const alone = channelOf();
    const rooms = { publish: () => {}, subscribe: () => () => {}, dispose: () => {} };
    const joined = new EventChannel<unknown>({ name: "joined", rooms });
    for (const channel of [alone, alone, joined]) connect(channel.subscribe());
    const single = listeners();
    single.connect(alone.subscribe());

    assert.deepEqual([reports.map(({ code }) => code), single.reports], [["STATE_PER_WORKER"], []]);
    assert.match(String(reports[0]?.message), /'numbers'.*workerRooms/);
  });
});
