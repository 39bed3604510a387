// A channel of events whose clients do not take what they are given at once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import fc from "fast-check";

import { EventChannel } from "#http/sse/event-channel.js";
import { ROUND_CLIENTS } from "#http/sse/fan-out.js";
import { channelOf, listeners, seen } from "../../support/event-listeners.js";
import type { MemoryPipe } from "../../support/event-pipe.js";

describe("a channel of events with slow clients", () => {
  test("gives a slow client nothing more until it has taken what it has, and then what it missed", () => {
    const { connect } = listeners();
    const channel = channelOf();
    const slow = connect(channel.subscribe());
    slow.takes = false;
    channel.publish({ data: 1 });
    const held = slow.untaken;
    for (const data of [2, 3, 4]) channel.publish({ data });

    assert.equal(slow.untaken, held, "nothing waits for it but the first event");
    assert.deepEqual(channel.stats, { clients: 1, waiting: 1, lag: 3, published: 4, skipped: 3, lost: 0 });
    slow.take();
    assert.deepEqual(seen(slow), ["1", "2", "3", "4"]);
    assert.equal(channel.stats.lag, 0);
  });

  test("gives a client that catches up one piece at a time, as it takes them", () => {
    const { connect } = listeners();
    const channel = new EventChannel<string>({ name: "long" });
    const slow = connect(channel.subscribe());
    slow.takes = false;
    for (const letter of ["a", "b", "c", "d"]) channel.publish({ data: letter.repeat(20_000) });

    const given: number[] = [];
    for (let times = 0; times < 4; times += 1) {
      given.push(slow.reader.events.length);
      slow.onWritable?.();
    }

    assert.deepEqual(given, [1, 2, 3, 4]);
  });

  test("tells a slow client that events are lost to it, and goes on from then", () => {
    const { connect } = listeners();
    const channel = channelOf(2);
    const slow = connect(channel.subscribe());
    slow.takes = false;
    for (const data of [1, 2, 3, 4]) channel.publish({ data });

    slow.take();
    channel.publish({ data: 5 });

    assert.deepEqual(seen(slow), ["1", "lost", "5"]);
    assert.deepEqual(slow.reader.events[1], { event: "events-lost", data: '{"reason":"lagged"}', id: "e-4" });
    assert.equal(channel.stats.lost, 1);
  });

  test("takes its clients in rounds, and loses nothing to one that takes what it is given", async () => {
    const { connect } = listeners();
    const channel = channelOf(1);
    const clients = Array.from({ length: ROUND_CLIENTS + 10 }, () => connect(channel.subscribe()));
    const [first] = clients;
    const last = clients.at(-1) as MemoryPipe;

    channel.publish({ data: 1 });
    assert.deepEqual([seen(first as MemoryPipe), seen(last)], [["1"], []], "the last has its turn later");
    for (const data of [2, 3, 4]) channel.publish({ data });
    while (channel.stats.lag > 0) await turn();

    for (const client of clients) assert.deepEqual(seen(client), ["1", "2", "3", "4"]);
  });

  test("misses nothing silently, whatever clients do: each event comes once and in order, or its loss is told", () => {
    const size = 3;
    const command = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant("publish" as const), topic: fc.constantFrom("a", "b") }),
      },
      fc.record({ kind: fc.constantFrom("connect" as const, "filtered" as const) }),
      fc.record({
        kind: fc.constantFrom("stall" as const, "take" as const, "leave" as const, "return" as const),
        who: fc.nat(),
      }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const { connect } = listeners();
        const channel = channelOf(size);
        const published: string[] = [];
        const all: { pipe: MemoryPipe; topic: string | undefined; from: number }[] = [];
        const subscribed = (topic: string | undefined) =>
          channel.subscribe(topic === undefined ? {} : (event) => event.topic === topic);
        const join = (topic: string | undefined, back?: MemoryPipe): void => {
          const lastId = back?.reader.lastId ?? "";
          const from = back === undefined ? published.length : Number(lastId.slice(2));
          all.push({ pipe: connect(subscribed(topic), lastId), topic, from });
        };
        for (const command of commands) {
          if (command.kind === "publish") {
            published.push(command.topic);
            channel.publish({ topic: command.topic, data: published.length });
          } else if (!("who" in command)) join(command.kind === "filtered" ? "a" : undefined);
          else {
            const client = all[command.who % Math.max(1, all.length)];
            if (client === undefined) continue;
            if (command.kind === "stall") client.pipe.takes = false;
            if (command.kind === "take") client.pipe.take();
            if (command.kind === "leave") client.pipe.leave();
            if (command.kind === "return" && client.pipe.isOver) join(client.topic, client.pipe);
          }
        }
        for (const { pipe } of all) pipe.take();

        for (const { pipe, topic, from } of all) {
          let at = from;
          const wanted = (number: number): boolean => topic === undefined || published[number - 1] === topic;
          for (const { event, data, id } of pipe.reader.events) {
            const number = event === "events-lost" ? Number(id.slice(2)) : Number(data);
            assert.ok(number > at || event === "events-lost", "in order, and once");
            if (event === "events-lost") assert.ok(number - at > size, "nothing is lost that is kept");
            else {
              assert.ok(wanted(number));
              for (let between = at + 1; between < number; between += 1)
                assert.ok(!wanted(between), "no gap");
            }
            at = number;
          }
          if (!pipe.isOver)
            for (let rest = at + 1; rest <= published.length; rest += 1) assert.ok(!wanted(rest));
        }
      }),
      { numRuns: 300 },
    );
  });
});
