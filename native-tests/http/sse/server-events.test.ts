import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { EventChannel } from "#http/sse/event-channel.js";
import { EventWriter, type ServerEvent } from "#http/sse/event-text.js";
import { type ServerEvents, SourceSubscription } from "#http/sse/server-events.js";
import { listeners } from "../../support/event-listeners.js";
import { MemoryPipe } from "../../support/event-pipe.js";

function opened(source: ServerEvents, { lastId = "", pipe = new MemoryPipe() } = {}) {
  const { open, route, reports, deadlines } = listeners();
  const subscription = new SourceSubscription(source, new EventWriter("test", { maxEventBytes: 64 }));
  subscription.open(pipe, route, lastId);
  return { pipe, open, reports, deadlines, subscription };
}

const over = (pipe: MemoryPipe): Promise<void> => until(() => pipe.isOver);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

const data = (pipe: MemoryPipe): readonly string[] => pipe.reader.events.map((event) => event.data);

describe("a source of events", () => {
  test("is read to its end, which ends the stream", async () => {
    const { pipe, open, reports } = opened(
      (async function* () {
        yield { data: 1 };
        yield { id: "2", event: "two", data: { n: 2 } };
      })(),
    );
    await over(pipe);

    assert.deepEqual(pipe.reader.events, [
      { event: "message", data: "1", id: "" },
      { event: "two", data: '{"n":2}', id: "2" },
    ]);
    assert.deepEqual([pipe.how, pipe.reader.retryMs, open.count, reports], ["whole", 1000, 0, []]);
  });

  test("is asked for the next event only when the client has taken the last", async () => {
    let made = 0;
    const pipe = new MemoryPipe();
    pipe.takes = false;
    opened(
      (async function* () {
        for (; made < 9; ) {
          made += 1;
          yield { data: made };
        }
      })(),
      { pipe },
    );
    for (let i = 0; i < 20; i += 1) await turn();

    assert.equal(made, 0);
    pipe.take();
    await over(pipe);
    assert.equal(made, 9);
  });

  test("is given up when the client has gone, wherever it waits", async () => {
    const released: string[] = [];
    const { pipe } = opened(async function* ({ signal }) {
      try {
        yield { data: 1 };
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("gone"))));
      } finally {
        released.push("source");
      }
    });
    await until(() => data(pipe).length === 1);
    pipe.leave();
    await until(() => released.length > 0);

    assert.deepEqual(released, ["source"]);
  });

  test("is given up when the client goes that has not taken what it was given", async () => {
    const pipe = new MemoryPipe();
    let isReleased = false;
    const { reports } = opened(
      (async function* () {
        try {
          for (;;) yield { data: "x" };
        } finally {
          isReleased = true;
        }
      })(),
      { pipe },
    );
    await until(() => data(pipe).length > 3);
    pipe.takes = false;
    await turn();
    pipe.leave();
    await until(() => isReleased);

    assert.deepEqual(reports, []);
  });

  test("lets others have their turn, though it never waits", async () => {
    const { pipe } = opened(
      (async function* () {
        for (;;) yield { data: "x" };
      })(),
    );
    await turn();
    await turn();

    assert.ok(data(pipe).length > 0);
    pipe.leave();
  });

  test("ends the connection where it throws, and is reported", async () => {
    const { pipe, reports } = opened(
      (async function* (): AsyncGenerator<ServerEvent> {
        yield { data: 1 };
        throw new Error("halfway");
      })(),
    );
    await over(pipe);

    assert.deepEqual([pipe.how, data(pipe)], ["failed", ["1"]]);
    assert.deepEqual(
      reports.map(({ code, axon }) => [code, axon]),
      [["EVENTS_FAILED", "events"]],
    );
  });

  test("ends the connection, and is released, where it gives what is no event", async () => {
    for (const event of [{ id: "a\nb", data: 1 }, { data: "x".repeat(65) }, { data: undefined }, undefined]) {
      let isReleased = false;
      const { pipe, reports } = opened(
        (async function* () {
          try {
            yield event as ServerEvent;
          } finally {
            isReleased = true;
          }
        })(),
      );
      await until(() => isReleased);

      assert.deepEqual([pipe.how, data(pipe), reports.length], ["failed", [], 1]);
    }
  });

  test("is told with which event its client comes back", async () => {
    const { pipe } = opened(
      async function* ({ lastEventId }) {
        yield { data: `after ${lastEventId}` };
      },
      { lastId: "7" },
    );
    await over(pipe);

    assert.deepEqual(data(pipe), ["after 7"]);
  });

  test("is no failure of the server where it cannot even be begun", async () => {
    for (const source of [
      () => {
        throw new Error("no");
      },
      (() => undefined) as unknown as ServerEvents,
    ]) {
      const { pipe, reports } = opened(source as ServerEvents);
      await over(pipe);

      assert.deepEqual([pipe.how, reports.length], ["failed", 1]);
    }
  });

  test("that nobody gets is released", async () => {
    let isReturned = false;
    const events: AsyncIterableIterator<ServerEvent> = {
      [Symbol.asyncIterator]: () => events,
      next: () => Promise.resolve({ done: true, value: undefined }),
      return: () => {
        isReturned = true;
        return Promise.reject(new Error("late"));
      },
    };
    new SourceSubscription(events, new EventWriter("test", {})).cancel();
    await turn();

    assert.ok(isReturned);
  });
});

describe("an open stream of events", () => {
  test("is sent a comment as often as its route says, but not while it has not taken the last", () => {
    const { open, route, deadlines } = listeners({ heartbeatMs: 1000 });
    const silent = (): AsyncIterable<ServerEvent> => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
    });
    const pipe = new MemoryPipe();
    new SourceSubscription(silent, new EventWriter("test", {})).open(pipe, route, "");
    const tick = (times: number): void => {
      for (let i = 0; i < times; i += 1) deadlines.tick();
    };

    tick(4);
    assert.equal(pipe.reader.comments.length, 0);
    tick(1);
    assert.equal(pipe.reader.comments.length, 1);
    tick(5);
    assert.equal(pipe.reader.comments.length, 2);
    pipe.takes = false;
    tick(30);
    assert.equal(pipe.reader.comments.length, 3);
    pipe.take();
    tick(5);
    assert.equal(pipe.reader.comments.length, 4);
    pipe.leave();
    tick(30);
    assert.deepEqual([pipe.reader.comments.length, open.count], [4, 0]);
  });

  test("is sent away with a wait of its own when the server stops", () => {
    const { open, connect } = listeners();
    const channel = new EventChannel({ name: "c" });
    const client = connect(channel.subscribe());

    open.close();

    assert.deepEqual([client.reader.retryMs, client.how, open.count], [2000, "whole", 0]);
  });
});
