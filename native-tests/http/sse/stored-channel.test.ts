import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, EventChannel, Framework, openStores } from "framework";
import { TestApp } from "framework/http";
import type { ChannelEntry, ChannelListener, KeptChannelEvent } from "#core/ports/channel-store.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { channelOf, listeners, seen } from "../../support/event-listeners.js";

/** A store that keeps the events of one channel, and delivers them when the test asks for it. */
function storeOf(...kept: readonly string[]) {
  const entries: ChannelEntry[] = [];
  const followers = new Set<ChannelListener>();
  const add = (event: KeptChannelEvent): ChannelEntry => {
    const entry = { id: `s-${entries.length + 1}`, event };
    entries.push(entry);
    return entry;
  };
  for (const data of kept) add({ id: undefined, event: "message", topic: "", text: `data: ${data}\n\n` });
  const published: KeptChannelEvent[] = [];
  const channels = {
    publish: (_: string, event: KeptChannelEvent) => void published.push(event),
    follow: (_: string, __: number, listener: ChannelListener) => {
      followers.add(listener);
      return () => void followers.delete(listener);
    },
  };
  return {
    published,
    followers,
    stores: { channels } as unknown as StoreSet,
    begin: (before = "s-0", ...given: readonly ChannelEntry[]) => {
      for (const { begun } of followers) begun(before, given.length > 0 ? given : entries);
    },
    arrive: () => {
      for (const event of published.splice(0)) {
        const entry = add(event);
        for (const follower of followers) follower.event(entry);
      }
    },
  };
}

const declaring = (...channels: readonly EventChannel<never>[]) =>
  Framework.http().channels(...(channels as readonly EventChannel[]));

describe("a channel whose events a store keeps", () => {
  test("gives its clients events when they arrive from the store, with the ids of it", () => {
    const { connect } = listeners();
    const [channel, store] = [channelOf(), storeOf()];
    channel.useStores(store.stores);
    store.begin();
    const client = connect(channel.subscribe());

    assert.deepEqual(
      [channel.publish({ event: "count", data: 1 }), channel.publish({ id: "own", data: 2 })],
      [undefined, "own"],
    );
    assert.deepEqual(seen(client), []);
    store.arrive();
    assert.deepEqual(client.reader.events, [
      { event: "count", data: "1", id: "s-1" },
      { event: "message", data: "2", id: "own" },
    ]);
    assert.equal(channel.stats.published, 2);
  });

  test("resumes a client that comes from another process, behind an event or before the first", () => {
    const { connect } = listeners();
    const [channel, store] = [channelOf(), storeOf("1", "2", "3")];
    channel.useStores(store.stores);
    store.begin();

    assert.deepEqual(seen(connect(channel.subscribe(), "s-2")), ["3"]);
    assert.deepEqual(seen(connect(channel.subscribe(), "s-0")), ["1", "2", "3"]);
    assert.deepEqual(seen(connect(channel.subscribe(), "s-9")), ["lost"]);
    assert.deepEqual([seen(connect(channel.subscribe())), channel.stats.published], [[], 0]);
  });

  test("lets clients wait until the store answers, and loses nothing to them", () => {
    const { connect } = listeners();
    const [channel, store] = [channelOf(), storeOf("1", "2")];
    channel.useStores(store.stores);
    const fresh = connect(channel.subscribe({ first: () => [{ data: 0 }] }));
    const back = connect(channel.subscribe(), "s-1");
    const gone = connect(channel.subscribe());
    const early = channel.subscribe();
    gone.leave();
    channel.publish({ data: 3 });

    assert.deepEqual([seen(fresh), seen(back), fresh.reader.retryMs], [[], [], 1000]);
    assert.equal(channel.stats.clients, 2);
    store.begin();
    store.arrive();
    assert.deepEqual([seen(fresh), seen(back), seen(connect(early))], [["0", "3"], ["2", "3"], []]);
    assert.deepEqual([channel.stats.clients, channel.stats.lost], [3, 0]);
  });

  test("tells clients that events are lost where the store begins anew, and resumes behind those it has", () => {
    const { connect } = listeners();
    const [channel, store] = [channelOf(), storeOf("1", "2")];
    channel.useStores(store.stores);
    store.begin();
    const client = connect(channel.subscribe());
    const kept: ChannelEntry = {
      id: "s-8",
      event: { id: undefined, event: "message", topic: "", text: "data: 8\n\n" },
    };
    store.begin("s-7", kept);
    channel.publish({ data: 9 });
    store.arrive();

    assert.deepEqual(seen(client), ["lost", "9"]);
    assert.deepEqual(seen(connect(channel.subscribe(), "s-7")), ["8", "9"]);
    assert.deepEqual(seen(connect(channel.subscribe(), "s-2")), ["lost"]);
  });

  test("is full with clients that wait, and sends them away", () => {
    const { connect } = listeners();
    const channel = new EventChannel({ name: "numbers", maxClients: 1 });
    channel.useStores(storeOf().stores);
    const client = connect(channel.subscribe());

    assert.equal(channel.subscribe().isRefused, true);
    channel.disconnect();
    assert.deepEqual([client.isOver, channel.stats.clients], [true, 0]);
  });

  test("refuses an event as without a store, and keeps none of it", () => {
    const [channel, store] = [channelOf(), storeOf()];
    channel.useStores(store.stores);

    for (const id of ["", "é", "x".repeat(257)])
      assert.throws(() => channel.publish({ id, data: 1 }), { code: "EVENT_INVALID" });
    assert.deepEqual(store.published, []);
  });

  test("uses the store until the last of its servers ends, and another one only then", () => {
    const { connect } = listeners();
    const [channel, store, other] = [channelOf(), storeOf(), storeOf()];
    const ends = [channel.useStores(store.stores), channel.useStores(store.stores)];
    const client = connect(channel.subscribe());

    assert.throws(() => channel.useStores(other.stores), { code: "CONFIG_INVALID" });
    for (const end of ends) {
      assert.equal(store.followers.size, 1);
      end();
    }
    assert.deepEqual([store.followers.size, channel.publish({ data: 1 }), seen(client)], [0, "e-1", ["1"]]);
    channel.useStores(other.stores);
    assert.equal(other.followers.size, 1);
  });

  test("keeps its own rooms, and takes nothing of stores without channels", () => {
    const store = storeOf();
    const rooms = { publish: () => {}, subscribe: () => () => {}, dispose: () => {} };
    const joined = new EventChannel({ name: "numbers", rooms });
    joined.useStores(store.stores);
    channelOf().useStores({} as StoreSet);

    assert.equal(store.followers.size, 0);
  });
});

