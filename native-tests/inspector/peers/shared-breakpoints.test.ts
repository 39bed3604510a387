import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { Axon } from "framework";
import { MergedSteering } from "#inspector/peers/merged-steering.js";
import { Peers } from "#inspector/peers/peers.js";
import { ManualClock } from "#runtime/manual-clock.js";
import { MemoryRooms } from "#std/memory-rooms.js";
import { done, steered } from "../../support/steered-circuit.js";

const TOPIC = "framework:inspector";

/** Two workers of a circuit, the first of which operators ask. */
async function workers() {
  const rooms = new MemoryRooms();
  const clock = new ManualClock();
  const axon = Axon.start<number>("sum").thenFn("one", (n) => n + 1);
  const join = (pid: number) => {
    const { steering, run } = steered(axon, { process: String(pid) });
    const peers = new Peers({ bus: rooms.join(), expected: 1, clock, pid });
    const merged = new MergedSteering(steering, { peers, isFirst: pid === 1 }, clock);
    return { steering, run, peers, merged };
  };
  const [first, other] = [join(1), join(2)];
  await Promise.all([first.merged.begin(), other.merged.begin()]);
  const heard: string[] = [];
  const stranger = rooms.join();
  stranger.subscribe({ message: (_, message) => heard.push(String(message)), failed: () => {} });
  return { first, other, stranger, heard, clock, join };
}

const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
};

describe("breakpoints of two workers", () => {
  test("are the same in both when setting one is answered", async () => {
    const { first, other } = await workers();
    const set = done(await first.merged.set({ node_id: "sum/one", condition: "$ > 5" }));
    assert.deepEqual(other.steering.breakpoints.list(), [set]);
    const changed = done(await first.merged.change(set.id, { enabled: false, max_hits: 7 }));
    assert.deepEqual(other.steering.breakpoints.list(), [changed]);
    await first.merged.remove(set.id);

    assert.deepEqual(other.steering.breakpoints.list(), []);
  });

  test("are not changed by what arrives late", async () => {
    const { first, other, stranger, heard } = await workers();
    const { id } = done(await first.merged.set({ node_id: "sum/one" }));
    const told = heard.find((message) => message.includes('"breakpoints set"'));
    await first.merged.remove(id);
    stranger.publish(TOPIC, told as string, false);
    await settled();

    assert.deepEqual(other.steering.breakpoints.list(), []);
  });

  test("are told again to who has missed them, when they are looked at", async () => {
    const { first, other } = await workers();
    done(await first.merged.set({ node_id: "sum/one" }));
    other.steering.adopt([]);
    other.peers.answers("breakpoint snapshots", () => ({ revision: 0, snapshots: [] }));
    await first.merged.list();
    await settled();
    // Told anew, with a higher number.
    assert.equal(other.steering.breakpoints.list().length, 1);
  });

  test("tell of many hits together, and the one that counts has all of them", async () => {
    const { first, other, heard, clock } = await workers();
    const { id } = done(await first.merged.set({ node_id: "sum/one", mode: "snapshot", max_hits: 60 }));
    heard.length = 0;
    for (let n = 0; n < 50; n += 1) await other.run(n);
    await settled();
    const atOnce = heard.filter((message) => message.includes('"hits"')).length;
    await clock.advance(50);
    await settled();
    const together = heard.filter((message) => message.includes('"hits"')).length;

    assert.deepEqual([atOnce, together], [1, 2]);
    const shown = done(await first.merged.get(id));
    assert.deepEqual([shown.hits, shown.snapshots.length, shown.enabled], [50, 10, true]);
    for (let n = 0; n < 10; n += 1) await first.run(n);
    await settled();
    // The tenth of the first was the sixtieth of both.
    assert.deepEqual(
      [first, other].map(({ steering }) => steering.breakpoints.get(id)?.enabled),
      [false, false],
    );
  });

  test("that were set are there again for a first worker that takes the place of another", async () => {
    const { first, other, join } = await workers();
    const set = done(await first.merged.set({ node_id: "sum/one", max_hits: 9 }));
    first.peers.close();
    const next = join(1);
    // Whoever sets one meanwhile waits for what is there.
    const begun = next.merged.begin();
    const another = done(await next.merged.set({ node_id: "sum/one" }));
    await begun;

    const ids = [set.id, another.id];
    assert.deepEqual(ids, ["bp-1", "bp-2"]);
    for (const { steering } of [next, other])
      assert.deepEqual(
        steering.breakpoints.list().map(({ id }) => id),
        ids,
      );
  });
});
