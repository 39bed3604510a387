import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Bus,
  busKey,
  type Fault,
  fault,
  isFault,
  MemoryDeadLetters,
  RetryPolicy,
  RunId,
  type RuntimeFault,
  transition,
} from "framework";
import { MemoryLocks } from "framework/runtime";
import type { RunStore } from "#core/ports/run-store.js";
import { cancelRun } from "#runtime/axon/cancel.js";
import { ExecutionMode } from "#runtime/definition/execution-mode.js";
import { codeOf, elsewhere, never, Runs } from "../support/kept-runs.js";

const Gate = busKey<{ open: boolean }>()("Gate");
const FORCE = { force: true };

/** Two steps that are undone, and one that waits until `open` is called. */
function arranged() {
  const runs = new Runs();
  const letters = new MemoryDeadLetters();
  const undone: string[] = [];
  const signals: AbortSignal[] = [];
  const waiting: (() => void)[] = [];
  const step = (name: string) => transition({ name, run: (n: number) => n + 1 });
  const undo = (name: string) =>
    transition({
      name: `undo ${name}`,
      reads: [Gate],
      run: (_: unknown, bus) => void (bus.get(Gate).open && undone.push(name)),
    });
  const wait = transition({
    name: "wait",
    run: (n: number, { signal }) => {
      signals.push(signal);
      return new Promise<number>((resolve) => waiting.push(() => resolve(n)));
    },
  });
  const over = (store: RunStore) =>
    Axon.start<number>("trip")
      .withPersistenceStore(store)
      .withDlqSink(letters)
      .thenCompensated(step("a"), undo("a"))
      .thenCompensated(step("b"), undo("b"))
      .thenCompensated(wait, undo("wait"))
      .thenFn("last", (n) => n);
  const axon = over(runs);
  const bus = Bus.of([[Gate, { open: true }]]);
  const start = (id = "run") =>
    axon.execute(
      1,
      Bus.of([
        [Gate, { open: true }],
        [RunId, id],
      ]),
    );
  const open = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  /** As another process has it, which is told that the host of the run is dead. */
  const there = over(elsewhere(runs));
  return { runs, letters, undone, signals, axon, over, there, bus, start, open };
}

const reasonOf = (outcome: unknown) => ({ ...(outcome as Fault<RuntimeFault>).error });
const CANCELLED = { code: "RUN_CANCELLED", runId: "run", reason: "the guest left" };

