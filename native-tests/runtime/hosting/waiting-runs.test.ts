import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { Axon, branch, fault, isFault, jump, MigrationStrategy, RunEpoch, RunId, signal } from "framework";
import { isWaiting, runtimeFault } from "#core/bus/runtime-fault.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import { hosts, LEASE_MS } from "../../support/hosts.js";

const HOUR_MS = 3_600_000;
const Approved = signal<{ by: string }>()("approved", Type.Object({ by: Type.String() }));
const Rejected = signal<string>()("rejected", Type.String());

/** Steps that note what they got. */
function noted() {
  const done: unknown[] = [];
  const note = <T>(value: T): T => {
    done.push(value);
    return value;
  };
  return { done, note };
}

const sleeping = (store: RunStore, note: <T>(value: T) => T, ms: number | (() => Date) = HOUR_MS) =>
  Axon.start<number>("nap")
    .withPersistenceStore(store)
    .thenFn("before", (n) => note(n + 1))
    .sleep("pause", ms)
    .thenFn("behind", (n) => note(n + 1));

const approving = (store: RunStore, note: <T>(value: T) => T) =>
  Axon.start<number>("claim")
    .withPersistenceStore(store)
    .thenFn("submit", (n) => n + 1)
    .waitFor(Approved, { take: (n, { by }) => `${n} by ${by}` })
    .thenFn("pay", (text) => note(text));

