import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { Axon, Type } from "framework";
import { MergedSteering } from "#inspector/peers/merged-steering.js";
import { Peers } from "#inspector/peers/peers.js";
import { subject } from "#inspector/peers/subject.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { asOperator, inspected } from "../../support/inspected.js";
import { done, refused, steered } from "../../support/steered-circuit.js";

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
    const { app } = inspected({ steering: merged, peers });
    return { steering, run, peers, merged, app };
  };
  const [first, other] = [join(1), join(2)];
  await Promise.all([first.merged.begin(), other.merged.begin()]);
  const heard: string[] = [];
  const stranger = rooms.join();
  stranger.subscribe({ message: (_, message) => heard.push(String(message)), failed: () => {} });
  return { first, other, stranger, heard, clock, join };
}

const saidOf = async (peers: Peers, about: string) =>
  (await peers.askAll(subject(about, Type.Unknown()))).answers;

const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
};

/** Ten seconds, in which questions are answered on the way. */
async function passed(clock: ManualClock): Promise<void> {
  for (let quarters = 0; quarters < 40; quarters += 1) {
    await clock.advance(250);
    await settled();
  }
}

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
    other.peers.answers("breakpoint snapshots", () => ({
      source: "",
      revision: 0,
      snapshots: [],
      isCut: false,
    }));
    await first.merged.list();
    await settled();
    // Told anew, with a higher number.
    assert.equal(other.steering.breakpoints.list().length, 1);
  });

  test("are told again to who has them of another, though its number is the same", async () => {
    const { first, other } = await workers();
    done(await first.merged.set({ node_id: "sum/one" }));
    other.steering.adopt([]);
    other.peers.answers("breakpoint snapshots", () => ({
      source: "another",
      revision: 1,
      snapshots: [],
      isCut: false,
    }));
    await first.merged.list();
    await settled();

    assert.equal(other.steering.breakpoints.list().length, 1);
  });

  test("are not told again to who has them, nor where there is nothing to tell", async () => {
    const { first, heard } = await workers();
    const tells = () => heard.filter((message) => message.includes('"breakpoints set"')).length;
    await first.merged.list();
    await settled();
    assert.equal(tells(), 0);
    done(await first.merged.set({ node_id: "sum/one" }));
    await first.merged.list();
    await settled();

    assert.equal(tells(), 1);
  });

  test("are told again to who has not answered, some times", async () => {
    const { first, other, clock, heard } = await workers();
    const adopted: unknown[] = [];
    other.peers.answers("breakpoints set", (state) => {
      adopted.push(state);
      if (adopted.length < 3) throw new Error("not now");
      return true;
    });
    done(await first.merged.set({ node_id: "sum/one" }));
    assert.equal(adopted.length, 1);
    await passed(clock);
    assert.equal(adopted.length, 3, "and no more once it has them");
    assert.deepEqual(adopted[2], adopted[0], "the same, under the same number");

    other.peers.answers("breakpoints set", () => assert.fail());
    heard.length = 0;
    done(await first.merged.set({ node_id: "sum/one" }));
    await passed(clock);
    assert.equal(heard.filter((message) => message.includes('"breakpoints set"')).length, 6);
    assert.equal(clock.timers, 0);
  });

  test("are told by one newer state at a time, and by nobody who stops", async () => {
    const { first, other, clock, heard } = await workers();
    other.peers.answers("breakpoints set", () => assert.fail());
    const set = async () => done(await first.merged.set({ node_id: "sum/one" }));
    await Promise.all([set(), set()]);
    assert.equal(clock.timers, 1);
    await set();
    assert.equal(clock.timers, 1);
    first.steering.close();
    heard.length = 0;
    await clock.advance(60_000);

    assert.deepEqual(heard, []);
  });

  test("that another version does not understand are asked for again, and leave what there was", async () => {
    const { first, other, stranger, clock } = await workers();
    const { id } = done(await first.merged.set({ node_id: "sum/one" }));
    const [shown] = other.steering.breakpoints.state();
    const state = { source: "later", revision: 9, breakpoints: [{ ...shown, condition: "$ =~ later" }] };
    const ask = { kind: "ask", id: "later-1", from: "later", to: null, about: "breakpoints set" };
    stranger.publish(TOPIC, JSON.stringify({ ...ask, input: state }), false);
    await settled();
    const condition = () => other.steering.breakpoints.get(id)?.condition;
    assert.equal(condition(), null);
    // The same number again, of which it has nothing yet.
    state.breakpoints = [{ ...shown, condition: "$ > 5" }] as typeof state.breakpoints;
    stranger.publish(TOPIC, JSON.stringify({ ...ask, input: state }), false);
    await settled();

    assert.equal(condition(), "$ > 5");
    assert.equal(clock.timers, 0);
  });

  test("are neither given nor set by the first worker once it stops", async () => {
    const { first, other, join, heard } = await workers();
    const { id } = done(await first.merged.set({ node_id: "sum/one" }));
    first.steering.close();
    heard.length = 0;
    for (const refusal of [
      await first.merged.set({ node_id: "sum/one" }),
      await first.merged.change(id, { enabled: false }),
      await first.merged.remove(id),
    ])
      assert.equal(refused(refusal).code, "BREAKPOINTS_CLOSED");
    // Who has missed one is not told of the nothing that it has left.
    other.peers.answers("breakpoint snapshots", () => ({
      source: "",
      revision: 0,
      snapshots: [],
      isCut: false,
    }));
    await first.merged.list();
    await settled();
    assert.ok(!heard.some((message) => message.includes('"breakpoints set"')));
    assert.equal(other.steering.breakpoints.list().length, 1);

    // Who begins asks it what is set.
    other.peers.close();
    const next = join(3);
    await next.merged.begin();
    assert.deepEqual(next.steering.breakpoints.list(), []);
    assert.deepEqual(await saidOf(next.peers, "breakpoints"), []);
  });

  test("are not what another worker says it has once it stops", async () => {
    const { first, other, join, heard } = await workers();
    done(await first.merged.set({ node_id: "sum/one" }));
    other.steering.close();
    assert.equal((await first.merged.list()).workers_silent, 0);
    done(await first.merged.set({ node_id: "sum/one" }));
    assert.deepEqual(other.steering.breakpoints.list(), [], "nor does it take any");
    await first.merged.list();
    await settled();
    const tells = heard.filter((message) => message.includes('"breakpoints set"')).length;
    assert.equal(tells, 2, "it is not taken for one that has missed something");
    first.peers.close();
    const next = join(1);
    await next.merged.begin();

    assert.deepEqual(await saidOf(next.peers, "breakpoints mirrored"), []);
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
    const { first, other, join, heard } = await workers();
    const set = done(await first.merged.set({ node_id: "sum/one", max_hits: 9 }));
    first.peers.close();
    const next = join(1);
    // Whoever sets one meanwhile waits for what is there.
    const begun = next.merged.begin();
    const another = done(await next.merged.set({ node_id: "sum/one" }));
    await begun;

    // What it tells goes on where the one before it was.
    const revisions = heard.flatMap((message) => {
      const { about, input } = JSON.parse(message);
      return about === "breakpoints set" ? [input.revision] : [];
    });
    assert.deepEqual(revisions, [1, 2, 3]);
    const ids = [set.id, another.id];
    assert.deepEqual(ids, ["bp-1", "bp-2"]);
    for (const { steering } of [next, other])
      assert.deepEqual(
        steering.breakpoints.list().map(({ id }) => id),
        ids,
      );
  });

  test("tell the first worker the run of a hold and the node of a breakpoint, for the audit log", async () => {
    const { first, other } = await workers();
    const { id } = done(await first.merged.set({ node_id: "sum/one" }));
    const run = other.run(1);
    const [held] = other.steering.paused();

    assert.equal(await first.merged.runOf(held?.id as string), held?.run_id);
    assert.equal(await first.merged.runOf("of no hold"), undefined);
    assert.equal(await first.merged.nodeOf(id), "sum/one");
    assert.equal(await first.merged.nodeOf("bp-9"), undefined);
    const path = `/api/v1/paused/${held?.id}/resume`;
    assert.equal((await first.app.post(path, asOperator)).status, 200);
    await run;
  });
});