describe("channels of an ingress", () => {
  test("are declared by what is one", () => {
    assert.equal(declaring(channelOf() as never, channelOf() as never).plan.channels.length, 2);
    assert.throws(() => Framework.http().channels({ name: "news" } as never), { code: "CONFIG_INVALID" });
  });

  test("are warned about once where stores would join them and they are not declared", () => {
    const store = storeOf();
    const { connect, reports } = listeners({ stores: store.stores });
    const [declared, forgotten] = [channelOf(), new EventChannel({ name: "forgotten" })];
    declared.useStores(store.stores);
    const rooms = { publish: () => {}, subscribe: () => () => {}, dispose: () => {} };
    const joined = new EventChannel({ name: "joined", rooms });
    for (const channel of [declared, forgotten, forgotten, joined]) connect(channel.subscribe());

    assert.deepEqual(
      reports.map(({ code, message }) => `${code} ${message}`),
      [
        "STATE_PER_HOST The ingress has stores of several processes: EventChannel 'forgotten' keeps its clients, which other processes do not reach. Its stores join channels that it declares: ingress.channels(channel)",
      ],
    );
  });

  test("keep their events in memory in a TestApp, without a warning", async () => {
    const reports: string[] = [];
    const channel = channelOf();
    const ingress = Framework.http({ reporter: ({ code }) => reports.push(code) })
      .stores(openStores({ sql: "sqlite:unused.db", redis: "redis://127.0.0.1:1" }))
      .channels(channel as EventChannel)
      .sse(
        "/numbers",
        Axon.start("listen").thenFn("listen", () => channel.subscribe()),
      );
    await using app = new TestApp(ingress);
    await using events = await app.sse("/numbers");
    channel.publish({ data: 1 });

    assert.equal((await events.next())?.data, "1");
    assert.deepEqual(reports, []);
  });
});