describe("a run that sleeps", () => {
  test("goes on at its time, in whichever process there is then, and no step runs twice", async () => {
    const { clock, runs, served, failures } = hosts();
    const { done, note } = noted();
    const { host, handle } = await served([sleeping(runs, note)]);
    assert.deepEqual(await handle.start("nap", 1, { runId: "run" }), { kind: "begun", runId: "run" });
    await clock.advance(0);
    // J5: no process has it.
    assert.deepEqual([done, host.running], [[2], 0]);
    assert.deepEqual(await handle.result("run"), { kind: "sleeping", until: HOUR_MS, axon: "nap" });
    await host.leave();
    const after = await served([sleeping(runs, note)]);
    await clock.advance(HOUR_MS - 2);
    assert.deepEqual(done, [2]);
    await clock.advance(500);

    assert.deepEqual([done, failures], [[2, 3], []]);
    assert.deepEqual(await after.handle.result("run"), {
      ...{ kind: "completed", axon: "nap", isOutputKept: true, output: 3 },
    });
  });

  test("is unfit once it is due, where its Axon has no step left at which a run waits", async () => {
    const { clock, runs, served } = hosts();
    const { note } = noted();
    const before = await served([sleeping(runs, note)]);
    await before.handle.start("nap", 1, { runId: "run" });
    await clock.advance(0);
    await before.host.leave();
    const changed = Axon.start<number>("nap")
      .withPersistenceStore(runs)
      .thenFn("before", (n) => n);
    const { handle } = await served([changed]);
    for (let n = 0; n < 10; n += 1) await clock.advance(HOUR_MS / 2);

    assert.deepEqual(await handle.result("run"), {
      ...{ kind: "unfit", axon: "nap" },
      reason: "Axon 'nap' has no node 'nap/pause' where it could go on",
    });
  });

  test("is looked for once, whether its Axon waits or a count has found it", async () => {
    const { runs, served } = hosts();
    let listening = 0;
    const listen = () => {
      listening += 1;
      return { end: () => {} };
    };
    const store: RunStore = { ...runs, waits: { ...runs.waits, listen } };
    const { handle, host } = await served([sleeping(store, (value) => value)]);
    await handle.start("nap", 1, { runId: "run" });
    await host.left.count();

    assert.deepEqual(
      host.left.counts.map(({ state }) => state),
      ["sleeping"],
    );
    host.beginWaking();
    assert.equal(listening, 1);
  });

  test("is woken at the very time that this process knows of, and by one of two hosts", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const one = await served([sleeping(runs, note, 700)]);
    const other = await served([sleeping(runs, note, 700)]);
    for (const runId of ["a", "b", "c"]) await one.handle.start("nap", 1, { runId });
    await clock.advance(699);
    assert.equal(done.length, 3);
    await clock.advance(1);

    assert.equal(done.length, 6);
    await clock.advance(2000);
    assert.deepEqual([done.length, one.host.running, other.host.running], [6, 0, 0]);
  });

  test("sleeps until a date, and not at all until one that is over", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const { handle } = await served([sleeping(runs, note, () => new Date(clock.now() === 0 ? 900 : 1))]);
    await handle.start("nap", 1);
    await clock.advance(899);
    assert.deepEqual(done, [2]);
    await clock.advance(1);
    assert.deepEqual(done, [2, 3]);
    await handle.start("nap", 5);
    await clock.advance(0);
    await clock.advance(0);

    assert.deepEqual(done, [2, 3, 6, 7]);
  });

  test("has no timer of its own, and more than are taken at once follow each other", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const { handle } = await served([sleeping(runs, note)], { maxWoken: 7 });
    // DR1: one for the host.
    const { timers } = clock;
    for (let n = 0; n < 200; n += 1) await handle.start("nap", n);
    assert.ok(clock.timers <= timers + 1, `${clock.timers} timers`);
    await clock.advance(HOUR_MS);
    while (done.length < 400) await clock.advance(500);

    assert.deepEqual(runs.unfinished(), []);
  });

  test("is resumed behind its sleep by another host, if the one that woke it is dead", async () => {
    const { clock, runs, served } = hosts();
    const epochs: number[] = [];
    const axon = (behind: () => unknown) =>
      Axon.start<number>("nap")
        .withPersistenceStore(runs)
        .sleep("pause", 100)
        .thenFn(
          "behind",
          (n, bus) => {
            epochs.push(bus.get(RunEpoch));
            return behind() === undefined ? n : (new Promise(() => {}) as never);
          },
          { reads: [RunEpoch] },
        );
    const dead = await served([axon(() => "hangs")]);
    await dead.handle.start("nap", 1, { runId: "run" });
    await clock.advance(100);
    assert.deepEqual(epochs, [2]);
    await dead.host.leave();
    const next = await served([axon(() => undefined)]);
    await clock.advance(2 * LEASE_MS);
    // WS1: it does not sleep again.

    assert.deepEqual(epochs, [2, 3]);
    assert.equal((await next.handle.result("run")).kind, "completed");
    assert.deepEqual(
      runs.read("run").map(({ kind }) => kind),
      ["begun", "waiting", "resumed", "resumed", "ended"],
    );
  });

  test("is found by the next look, if nothing has told the host of it", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    await served([sleeping(runs, note)]);
    await clock.advance(1);
    const there = { node: "nap/pause", input: 1, bus: {}, jumps: 0 };
    const begun: RunEntry = { kind: "begun", at: 1, axon: "nap", version: "1.0.0", ...there };
    // DR2: another process has written it, and is gone.
    runs.append("run", 0, [begun, { kind: "waiting", at: 1, completed: [], inMs: 100, ...there }]);
    await clock.advance(99);
    assert.deepEqual(done, []);
    await clock.advance(500);

    assert.deepEqual(done, [2]);
  });

  test("waits anew where a migration leads it to another wait, which its time does not end", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const old = await served([sleeping(runs, note)]);
    await old.handle.start("nap", 1, { runId: "run" });
    await old.host.leave();
    const strategy = MigrationStrategy.migrateActiveNode("nap/pause", "nap/wait for rejected");
    const axon = Axon.start<number>("nap")
      .withVersion("2.0.0")
      .withPersistenceStore(runs, { migrations: [{ from: "1.0.0", strategy }] })
      .waitFor(Rejected)
      .thenFn("behind", (text) => note(text));
    const { handle } = await served([axon]);
    await clock.advance(HOUR_MS + 500);
    // WS2: the time is over, and no signal has come.
    assert.equal((await handle.result("run")).kind, "waiting");
    await handle.signal("run", Rejected, "no");
    await clock.advance(0);
    await clock.advance(0);

    assert.deepEqual(done, [2, "no"]);
  });

  test("is not resumed by hand, is ended early by a waking, and is cancelled with its steps undone", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const axon = Axon.start<number>("nap")
      .withPersistenceStore(runs)
      .thenCompensated({ name: "book", run: (n: number) => n }, ({ input }) => note(`undone ${input}`))
      .sleep("pause", HOUR_MS)
      .thenFn("behind", (n) => note(n));
    const { handle } = await served([axon]);
    for (const [n, runId] of ["a", "b"].entries()) await handle.start("nap", n, { runId });
    const refused = await handle.resume("a");
    assert.ok(isWaiting(refused));
    assert.ok(isWaiting(await handle.resume("a", undefined, { force: true })));
    assert.equal(await handle.wake("a"), true);
    await clock.advance(0);
    await clock.advance(0);
    assert.deepEqual(done, [0]);
    assert.equal(await handle.wake("a"), false);
    const cancelled = await handle.cancel("b", "no more");

    assert.ok(isFault(cancelled));
    assert.deepEqual(
      { ...(cancelled.error as object) },
      { code: "RUN_CANCELLED", runId: "b", reason: "no more" },
    );
    assert.deepEqual(done, [0, "undone 1"]);
  });
});

