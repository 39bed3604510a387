// One count of losses: events that a client wanted and was not sent.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Feed, type NewFeedEvent } from "#inspector/feed/feed.js";
import { listener } from "../../support/figures-of.js";

const emitted: NewFeedEvent = { kind: "event", run_id: "r", circuit: "c", node: "c/n", name: "done" };
const stallEnded: NewFeedEvent = { kind: "stall_ended", run_id: "r", node: "c/n", stalled_ms: 1 };

function fed(options: { quickEvents?: number } = {}) {
  const feed = new Feed({ clock: { now: () => 10_000, after: () => () => {} }, ...options });
  const listen = (subscription: object = {}) => {
    const { wire } = listener(feed, subscription);
    const { batches } = wire;
    return {
      wire,
      lost: () => batches().reduce((sum, { lost }) => sum + lost, 0),
      total: () => batches().at(-1)?.lost_total,
      got: () => batches().flatMap(({ events }) => events).length,
    };
  };
  const tell = (count: number, event = emitted) => {
    for (let n = 0; n < count; n += 1) feed.tell(event);
  };
  return { feed, listen, tell };
}

describe("the count of lost events", () => {
  test("is the sum of what all clients were told, in the feed's status and in each message", () => {
    const { feed, listen, tell } = fed();
    const [all, also, others] = [listen(), listen(), listen({ kinds: ["stall_ended"] })];
    tell(1200);
    feed.flush();
    tell(1, stallEnded);
    feed.flush();

    assert.deepEqual([all.lost(), also.lost(), others.lost()], [700, 700, 0]);
    assert.equal(feed.stats.lost, 1400);
    assert.deepEqual([all.total(), also.total(), others.total()], [1400, 1400, 1400]);
  });

  test("has no evicted events of runs for a client that wants none", () => {
    const { feed, listen, tell } = fed({ quickEvents: 8 });
    const [rare, runs] = [listen({ kinds: ["stall_ended"] }), listen({ kinds: ["circuit_exit"] })];
    tell(100);
    tell(1, stallEnded);
    feed.flush();

    assert.deepEqual([rare.lost(), rare.got(), runs.lost()], [0, 1, 92]);
  });

  test("has evicted events of other kinds for every client, whose kinds are not known", () => {
    const { feed, listen, tell } = fed();
    const [rare, runs] = [listen({ kinds: ["alert"] }), listen({ kinds: ["event"] })];
    tell(300, stallEnded);
    feed.flush();

    assert.deepEqual([rare.lost(), runs.lost()], [300 - 256, 300 - 256]);
  });

  test("has runs whose trace was evicted before they were sent", () => {
    const { feed, listen, tell } = fed();
    const [runs, nodes] = [listen(), listen({ kinds: ["event"] })];
    for (let n = 0; n < 7; n += 1) feed.tellRun(() => undefined);
    tell(1);
    feed.flush();

    assert.deepEqual([runs.lost(), runs.got()], [7, 1]);
    assert.deepEqual([nodes.lost(), nodes.got()], [0, 1]);
  });

  test("has events that exceed a message, and the next ones come", () => {
    const { feed, listen, tell } = fed();
    const client = listen();
    tell(1, { ...stallEnded, run_id: "ü".repeat(131_072) });
    tell(1, { ...emitted, name: "節".repeat(90_000) });
    tell(3);
    feed.flush();

    assert.deepEqual([client.lost(), client.got()], [2, 3]);
    assert.ok(client.wire.texts.every((text) => Buffer.byteLength(text) <= 262_144));
  });

  test("stays after the events were dropped on purpose, for clients that were not sent them", () => {
    const { feed, listen, tell } = fed();
    const [rare, runs] = [listen({ kinds: ["alert"] }), listen()];
    tell(5);
    feed.clear();
    feed.flush();

    assert.deepEqual([rare.lost(), runs.lost()], [0, 5]);
  });
});
