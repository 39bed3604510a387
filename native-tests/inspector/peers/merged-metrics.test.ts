import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { MergedMetrics } from "#inspector/peers/merged-metrics.js";
import { Peers } from "#inspector/peers/peers.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { answerRecord } from "../../support/answer-record.js";

/** A process that has counted so many parcels. */
const counting = (parcels: number): Metrics => {
  const metrics = new Metrics();
  metrics.registry.counter({ name: "app_parcels_total", help: "Parcels that left" }, () => parcels);
  return metrics;
};

describe("merged metrics", () => {
  test("are those of all processes, whichever is asked", async () => {
    const rooms = new MemoryRooms();
    const merged = [3, 4, 5].map(
      (parcels, pid) =>
        new MergedMetrics(counting(parcels), new Peers({ bus: rooms.join(), expected: 2, pid })),
    );

    for (const one of merged) {
      assert.equal((await one.snapshot()).processes, 3);
      assert.match(await one.text(), /^app_parcels_total 12$/m);
      assert.equal(await one.circuit("none"), undefined);
    }
  });

  test("have the usual windows, or the one that is asked for, of every process", async () => {
    const rooms = new MemoryRooms();
    const merged = [1, 2].map((pid) => {
      const metrics = counting(pid);
      metrics.count(answerRecord({ status: 200 }));
      metrics.tick();
      return new MergedMetrics(metrics, new Peers({ bus: rooms.join(), expected: 1, pid }));
    });
    const [first] = merged as [MergedMetrics, MergedMetrics];
    const windows = async (window?: "10" | "600" | "start") =>
      (await first.snapshot(window)).http.windows.map(({ seconds, count }) => [seconds, count]);

    assert.deepEqual(await windows(), [
      [1, 2],
      [10, 2],
      [60, 2],
    ]);
    assert.deepEqual(await windows("10"), [[10, 2]]);
    assert.deepEqual(await windows("600"), [[600, 2]]);
    assert.deepEqual(await windows("start"), [[null, 2]]);
  });

  /** What the first of several processes shows, while others answer or do not. */
  function watched(count: number) {
    const rooms = new MemoryRooms();
    const clock = new ManualClock();
    const join = (pid: number): Peers =>
      new Peers({ bus: rooms.join(), expected: count - 1, clock, pid, waitMs: 500 });
    const begin = (parcels: number, pid: number): Peers => {
      const peers = join(pid);
      new MergedMetrics(counting(parcels), peers);
      return peers;
    };
    const merged = new MergedMetrics(counting(1), join(1), clock);
    const total = async (): Promise<number> =>
      Number(/^app_parcels_total (\d+)$/m.exec(await merged.text())?.[1]);
    return { clock, merged, begin, total };
  }

  test("count who does not answer as it last did, for a minute", async () => {
    const { clock, merged, begin, total } = watched(3);
    const others = [begin(10, 2), begin(100, 3)] as const;
    const seen = () => Promise.all([total(), merged.snapshot().then(({ processes }) => processes)]);
    const seenLater = async (ms: number) => {
      const asked = seen();
      // The question takes a turn, and so does the answer.
      for (let turns = 0; turns < 5; turns += 1) await setImmediate();
      await clock.advance(ms);
      return asked;
    };
    const known = await seen();
    others[1].close();
    const silent = await seenLater(60_000);

    assert.deepEqual(known, [111, 3]);
    assert.deepEqual(silent, known);
    assert.deepEqual(await seenLater(2_000), [11, 2]);
  });

  test("wait a second for who has many", async () => {
    const { clock, begin, total } = watched(2);
    let answer = (_: unknown): void => {};
    begin(10, 2).answers("metrics families", () => new Promise((resolve) => (answer = resolve)));
    const asked = total();
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();
    await clock.advance(1000);
    answer(counting(10).families());

    assert.equal(await asked, 11);
  });

  test("count who began in the place of another, and that one no more", async () => {
    const { begin, total } = watched(3);
    begin(10, 2);
    const ended = begin(100, 3);
    const before = await total();
    ended.close();
    begin(1000, 4);

    assert.deepEqual([before, await total()], [111, 1011]);
  });

  test("ask once for all who ask at the same time, and count everybody for each", async () => {
    const { begin, merged } = watched(2);
    let asked = 0;
    const peers = begin(10, 2);
    peers.answers("metrics families", () => {
      asked += 1;
      return counting(10).families();
    });
    const texts = await Promise.all(Array.from({ length: 100 }, () => merged.text()));

    assert.equal(asked, 1);
    for (const text of texts) assert.match(text, /^app_parcels_total 11$/m);
  });

  test("are a process's own where it has no peers", async () => {
    const alone = new MergedMetrics(counting(3), undefined);

    assert.equal((await alone.snapshot()).processes, 1);
    assert.match(await alone.text(), /^app_parcels_total 3$/m);
  });
});