describe("a run that waits for a signal", () => {
  test("takes it when it comes, or takes the one that came before, in order and once", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const { handle } = await served([approving(runs, note)]);
    await handle.start("claim", 1, { runId: "a" });
    assert.deepEqual(await handle.result("a"), { kind: "waiting", signals: ["approved"], axon: "claim" });
    const sent = await handle.signal("a", Approved, { by: "eve" }, { id: "1", by: { actor: "eve@x" } });
    assert.deepEqual(sent, { kind: "kept", id: "1", isAwaited: true });
    assert.deepEqual(await handle.signal("a", Approved, { by: "eve" }, { id: "1" }), {
      kind: "known",
      id: "1",
    });
    assert.deepEqual(await handle.signal("a", Approved, { by: "bob" }, { id: "1" }), {
      ...{ kind: "conflict", id: "1" },
    });
    await clock.advance(0);
    await clock.advance(0);

    assert.deepEqual(done, ["2 by eve"]);
    assert.deepEqual(await handle.signal("a", Approved, { by: "bob" }), { kind: "ended" });
    assert.deepEqual(await handle.signal("z", Approved, { by: "bob" }), { kind: "unknown" });
    const woken = runs.read("a").flatMap((entry) => (entry.kind === "resumed" ? [entry.woken] : []));
    assert.deepEqual(woken, [
      { by: "signal", name: "approved", number: 1, payload: { by: "eve" }, id: "1", actor: "eve@x" },
    ]);
  });

  test("refuses a payload against the schema, and one of another kind", async () => {
    const { runs, served } = hosts();
    const { note } = noted();
    const { handle } = await served([approving(runs, note)]);
    await handle.start("claim", 1, { runId: "a" });
    const wrong = await handle.signal("a", Approved, { by: 1 } as never);
    const other = await handle.signal("a", Rejected, "no");

    assert.deepEqual(
      [wrong, other].map((sent) => (isFault(sent) ? "fault" : sent.kind)),
      ["invalid", "invalid"],
    );
  });

  test("goes on without one after its time: by its branch, its fault, or WAIT_TIMEOUT", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const late = Axon.start<number>("late").thenFn("escalate", (n) => note(`late ${n}`));
    const branching = Axon.start<number>("one")
      .withPersistenceStore(runs)
      .waitFor(Approved, { timeoutMs: 1000, onTimeout: "late", take: () => "in time" })
      .branch("late", late);
    const failing = Axon.start<number>("two")
      .withPersistenceStore(runs)
      .waitForAny([Approved, Rejected], { timeoutMs: 1000, onTimeout: fault("too late") });
    const plain = Axon.start<number>("three")
      .withPersistenceStore(runs)
      .waitFor(Approved, { timeoutMs: 1000 });
    const { handle } = await served([branching, failing, plain]);
    for (const name of ["one", "two", "three"]) await handle.start(name, 7, { runId: name });
    assert.deepEqual(await handle.result("one"), {
      ...{ kind: "waiting", signals: ["approved"], until: 1000, axon: "one" },
    });
    await clock.advance(1000);
    const results = await Promise.all(["one", "two", "three"].map((id) => handle.result(id)));

    assert.deepEqual(done, ["late 7"]);
    assert.deepEqual(results, [
      { kind: "completed", axon: "one", isOutputKept: true, output: "late 7" },
      { kind: "failed", axon: "two", error: "too late" },
      {
        ...{ kind: "failed", axon: "three" },
        error: runtimeFault({ code: "WAIT_TIMEOUT", step: "wait for approved", timeoutMs: 1000 }),
      },
    ]);
  });

  test("may wait for any of several, in branches, in subgraphs and again after a jump", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const any = Axon.start<string>("any").waitForAny([Approved, Rejected]);
    const axon = Axon.start<string>("claim")
      .withPersistenceStore(runs)
      .label("again")
      .subgraph(any)
      .thenFn(
        "sort",
        (came) => {
          note(came);
          if (came.signal === "approved") return branch("paid", came.payload.by);
          return came.payload === "again" ? jump("again", "once more") : "rejected";
        },
        { branches: ["paid"], jumps: ["again"] },
      )
      .branch("paid", Axon.start<string>("paid").waitFor(Rejected, { take: (by, text) => `${by} ${text}` }));
    const { handle } = await served([axon]);
    await handle.start("claim", "first", { runId: "a" });
    for (const text of ["again", "again"]) await handle.signal("a", Rejected, text);
    await handle.signal("a", Approved, { by: "eve" });
    await handle.signal("a", Rejected, "at last");
    for (let n = 0; n < 12; n += 1) await clock.advance(500);

    const result = await handle.result("a");
    assert.deepEqual(result, { kind: "completed", axon: "claim", isOutputKept: true, output: "eve at last" });
    assert.deepEqual(
      done.map((came) => (came as { signal: string }).signal),
      ["rejected", "rejected", "approved"],
    );
  });

  test("is due with a request to cancel it, whose process is whichever there is", async () => {
    const { clock, runs, served, failures } = hosts();
    const { note } = noted();
    const { handle } = await served([approving(runs, note)]);
    await handle.start("claim", 1, { runId: "a" });
    runs.requestCancel("a", { reason: "stop", at: 1 });
    await clock.advance(1000);

    assert.deepEqual((await handle.result("a")).kind, "cancelled");
    assert.equal(failures.length, 1);
  });
});

