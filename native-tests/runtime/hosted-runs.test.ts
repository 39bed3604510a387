// Runs that a host owns: what their log says of it, and how the host resumes them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, MemoryDeadLetters, RunEpoch, transition } from "framework";
import type { RunEntry } from "#core/ports/run-store.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { codeOf, keptRuns, lineOf, never, ownerOf, type Runs } from "../support/kept-runs.js";

const hosted = () => keptRuns({ name: "hosted", options: {} }, ownerOf("one"));
const steps = (runs: Runs, world: { calls: string[]; hangAt?: string } = { calls: [] }) =>
  lineOf(runs, ["a", "b"], world);

describe("a run that a host began", () => {
  test("is the host's from its first entry on, and one that is executed by hand is no host's", async () => {
    const { runs, start, resume } = hosted();
    const world = { calls: [] as string[], hangAt: "b" };
    const axon = steps(runs, world);
    void start(axon, 1);
    void Reflect.apply(axon.execute, axon, [1]);

    assert.deepEqual(
      runs.unfinished().map(({ host }) => host),
      ["one", undefined],
    );
    void resume(axon, "run", undefined, { by: ownerOf("two") });
    await new Promise(setImmediate);
    assert.deepEqual(
      runs.unfinished({ of: "two" }).map(({ id }) => id),
      ["run"],
    );
    world.hangAt = "";
    await resume(axon);
    assert.deepEqual(runs.unfinished({ of: "two" }), []);
  });

  for (const [how, fail] of [
    ["throws", () => assert.fail("away")],
    ["rejects", () => Promise.reject(new Error("away"))],
    ["does not answer", () => never()],
  ] as const)
    test(`goes on where an append ${how} once, kept or not, and stops where it fails again`, async () => {
      for (const isKept of [true, false]) {
        const { runs, start, clock } = hosted();
        let fails = 1;
        runs.misbehave = (known, entries) => {
          if (fails === 0) return undefined;
          fails -= 1;
          if (isKept) runs.inner.append("run", known, entries, "one");
          return fail();
        };
        const axon = steps(runs);
        const running = start(axon, 1);
        await clock.advance(10_000);
        assert.equal(await running, 3);
        assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "ended"]);

        fails = 2;
        const stopped = start(axon, 1, { id: "other" });
        await clock.advance(10_000);
        await clock.advance(10_000);
        assert.equal(codeOf(await stopped), "CHECKPOINT_FAILED");
      }
    });

  test("begins once under one id, and is resumed once, also within one millisecond", async (t) => {
    t.mock.method(Date, "now", () => 5);
    const { runs, start, resume } = hosted();
    const world = { calls: [] as string[], hangAt: "b" };
    const axon = steps(runs, world);
    void start(axon, 1);
    assert.equal(codeOf(await start(axon, 1)), "RUN_TAKEN");
    world.hangAt = "";

    const outcomes = await Promise.all(
      [1, 2].map(() => resume(axon, "run", undefined, { by: ownerOf("one") })),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 3).length, 1);
    assert.deepEqual(world.calls, ["a 1", "b 2", "b 2"]);
  });

  test("is asked for once again where it is taken", async () => {
    const { runs, start, resume } = hosted();
    const world = { calls: [] as string[], hangAt: "b" };
    const axon = steps(runs, world);
    void start(axon, 1);
    world.hangAt = "";
    let fails = 1;
    runs.misbehave = (known, entries) => {
      if (fails === 0) return undefined;
      fails -= 1;
      runs.inner.append("run", known, entries, "two");
      return Promise.reject(new Error("away"));
    };

    assert.equal(await resume(axon, "run", undefined, { by: ownerOf("two") }), 3);
  });
});

describe("RunEpoch", () => {
  test("is 1 where the run began, and one more with each resumption, also for what undoes a step", async () => {
    const { runs, start, resume } = hosted();
    const seen: unknown[] = [];
    const world = { hangs: true };
    const axon = Axon.start<number>("s")
      .withPersistenceStore(runs)
      .thenCompensated(
        transition({ name: "one", reads: [RunEpoch], run: (n: number, bus) => n + bus.get(RunEpoch) }),
        transition({
          name: "undo",
          reads: [RunEpoch],
          run: (_: unknown, bus) => void seen.push(bus.get(RunEpoch)),
        }),
      )
      .thenFn(
        "two",
        (_, bus) => {
          seen.push(bus.get(RunEpoch));
          return world.hangs ? (never() as never) : assert.fail("no");
        },
        { reads: [RunEpoch] },
      ) as unknown as AnyAxon;
    void start(axon, 1);
    void resume(axon);
    await new Promise(setImmediate);
    world.hangs = false;

    assert.equal(codeOf(await resume(axon)), "TRANSITION_PANIC");
    assert.deepEqual(seen, [1, 2, 3, 3]);
    assert.equal((runs.inner.read("run")[1] as { input: number } & RunEntry).input, 2);
  });
});

describe("a host that resumes a run", () => {
  test("counts it in the log until there is a new checkpoint, and says when another one may", async (t) => {
    t.mock.method(Date, "now", () => 1000);
    const { runs, start, resume } = hosted();
    const world = { calls: [] as string[], hangAt: "b" };
    const axon = steps(runs, world);
    void start(axon, 1);
    const resumed = async (count: boolean | undefined) => {
      void resume(axon, "run", undefined, { by: ownerOf("two"), count, maxResumptions: 20 });
      await new Promise(setImmediate);
      const { resumptions, retry_at } = runs.last() as Extract<RunEntry, { kind: "resumed" }>;
      return [resumptions, retry_at];
    };

    assert.deepEqual(await resumed(true), [1, 2000]);
    assert.deepEqual(await resumed(true), [2, 3000]);
    for (let n = 3; n < 9; n += 1) await resumed(true);
    assert.deepEqual(await resumed(true), [9, 257_000]);
    assert.deepEqual(await resumed(true), [10, 301_000]);
    assert.deepEqual(await resumed(false), [10, 301_000], "after a process that stopped");
    assert.deepEqual(await resumed(undefined), [undefined, undefined], "by hand");
    assert.deepEqual(await resumed(false), [undefined, undefined], "after a process that stopped");
    assert.deepEqual(await resumed(true), [1, 2000]);
  });

  test("marks one stuck that it has resumed too often, sends its letter, and leaves it to a person", async () => {
    const { runs, start, resume } = hosted();
    const world = { calls: [] as string[], hangAt: "b" };
    const letters = new MemoryDeadLetters();
    const axon = (steps(runs, world) as any).withDlqSink(letters) as AnyAxon;
    void start(axon, 1);
    const taken = () =>
      resume(axon, "run", undefined, { by: ownerOf("two"), count: true, maxResumptions: 3 });
    for (let n = 0; n < 2; n += 1) void (await Promise.race([taken(), new Promise(setImmediate)]));
    assert.deepEqual(letters.list(), []);

    for (let n = 0; n < 2; n += 1) assert.equal(codeOf(await taken()), "RUN_STUCK");
    assert.deepEqual(runs.kinds().slice(-3), ["resumed", "resumed", "stuck"]);
    assert.deepEqual(
      letters
        .list()
        .map(({ id, node, input, error, attempts }) => [id, node, input, { ...(error as object) }, attempts]),
      [["run", "s/b", 2, { code: "RUN_STUCK", runId: "run", resumptions: 2 }, 3]],
    );
    world.hangAt = "";
    assert.equal(await resume(axon), 3);
  });
});