describe("a run that is cancelled", () => {
  test("is told so by its signal at once, and is undone by its own process once its step has settled", async () => {
    const { runs, letters, undone, signals, axon, bus, start, open } = arranged();
    const running = start();
    const cancelling = axon.cancel("run", "the guest left", bus);
    await new Promise(setImmediate);

    assert.match(String(signals[0]?.reason), /the guest left/);
    assert.deepEqual([undone, runs.kinds()], [[], ["begun", "checkpoint", "checkpoint"]]);
    // CR1: its signal fires at once.
    // RW1: what the step did all the same is undone too.
    open();
    assert.deepEqual(reasonOf(await cancelling), CANCELLED);
    assert.deepEqual(reasonOf(await running), CANCELLED);
    assert.deepEqual(undone, ["wait", "b", "a"]);
    assert.deepEqual(runs.kinds().slice(3), ["failed", "undone", "undone", "undone", "ended"]);
    assert.deepEqual(letters.list(), [], "all of it is undone");
    assert.equal(codeOf(await axon.resume("run", bus)), "RUN_CANCELLED");
  });

  test("is undone once where it is cancelled twice at once, with the first reason", async () => {
    const { undone, axon, there, bus, start, open } = arranged();
    void start();
    const cancelling = [axon.cancel("run", "the guest left", bus), axon.cancel("run", "again", bus)];
    await new Promise(setImmediate);
    open();

    const outcomes = [...(await Promise.all(cancelling)), await axon.resume("run", bus)];
    assert.deepEqual(outcomes.map(reasonOf), [CANCELLED, CANCELLED, CANCELLED]);
    assert.deepEqual(undone, ["wait", "b", "a"]);
    assert.equal(codeOf(await there.cancel("run", "late", bus)), "RUN_ENDED");
  });

  test("is undone once of two processes that claim it, and both say so", async () => {
    const { runs, undone, there, bus, start } = arranged();
    void start();
    const outcomes = await Promise.all([1, 2].map(() => there.cancel("run", "the guest left", bus)));

    // CR2: one claim, one failure.
    assert.deepEqual(outcomes.map(reasonOf), Array(2).fill({ ...CANCELLED, uncertain: "trip/wait" }));
    assert.deepEqual(undone, ["b", "a"]);
    assert.equal(runs.kinds().filter((kind) => kind === "failed").length, 1);
  });

  test("keeps its request, and is cancelling, where its step does not settle in time", async () => {
    const { runs, undone, axon, bus, start, open } = arranged();
    const running = start();

    const outcome = await cancelRun(axon.definition, "run", "the guest left", { bus, waitMs: 1 });
    assert.deepEqual(outcome, { kind: "cancelling", runId: "run" });
    assert.equal(runs.ownership("run")?.cancel?.reason, "the guest left");
    open();
    assert.deepEqual(reasonOf(await running), CANCELLED);
    assert.deepEqual(undone, ["wait", "b", "a"]);
  });

  test("is cancelled by the process that resumes it, where the one that had the request is gone", async () => {
    const { runs, undone, there, bus, start } = arranged();
    void start();
    runs.requestCancel("run", { reason: "the guest left", at: 1 });
    const appends: string[] = [];
    runs.misbehave = (_, entries) => void appends.push(entries.map(({ kind }) => kind).join(" and "));

    const outcome = await there.resume("run", bus);
    assert.deepEqual(reasonOf(outcome), { ...CANCELLED, uncertain: "trip/wait" });
    assert.deepEqual(undone, ["b", "a"]);
    assert.deepEqual(appends, ["resumed and failed", "undone", "undone", "ended"]);
  });

  test("sees the request in the answer to its next append, and begins no further step", async () => {
    for (const checkpoint of ["sync", "async"] as const) {
      const runs = new Runs();
      const undone: string[] = [];
      let began = 0;
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs, { checkpoint })
        .thenCompensated(
          transition({
            name: "a",
            run: async (n: number) => {
              await null;
              runs.requestCancel("run", { reason: "no more", at: 1 });
              return n;
            },
          }),
          () => void undone.push("a"),
        )
        .thenFn("b", async (n) => {
          began += 1;
          return n;
        });

      assert.equal(codeOf(await axon.execute(1, Bus.of([[RunId, "run"]]))), "RUN_CANCELLED", checkpoint);
      assert.deepEqual([undone, began], [["a"], 0]);
      assert.equal(codeOf(await axon.resume("run")), "RUN_CANCELLED");
    }
  });

  test("waits for each of its parallel steps, also where one ends by the signal, and undoes what they did", async () => {
    const runs = new Runs();
    const undone: string[] = [];
    let finish = (): void => {};
    const stops = transition({
      name: "stops",
      run: (_: number, { signal }) =>
        new Promise<number>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
        }),
    });
    const goesOn = transition({
      name: "goes on",
      run: (n: number) => new Promise<number>((resolve) => (finish = () => resolve(n))),
    });
    const undo = (name: string) =>
      transition({ name: `undo ${name}`, run: (_: unknown) => void undone.push(name) });
    const part = Axon.start<number>("part").thenCompensated(goesOn, undo("goes on")).asTransition();
    const axon = Axon.start<number>("s")
      .withPersistenceStore(runs)
      .thenCompensated(transition({ name: "a", run: (n: number) => n }), undo("a"))
      .parallel([stops, part], "AllMustSucceed", ([first]) => first);
    const running = axon.execute(1, Bus.of([[RunId, "run"]]));
    const cancelling = axon.cancel("run", "late");
    for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
    assert.deepEqual([undone, runs.last()?.kind], [[], "checkpoint"]);
    finish();

    assert.deepEqual([codeOf(await cancelling), codeOf(await running)], Array(2).fill("RUN_CANCELLED"));
    assert.deepEqual(undone, ["goes on", "a"]);
  });

  test("does not try its step again that fails by the signal, and waits for no delay", async () => {
    const runs = new Runs();
    let tries = 0;
    const step = transition({
      name: "flaky",
      run: (): number => {
        tries += 1;
        throw new Error("away");
      },
    });
    const axon = Axon.start<number>("s")
      .withPersistenceStore(runs)
      .thenWithRetry(step, RetryPolicy.fixed(5, 3_600_000));
    void axon.execute(1, Bus.of([[RunId, "run"]]));

    assert.equal(codeOf(await axon.cancel("run", "late")), "RUN_CANCELLED");
    assert.equal(tries, 1);
  });

  test("by force is undone at once: its process undoes nothing, and the step at work is uncertain in log, answer and letter", async () => {
    const { runs, letters, undone, signals, axon, bus, start, open } = arranged();
    const running = start();
    const outcome = await axon.cancel("run", "the guest left", bus, undefined, FORCE);

    const uncertain = { ...CANCELLED, uncertain: "trip/wait" };
    assert.deepEqual(reasonOf(outcome), uncertain);
    assert.equal(signals[0]?.aborted, true);
    // CR3: also what its step does from now on.
    open();
    assert.equal(codeOf(await running), "RUN_TAKEN");
    assert.deepEqual(undone, ["b", "a"]);
    const failed = runs.inner.read("run").find(({ kind }) => kind === "failed");
    assert.deepEqual((failed as { error: unknown } | undefined)?.error, { $: ["fault", uncertain] });
    const [letter] = letters.list();
    assert.deepEqual([letter?.id, letter?.node, letter?.input], ["run", "trip/wait", 3]);
    assert.deepEqual({ ...(letter?.error as object) }, uncertain);
  });

  test("answers RUN_ENDED where it is over, RUN_UNKNOWN where there is none, and throws for what its undoing lacks", async () => {
    const { axon, there, bus, start, open, runs } = arranged();
    const running = start();
    open();
    await running;
    void start("waits");

    assert.equal(codeOf(await axon.cancel("run", "late", bus)), "RUN_ENDED");
    assert.equal(codeOf(await axon.cancel("other", "none", bus)), "RUN_UNKNOWN");
    await assert.rejects(there.cancel("waits", "no gate"), { code: "KEYS_UNPROVIDED" });
    assert.equal(runs.last("waits")?.kind, "checkpoint");
  });

  test("is cancelled while it is stuck, although the host that found it so lives", async () => {
    const { runs, there, bus, start, undone } = arranged();
    void start();
    runs.beat("host", 10_000);
    runs.append("run", 3, [{ kind: "stuck", at: 1 }], "host");

    assert.equal(codeOf(await there.cancel("run", "stuck", bus)), "RUN_CANCELLED");
    assert.deepEqual(undone, ["b", "a"]);
  });

  test("is left to what it failed with where it undoes already", async () => {
    const runs = new Runs();
    const undone: string[] = [];
    const axon = Axon.start<number>("trip")
      .withPersistenceStore(runs)
      .thenCompensated(transition({ name: "a", run: (n: number) => n }), () => void undone.push("a"))
      .thenFn("no", () => fault("no room"));
    runs.misbehave = (_, [entry]) => (entry?.kind === "undone" ? assert.fail("away") : undefined);
    await axon.execute(1, Bus.of([[RunId, "run"]]));
    runs.misbehave = () => undefined;

    const outcome = await axon.cancel("run", "late");
    assert.deepEqual(isFault(outcome) && outcome.error, "no room");
    assert.deepEqual(undone, ["a", "a"]);
  });

  test("waits for no lock: another run that holds it is named", async () => {
    const runs = new Runs();
    const locks = new MemoryLocks();
    const begin = (store: RunStore) =>
      Axon.start<number>("trip")
        .withPersistenceStore(store)
        .thenFn("wait", () => never() as Promise<number>);
    void begin(runs).execute(1, Bus.of([[RunId, "run"]]));
    locks.acquire("trip", 60_000);
    const locked = begin(elsewhere(runs)).withExecutionMode(ExecutionMode.singleton("trip", 60_000, locks));

    assert.equal(codeOf(await locked.cancel("run", "now")), "LOCK_TAKEN");
    assert.deepEqual(runs.kinds(), ["begun"]);
  });

  test("is claimed at once from a store that keeps no requests, as every run of it is", async () => {
    const { inner } = new Runs();
    const { append, read, unfinished, remove, forget, beat, leave } = inner;
    const plain: RunStore = { append, read, unfinished, remove, forget, beat, leave };
    const begin = (store: RunStore) =>
      Axon.start<number>("s")
        .withPersistenceStore(store)
        .thenFn("wait", () => never() as Promise<number>);
    void begin(plain).execute(1, Bus.of([[RunId, "run"]]));

    assert.equal(codeOf(await begin(elsewhere(plain)).cancel("run", "now")), "RUN_CANCELLED");
  });
});

