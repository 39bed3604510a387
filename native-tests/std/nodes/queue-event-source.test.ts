import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, type EmittedEvent, emit, eventKind } from "framework";
import { QueueEventSource } from "framework/std";

async function all<E>(source: AsyncIterable<E>): Promise<E[]> {
  const events: E[] = [];
  for await (const event of source) events.push(event);
  return events;
}

describe("QueueEventSource", () => {
  test("gives its events in the order in which they came, and ends when it is closed", async () => {
    const queue = new QueueEventSource<number>();
    for (const n of [1, 2, 3]) queue.send(n);
    queue.close();

    assert.deepEqual(await all(queue), [1, 2, 3]);
  });

  test("gives an event to a reader that waits for it", async () => {
    const queue = new QueueEventSource<number>();
    const reading = all(queue);
    await new Promise(setImmediate);
    queue.send(1);
    queue.send(2);
    queue.close();

    assert.deepEqual(await reading, [1, 2]);
    assert.equal(queue.size, 0);
  });

  test("gives each event to one of its readers", async () => {
    const queue = new QueueEventSource<number>();
    const readers = [all(queue), all(queue)];
    await new Promise(setImmediate);
    for (const n of [1, 2, 3, 4]) queue.send(n);
    queue.close();

    assert.deepEqual((await Promise.all(readers)).flat().sort(), [1, 2, 3, 4]);
  });

  test("takes nothing once it is closed, which it may be twice", () => {
    const queue = new QueueEventSource<number>();
    queue.close();
    queue.close();

    assert.equal(queue.send(1), false);
    assert.equal(queue.size, 0);
  });

  test("refuses the new event when it is full, and says so", async () => {
    const queue = new QueueEventSource<number>({ capacity: 2 });
    const taken = [1, 2, 3].map((n) => queue.send(n));
    queue.close();

    assert.deepEqual([taken, queue.size, queue.lost], [[true, true, false], 2, 1]);
    assert.deepEqual(await all(queue), [1, 2]);
  });

  test("drops the oldest event when it is full, if it is told to", async () => {
    const queue = new QueueEventSource<number>({ capacity: 2, overflow: "drop-oldest" });
    const taken = [1, 2, 3, 4].map((n) => queue.send(n));
    queue.close();

    assert.deepEqual([taken, queue.size, queue.lost], [[true, true, true, true], 2, 2]);
    assert.deepEqual(await all(queue), [3, 4]);
  });

  test("loses no event to a reader that has left", async () => {
    const queue = new QueueEventSource<number>();
    const reader = queue[Symbol.asyncIterator]();
    const pending = reader.next();
    await reader.return?.();
    queue.send(1);
    queue.close();

    assert.deepEqual(await pending, { done: true, value: undefined });
    assert.deepEqual(await reader.next(), { done: true, value: undefined });
    assert.deepEqual(await all(queue), [1]);
  });

  test("makes the events of one Axon the inputs of another", async () => {
    const Counted = eventKind<number>()("counted");
    const queue = new QueueEventSource<EmittedEvent>();
    const count = Axon.start<number>("count")
      .thenFn("tell", (n) => emit(Counted, n, n), { emits: [Counted] })
      .withEventSink(queue);
    count.execute(1);
    count.execute(2);
    queue.close();

    assert.deepEqual(
      (await all(queue)).map(({ payload }) => payload),
      [1, 2],
    );
  });

  test("refuses a capacity that is no bound, and an overflow that there is not", () => {
    for (const capacity of [0, -1, 1.5, Number.POSITIVE_INFINITY])
      assert.throws(() => new QueueEventSource({ capacity }), {
        code: "CONFIG_INVALID",
        message: /capacity must be a positive integer/,
      });
    assert.throws(() => new QueueEventSource({ overflow: "drop-newest" as "drop-oldest" }), {
      code: "CONFIG_INVALID",
      message: /overflow: "drop-newest".* "refuse-new" or "drop-oldest"/,
    });
  });
});
