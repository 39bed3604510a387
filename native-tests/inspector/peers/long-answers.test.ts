// What a worker has is shown in part where all of it is more than an answer may hold.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, fault, MemoryDeadLetters } from "framework";
import type { PausedRuns } from "#inspector/api/breakpoints.js";
import type { DeadLetters as Shown } from "#inspector/api/dead-letters.js";
import type { Data } from "#inspector/api/shapes.js";
import { DeadLetters } from "#inspector/dead-letters/dead-letters.js";
import { MergedMetrics } from "#inspector/peers/merged-metrics.js";
import { MergedSteering } from "#inspector/peers/merged-steering.js";
import { Peers } from "#inspector/peers/peers.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { answering } from "../../support/inspected.js";
import { capture, done, steered } from "../../support/steered-circuit.js";

const LONG = "x".repeat(100_000);

/** Two processes, of which the first asks. */
function two() {
  const rooms = new MemoryRooms();
  // However long an answer takes here.
  const clock = new ManualClock();
  return [1, 2].map((pid) => new Peers({ bus: rooms.join(), expected: 1, clock, pid })) as [Peers, Peers];
}

async function letters(peers: Peers, count: number, each: string, event = "") {
  const store = new MemoryDeadLetters();
  const fails = Axon.start<string>("fails")
    .thenFn("never", () => fault("down"))
    .withDlqSink(store);
  for (let n = 0; n < count; n += 1) await fails.execute(each);
  const wordy = (await store.list({})).map((letter, at) => ({
    ...letter,
    failed_at: at,
    timeline: letter.timeline && { ...letter.timeline, events: [{ kind: "said", text: event }] },
  }));
  const shown = { ...store, perProcess: "here", list: () => wordy } as never;
  const own = new DeadLetters({ stores: [shown], axons: [], capture });
  return answering<Data<typeof Shown>>("/api/v1/dlq", { deadLetters: own, peers });
}

async function steeredBy(peers: Peers, isFirst: boolean) {
  const axon = Axon.start<string>("circuit")
    .thenFn("one", (text) => text)
    .thenFn("two", (text) => text);
  const { steering, run } = steered(axon, { process: String(isFirst), maxHeld: 40 });
  const merged = new MergedSteering(steering, { peers, isFirst });
  const paused = answering<Data<typeof PausedRuns>>("/api/v1/paused", { steering: merged, peers });
  return { steering, run, merged, paused };
}

async function steeredTwo() {
  const [asking, asked] = two();
  const [first, other] = [await steeredBy(asking, true), await steeredBy(asked, false)];
  await Promise.all([first.merged.begin(), other.merged.begin()]);
  return { first, other };
}

describe("a worker with more than an answer may hold", () => {
  test("lists its dead letters without their events", async () => {
    const [asking, asked] = two();
    const list = await letters(asking, 0, "");
    await letters(asked, 10, "short", "y".repeat(400_000));
    const shown = await list();

    assert.deepEqual([shown.letters.length, shown.workers_silent], [10, 0]);
    for (const { events } of shown.letters) assert.deepEqual(events, []);
  });

  test("lists the oldest of its dead letters, and counts as silent", async () => {
    const [asking, asked] = two();
    const list = await letters(asking, 1, "own");
    await letters(asked, 50, LONG);
    const shown = await list();

    // A half of 50 is 2.5 million characters.
    assert.deepEqual([shown.letters.length, shown.workers_silent], [1 + 12, 1]);
    assert.deepEqual(
      shown.letters.slice(1).map(({ failed_at }) => failed_at),
      Array.from({ length: 12 }, (_, at) => at),
    );
  });

  test("has all its figures counted", async () => {
    const [asking, asked] = two();
    const names = Array.from({ length: 30_000 }, (_, n) => `node="${"n".repeat(100)}${n}"`);
    const series = names.map((name) => [name, 1] as const);
    const own = { families: () => [{ name: "runs_total", help: "Runs", type: "counter", series }] };
    const merged = new MergedMetrics(own as never, asking);
    new MergedMetrics(own as never, asked);
    const lines = (await merged.text()).split("\n");

    assert.equal(lines.filter((line) => line.endsWith("} 2")).length, 30_000);
  });

  test("shows the longest held of its runs, and counts as silent", async () => {
    const { first, other } = await steeredTwo();
    done(await first.merged.set({ node_id: "circuit/one", max_hits: 40 }));
    for (let n = 0; n < 40; n += 1) void other.run(LONG);
    const { paused, workers_silent } = await first.paused();

    assert.deepEqual([paused.length, workers_silent], [20, 1]);
    assert.deepEqual(
      paused.map(({ id }) => id),
      other.steering
        .paused()
        .slice(0, 20)
        .map(({ id }) => id),
    );
    other.steering.close();
  });

  test("shows the newest that each breakpoint has kept, and more of one alone", async () => {
    const { first, other } = await steeredTwo();
    const snapshot = { node_id: "circuit/one", mode: "snapshot" } as const;
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(done(await first.merged.set(snapshot)).id);
    for (let n = 0; n < 10; n += 1) await other.run(`${n}${"x".repeat(300_000)}`);
    const { breakpoints, workers_silent } = await first.merged.list();
    const kept = other.steering.breakpoints.get(ids[0] as string)?.snapshots ?? [];

    assert.equal(workers_silent, 0);
    for (const { snapshots } of breakpoints)
      assert.deepEqual(
        snapshots.map(({ run_id }) => run_id),
        [kept[0]?.run_id],
      );
    const { snapshots } = done(await first.merged.get(ids[0] as string));
    assert.deepEqual(snapshots, kept.slice(0, 5));
  });

  test("shows what some of its breakpoints have kept, and counts as silent", async () => {
    const { first, other } = await steeredTwo();
    const snapshot = { node_id: "circuit/one", mode: "snapshot" } as const;
    for (let n = 0; n < 8; n += 1) done(await first.merged.set(snapshot));
    await other.run("x".repeat(400_000));
    const { breakpoints, workers_silent } = await first.merged.list();

    assert.equal(workers_silent, 1);
    assert.deepEqual(
      breakpoints.map(({ snapshots }) => snapshots.length),
      [1, 1, 1, 1, 0, 0, 0, 0],
    );
  });
});