describe("a run that begins another one", () => {
  const childOf = (store: RunStore, note: <T>(value: T) => T, body?: (n: number) => unknown) =>
    Axon.start<number>("child")
      .withPersistenceStore(store)
      .sleep("nap", 100)
      .thenFn("work", (n) => note(body?.(n) ?? n * 2) as number);
  const parentOf = (store: RunStore, child: ReturnType<typeof childOf>, note: <T>(value: T) => T) =>
    Axon.start<number>("parent")
      .withPersistenceStore(store)
      .startRun(child, { input: (n) => n + 1 })
      .thenFn("between", (n) => note(n))
      .awaitRun(child, { take: (n, output) => ({ n, output }) });

  test("waits for its end, and goes on with its output", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const child = childOf(runs, note);
    const { handle } = await served([child, parentOf(runs, child, note)]);
    await handle.start("parent", 1, { runId: "a" });
    await clock.advance(0);
    await clock.advance(0);
    const waiting = await handle.result("a");
    assert.equal(waiting.kind, "waiting");
    for (let n = 0; n < 6; n += 1) await clock.advance(500);

    assert.deepEqual(done, [1, 4]);
    const result = await handle.result("a");
    assert.ok(result.kind === "completed");
    assert.deepEqual(result.output, { n: 1, output: 4 });
  });

  test("begins it once, whatever process runs the step again", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const child = childOf(runs, note);
    const parent = parentOf(runs, child, note);
    const first = await served([child, parent]);
    await first.handle.start("parent", 1, { runId: "a" });
    await clock.advance(0);
    await first.host.leave();
    // SS1: as if the process had ended between the child's beginning and the checkpoint behind the step.
    const [begun] = runs.read("a");
    runs.remove("a");
    await runs.beat("dead", 1);
    runs.append("a", 0, [begun as never], "dead");
    await served([child, parent]);
    for (let n = 0; n < 40; n += 1) await clock.advance(500);

    assert.deepEqual(done, [1, 4, 1]);
    assert.deepEqual(runs.unfinished(), []);
  });

  test("fails with the fault of the other, and asks for its cancel when it is cancelled", async () => {
    const { clock, runs, served } = hosts();
    const { done, note } = noted();
    const failing = childOf(runs, note, (n) => {
      if (n === 9) throw new Error("no nine");
      return n;
    });
    const { handle } = await served([failing, parentOf(runs, failing, note)]);
    await handle.start("parent", 8, { runId: "a" });
    await handle.start("parent", 1, { runId: "b" });
    await clock.advance(0);
    await clock.advance(0);
    const cancelled = await handle.cancel("b", "no more");
    assert.ok(isFault(cancelled));
    for (let n = 0; n < 10; n += 1) await clock.advance(500);

    const result = await handle.result("a");
    assert.ok(result.kind === "failed");
    assert.equal((result.error as { code: string }).code, "TRANSITION_PANIC");
    assert.deepEqual(done, [8, 1]);
    assert.deepEqual(runs.unfinished(), []);
  });
});

