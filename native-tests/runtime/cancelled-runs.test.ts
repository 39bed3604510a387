import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Bus, busKey, fault, isFault, MemoryDeadLetters, RunId, transition } from "framework";
import { MemoryLocks } from "framework/runtime";
import { ExecutionMode } from "#runtime/definition/execution-mode.js";
import { codeOf, never, Runs } from "../support/kept-runs.js";

const Gate = busKey<{ open: boolean }>()("Gate");

/** Two steps that are undone, and one that waits until `open` is called. */
function arranged() {
  const runs = new Runs();
  const letters = new MemoryDeadLetters();
  const undone: string[] = [];
  const waiting: (() => void)[] = [];
  const step = (name: string) => transition({ name, run: (n: number) => n + 1 });
  const undo = (name: string) =>
    transition({
      name: `undo ${name}`,
      reads: [Gate],
      run: (_: unknown, bus) => void (bus.get(Gate).open && undone.push(name)),
    });
  const axon = Axon.start<number>("trip")
    .withPersistenceStore(runs)
    .withDlqSink(letters)
    .thenCompensated(step("a"), undo("a"))
    .thenCompensated(step("b"), undo("b"))
    .thenFn("wait", (n) => new Promise<number>((resolve) => waiting.push(() => resolve(n))))
    .thenFn("last", (n) => n);
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
  return { runs, letters, undone, axon, bus, start, open };
}

describe("a run that is cancelled", () => {
  test("is undone and over, and the process that ran it stops at its next checkpoint", async () => {
    const { runs, letters, undone, axon, bus, start, open } = arranged();
    const running = start();
    const outcome = await axon.cancel("run", "the guest left", bus);

    assert.equal(codeOf(outcome), "RUN_CANCELLED");
    assert.deepEqual(
      { ...(outcome.error as object) },
      { code: "RUN_CANCELLED", runId: "run", reason: "the guest left" },
    );
    assert.deepEqual(undone, ["b", "a"]);
    assert.deepEqual(runs.kinds(), [
      "begun",
      "checkpoint",
      "checkpoint",
      "resumed",
      "failed",
      "undone",
      "undone",
      "ended",
    ]);
    open();
    assert.equal(codeOf(await running), "RUN_TAKEN");
    assert.deepEqual([undone, letters.list()], [["b", "a"], []]);
    assert.equal(codeOf(await axon.resume("run", bus)), "RUN_CANCELLED");
  });

  test("answers RUN_ENDED where it is over, RUN_UNKNOWN where there is none, and throws for what its undoing lacks", async () => {
    const { axon, bus, start, open, runs } = arranged();
    const running = start();
    open();
    await running;
    void start("waits");

    assert.equal(codeOf(await axon.cancel("run", "late", bus)), "RUN_ENDED");
    assert.equal(codeOf(await axon.cancel("other", "none", bus)), "RUN_UNKNOWN");
    await assert.rejects(axon.cancel("waits", "no gate"), { code: "KEYS_UNPROVIDED" });
    assert.equal(runs.last("waits")?.kind, "checkpoint");
  });

  test("is cancelled once of two times at once, and while it is stuck", async () => {
    const { runs, axon, bus, start, undone } = arranged();
    void start();
    runs.append("run", 3, [{ kind: "stuck", at: 1 }]);
    const outcomes = await Promise.all([1, 2].map(() => axon.cancel("run", "twice", bus)));

    assert.deepEqual(outcomes.map(codeOf).sort(), ["RUN_CANCELLED", "RUN_TAKEN"]);
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
    const axon = Axon.start<number>("trip")
      .withPersistenceStore(runs)
      .thenFn("wait", () => never() as Promise<number>);
    void axon.execute(1, Bus.of([[RunId, "run"]]));
    locks.acquire("trip", 60_000);
    const locked = axon.withExecutionMode(ExecutionMode.singleton("trip", 60_000, locks));

    assert.equal(codeOf(await locked.cancel("run", "now")), "LOCK_TAKEN");
    assert.deepEqual(runs.kinds(), ["begun"]);
  });
});