describe("a run at work", () => {
  test("is not resumed beside itself, in its process or in another while its host lives, but by force", async () => {
    const { runs, undone, axon, there, bus, start } = arranged();
    const running = start();

    assert.deepEqual(reasonOf(await axon.resume("run", bus)), { code: "RUN_OWNED", runId: "run" });
    runs.beat("host", 10_000);
    const [, , last] = runs.inner.read("run");
    runs.append("run", 3, [{ ...last, kind: "checkpoint", completed: [] } as never], "host");
    const owned = { code: "RUN_OWNED", runId: "run", host: "host" };
    assert.deepEqual(reasonOf(await there.resume("run", bus)), owned);

    const forced = axon.resume("run", bus, undefined, undefined, FORCE);
    await new Promise(setImmediate);
    assert.equal(runs.last()?.kind, "resumed");
    const cancelling = axon.cancel("run", "the guest left", bus, undefined, FORCE);
    assert.equal(codeOf(await cancelling), "RUN_CANCELLED");
    void Promise.all([running, forced]);
    assert.deepEqual(undone, ["b", "a"]);
  });

  test("is not taken by the slower of two that resume it after its process died", async () => {
    const { runs, over, bus, start } = arranged();
    void start();
    const reads: (() => void)[] = [];
    const late = elsewhere(runs);
    Object.assign(late, {
      read: (id: string) => new Promise((resolve) => reads.push(() => resolve(runs.inner.read(id)))),
    });
    // It finds no owner, and waits for the log.
    const slower = over(late).resume("run", bus);
    await new Promise(setImmediate);
    runs.beat("host", 10_000);
    runs.append("run", 3, [{ ...runs.last(), kind: "checkpoint", completed: [] } as never], "host");
    for (const pass of reads) pass();

    assert.deepEqual(reasonOf(await slower), { code: "RUN_OWNED", runId: "run", host: "host" });
    assert.equal(runs.inner.read("run").length, 4);
  });

  test("is nothing of a run that has ended, failed or lost its log", async () => {
    const { runs, axon, bus, start, open } = arranged();
    const running = start();
    open();
    await running;
    assert.equal(await axon.resume("run", bus), 3);
    const lost = start("lost");
    runs.misbehave = () => false;
    open();

    assert.equal(codeOf(await lost), "RUN_TAKEN");
    runs.misbehave = () => undefined;
    const resumed = axon.resume("lost", bus);
    await new Promise(setImmediate);
    open();
    assert.equal(await resumed, 3);
  });
});