describe("a run that goes on in a new log", () => {
  test("keeps its id, its signals and its epochs, and its log stays short", async () => {
    const { clock, runs, served } = hosts();
    const seen: unknown[] = [];
    const loop = Axon.start("loop", Type.Integer())
      .withPersistenceStore(runs)
      .thenFn(
        "note",
        (n, bus) => {
          seen.push([bus.get(RunId), n, bus.get(RunEpoch)]);
          return n < 4 ? branch("again", n) : n;
        },
        { reads: [RunId, RunEpoch], branches: ["again"] },
      )
      .branch(
        "again",
        Axon.start<number>("again").continueAs<number>((n) => n + 1),
      )
      .waitFor(Rejected);
    const { handle } = await served([loop]);
    await handle.start("loop", 1, { runId: "a" });
    await handle.signal("a", Rejected, "stop");
    for (let n = 0; n < 12; n += 1) await clock.advance(500);

    assert.deepEqual(seen, [
      ["a", 1, 1],
      ["a", 2, 2],
      ["a", 3, 3],
      ["a", 4, 4],
    ]);
    assert.deepEqual(await handle.result("a"), {
      ...{ kind: "completed", axon: "loop", isOutputKept: true, output: "stop" },
    });
    assert.equal(runs.read("a").length, 5);
  });

  for (const [first, ahead] of [
    ["sleeps", 0],
    ["notes", 1],
  ] as const)
    test(`waits anew in each log, where its first step ${first}`, async () => {
      const { clock, runs, served } = hosts();
      const { done, note } = noted();
      const begins = Axon.start("loop", Type.Integer()).withPersistenceStore(runs);
      const again = (n: number): number => n + 1;
      const loop =
        first === "sleeps"
          ? begins.sleep("pause", 10_000).thenFn("note", note).continueAs(again)
          : begins.thenFn("note", note).sleep("pause", 10_000).continueAs(again);
      const { handle } = await served([loop]);
      await handle.start("loop", 1, { runId: "a" });
      for (let round = 0; round < 3; round += 1) {
        await clock.advance(9000);
        assert.equal(done.length, round + ahead);
        await clock.advance(1000);
      }
    });
});
