import assert from "node:assert/strict";
import { after, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { Axon, jump, MemoryRuns, signal, transition } from "framework";
import type { RunStore } from "#core/ports/run-store.js";
import { allowEffects } from "#runtime/replay/refused-effects.js";
import { replayRun } from "#runtime/replay/replay-run.js";
import { hosts } from "../../support/hosts.js";

after(allowEffects);

const Approved = signal<{ by: string }>()("approved", Type.Object({ by: Type.String() }));
const Refused = signal<string>()("refused", Type.String());

interface Changes {
  readonly pauseMs?: number | (() => Date);
  readonly kind?: typeof Approved | typeof Refused;
  readonly paid?: (text: string) => string;
}

const claims = (store: RunStore, { pauseMs = 1000, paid = (text) => text }: Changes = {}) =>
  Axon.start<number>("claim")
    .withPersistenceStore(store)
    .thenFn("submit", (n) => n + 1)
    .sleep("pause", pauseMs)
    .waitFor(Approved, { take: (n, { by }) => `${n} by ${by}` })
    .thenFn("pay", paid);

async function storedClaim(pauseMs: Changes["pauseMs"] = 1000) {
  const { clock, runs, served } = hosts();
  const { handle } = await served([claims(runs, { pauseMs })]);
  await handle.start("claim", 1, { runId: "run" });
  await clock.advance(0);
  await clock.advance(2000);
  await handle.signal("run", Approved, { by: "ann" });
  await clock.advance(1000);
  assert.equal((await handle.result("run")).kind, "completed");
  return { run_id: "run", entries: runs.read("run") };
}

test("a run that slept and waited for a signal is replayed at once, with what woke it", async () => {
  // RP1: what this tries.
  const run = await storedClaim();
  const replayed = await replayRun(claims(new MemoryRuns()), run);
  assert.deepEqual(replayed, {
    ...{ kind: "same", isWhole: true, given: [] },
    ran: ["claim/submit", "claim/wait for approved", "claim/pay"],
  });
});

test("a difference behind a wait is found", async () => {
  const run = await storedClaim();
  const replayed = await replayRun(claims(new MemoryRuns(), { paid: (text) => `${text}!` }), run);
  assert.ok(replayed.kind === "differs");
  assert.deepEqual(
    [replayed.difference.node, replayed.difference.stored, replayed.difference.now],
    ["claim/pay", "2 by ann", "2 by ann!"],
  );
});

test("another time to sleep, and another signal to wait for, are differences of the wait", async () => {
  const run = await storedClaim();
  const longer = await replayRun(claims(new MemoryRuns(), { pauseMs: 2000 }), run);
  assert.ok(longer.kind === "differs");
  assert.deepEqual(longer.difference, {
    ...{ node: "claim/submit", of: "wait", pointer: "/inMs", stored: 1000, now: 2000, entry: 2 },
  });
  const other = Axon.start<number>("claim")
    .withPersistenceStore(new MemoryRuns())
    .thenFn("submit", (n) => n + 1)
    .sleep("pause", 1000)
    .waitFor(Refused, { name: "wait for approved" });
  const signals = await replayRun(other, run);
  assert.ok(signals.kind === "differs");
  assert.deepEqual([signals.difference.of, signals.difference.pointer], ["wait", "/signals/0"]);
});

test("a time that was reckoned from the clock may be later by what its step took, and no more", async () => {
  const run = await storedClaim(() => new Date(2000));
  const fixed = (ms: number) => claims(new MemoryRuns(), { pauseMs: () => new Date(ms) });
  assert.equal((await replayRun(fixed(2000), run)).kind, "same");
  assert.equal((await replayRun(fixed(9999), run)).kind, "differs");
});

test("a time that was reckoned from the clock is later in the log by what its step took", async () => {
  const { run_id, entries } = await storedClaim(() => new Date(2000));
  const [begun, waiting, ...rest] = entries;
  assert.ok(begun !== undefined && waiting?.kind === "waiting");
  const later = (due: number, at: number) =>
    replayRun(claims(new MemoryRuns(), { pauseMs: () => new Date(2000) }), {
      run_id,
      entries: [begun, { ...waiting, due, at: begun.at + at }, ...rest],
    });
  assert.equal((await later(2003, 5)).kind, "same");
  assert.equal((await later(2006, 5)).kind, "differs");
});

test("a run that an operator cancelled is the same up to there", async () => {
  const { clock, runs, served } = hosts();
  const { handle } = await served([claims(runs)]);
  await handle.start("claim", 1, { runId: "run" });
  await clock.advance(0);
  await handle.cancel("run", "ordered twice");
  assert.equal((await handle.result("run")).kind, "cancelled");
  const replayed = await replayRun(claims(new MemoryRuns()), { run_id: "run", entries: runs.read("run") });
  assert.deepEqual([replayed.kind, replayed.ran], ["same", ["claim/submit"]]);
});

test("jumps before a wait count behind it", async () => {
  const { clock, runs, served } = hosts();
  const loop = (store: RunStore) =>
    Axon.start<number>("rounds")
      .withPersistenceStore(store)
      .withMaxJumps(3)
      .label("again")
      .sleep("pause", 100)
      .then(transition({ name: "round", jumps: ["again"], run: (n: number) => jump("again", n + 1) }));
  const { handle } = await served([loop(runs)]);
  await handle.start("rounds", 1, { runId: "run" });
  for (let n = 0; n < 10; n += 1) await clock.advance(500);
  assert.equal((await handle.result("run")).kind, "failed");
  const replayed = await replayRun(loop(new MemoryRuns()), { run_id: "run", entries: runs.read("run") });
  assert.deepEqual([replayed.kind, replayed.ran.length], ["same", 4]);
});

test("a run that could not begin another one fails again", async () => {
  const { clock, runs, served } = hosts();
  const child = (store: RunStore) =>
    Axon.start("child", Type.Number())
      .withPersistenceStore(store)
      .thenFn("work", (n) => n);
  const parent = (store: RunStore) =>
    Axon.start<number>("parent")
      .withPersistenceStore(store)
      .startRun(child(store), { input: () => "no number" as never })
      .thenFn("behind", (n) => n);
  const { handle } = await served([child(runs), parent(runs)]);
  await handle.start("parent", 4, { runId: "run" });
  await clock.advance(500);
  assert.equal((await handle.result("run")).kind, "failed");
  const replayed = await replayRun(parent(new MemoryRuns()), { run_id: "run", entries: runs.read("run") });
  assert.deepEqual([replayed.kind, replayed.ran], ["same", ["parent/start child"]]);
});

test("a run that begins another one does not begin it again, and takes its end from the log", async () => {
  const { clock, runs, served } = hosts();
  let begun = 0;
  const child = (store: RunStore) =>
    Axon.start<number>("child")
      .withPersistenceStore(store)
      .thenFn("work", (n) => {
        begun += 1;
        return n * 2;
      });
  const parent = (store: RunStore) => {
    const of = child(store);
    return Axon.start<number>("parent").withPersistenceStore(store).startRun(of).awaitRun(of);
  };
  const { handle } = await served([child(runs), parent(runs)]);
  await handle.start("parent", 4, { runId: "run" });
  for (let n = 0; n < 20; n += 1) await clock.advance(500);
  assert.equal((await handle.result("run")).kind, "completed");
  assert.equal(begun, 1);
  const replayed = await replayRun(parent(new MemoryRuns()), { run_id: "run", entries: runs.read("run") });
  assert.deepEqual([replayed.kind, begun], ["same", 1]);
});
