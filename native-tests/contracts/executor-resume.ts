// How every executor goes on with a run that was kept.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { branch, fault, isFault, jump } from "#core/bus/outcome.js";
import { transition } from "#core/flow/transition.js";
import { FencingToken, type LockProvider } from "#core/ports/lock.js";
import { RunId } from "#core/ports/run-store.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { ExecutionMode } from "#runtime/definition/execution-mode.js";
import { MemoryLocks } from "#runtime/kept/memory-locks.js";
import type { Executor } from "../support/executors.js";
import { codeOf, keptRuns, lineOf, Note, never } from "../support/kept-runs.js";

export function resumeContract(executor: Executor): void {
  const arranged = () => keptRuns(executor);

  describe(`executor: ${executor.name}: resumed runs`, () => {
    test("goes on at the first step without a checkpoint, with what was on the Bus, and runs none again", async () => {
      const { runs, start, resume } = arranged();
      const world = { calls: [] as string[], hangs: true };
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenFn(
          "one",
          (n, bus) => {
            world.calls.push("one");
            bus.set(Note, `was ${n}`);
            return new Date(n);
          },
          { writes: [Note] },
        )
        .thenFn("two", (date) => {
          world.calls.push("two");
          return world.hangs ? (never() as never) : { at: date, big: 2n };
        })
        .thenFn("three", ({ at, big }, bus) => [at.getTime(), big, bus.get(Note), bus.get(RunId)], {
          reads: [Note, RunId],
        }) as unknown as AnyAxon;
      void start(axon, 7);
      world.hangs = false;

      assert.deepEqual(await resume(axon), [7, 2n, "was 7", "run"]);
      assert.deepEqual(world.calls, ["one", "two", "two"]);
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "resumed", "checkpoint", "ended"]);
    });

    test("answers the outcome of a run that is over, and runs nothing", async () => {
      const { runs, start, resume } = arranged();
      const world = { calls: [] as string[] };
      const axon = lineOf(runs, ["one"], world);
      start(axon, 1);
      const failing = Axon.start<number>("f")
        .withPersistenceStore(runs)
        .thenFn("no", () => fault({ kind: "no" })) as AnyAxon;
      start(failing, 1, { id: "failed" });
      const odd = Axon.start<number>("o")
        .withPersistenceStore(runs)
        .thenFn("odd", () => () => 1) as AnyAxon;
      start(odd, 1, { id: "odd" });

      assert.equal(await resume(axon), 2);
      assert.deepEqual(((await resume(failing, "failed")) as { error: unknown }).error, { kind: "no" });
      assert.equal(codeOf(await resume(odd, "odd")), "RUN_ENDED");
      assert.equal(codeOf(await resume(axon, "nobody's")), "RUN_UNKNOWN");
      assert.deepEqual(world.calls, ["one 1"]);
    });

    // RE1: the claim is an entry.
    test("lets one of two who resume a run at once", async () => {
      const { runs, start, resume } = arranged();
      const world: { calls: string[]; hangAt?: string } = { calls: [], hangAt: "two" };
      const axon = lineOf(runs, ["one", "two"], world);
      void start(axon, 1);
      delete world.hangAt;
      const outcomes = await Promise.all([resume(axon), resume(axon)]);

      assert.equal(outcomes.filter((outcome) => outcome === 3).length, 1);
      assert.equal(
        outcomes.filter((outcome) => isFault(outcome) && codeOf(outcome) === "RUN_TAKEN").length,
        1,
      );
      assert.equal(
        world.calls.filter((call) => call === "two 2").length,
        2,
        "the one that hung, and one more",
      );
    });

    for (const checkpoint of ["sync", "async"] as const)
      test(`stops a run that somebody else goes on with, and undoes nothing of it: ${checkpoint} checkpoints`, async () => {
        const { runs, start, resume } = arranged();
        const undone: string[] = [];
        const open: ((n: number) => void)[] = [];
        const axon = Axon.start<number>("s")
          .withPersistenceStore(runs, { checkpoint })
          .thenCompensated(transition({ name: "one", run: (n: number) => n }), () => void undone.push("one"))
          .thenFn("two", () => new Promise<number>((resolve) => open.push(resolve)))
          .thenFn("three", (n) => n) as AnyAxon;
        const first = start(axon, 1);
        const second = resume(axon);
        await new Promise(setImmediate);
        open[0]?.(10);

        assert.equal(codeOf(await first), "RUN_TAKEN");
        open[1]?.(20);
        assert.equal(await second, 20);
        assert.deepEqual(undone, []);
      });

    test("goes on inside branches and subgraphs, and behind jumps, which still count", async () => {
      const { runs, start, resume } = arranged();
      const world: { hangAt?: string; calls: string[] } = { calls: [] };
      const step = (name: string) => (n: number) => {
        world.calls.push(name);
        return (world.hangAt === name ? never() : n + 1) as number;
      };
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .label("again")
        .thenFn("turn", (n) => (n < 10 ? branch("side", n) : n), { branches: ["side"] })
        .branch("side", Axon.start<number>("b").thenFn("b1", step("b1")).thenFn("b2", step("b2")))
        .subgraph(Axon.start<number>("sub").thenFn("s1", step("s1")).thenFn("s2", step("s2")))
        .thenFn("back", (n) => (n < 10 ? jump("again", n) : n), { jumps: ["again"] })
        .withMaxJumps(2) as unknown as AnyAxon;
      for (const [hangAt, last] of [
        ["b2", "s/turn:side/b2"],
        ["s2", "s/sub/s2"],
      ] as const) {
        world.calls.length = 0;
        world.hangAt = hangAt;
        void start(axon, 1, { id: hangAt });
        assert.equal((runs.last(hangAt) as { node: string }).node, last);
        delete world.hangAt;

        // 1 and 5 and 9 go through the branch: one jump more than the run may take.
        assert.equal(await resume(axon, hangAt), 13);
        assert.equal(world.calls.filter((call) => call === "b1").length, 3);
        assert.equal((runs.inner.read(hangAt).at(-2) as { jumps: number }).jumps, 2);
      }
      const fewer = axon.withMaxJumps(1) as AnyAxon;
      world.hangAt = "b2";
      void start(fewer, 1, { id: "fewer" });
      delete world.hangAt;
      assert.equal(codeOf(await resume(fewer, "fewer")), "JUMP_LIMIT");
    });

    test("runs a parallel step as one: it is completed with all of its steps, or runs again", async () => {
      const { runs, start, resume } = arranged();
      const world: { hangs: boolean; calls: string[] } = { hangs: true, calls: [] };
      const left = transition({
        name: "left",
        run: (n: number) => {
          world.calls.push("left");
          return n;
        },
      });
      const right = transition({
        name: "right",
        run: (n: number) => (world.hangs ? never() : n) as number,
      });
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .parallel([left, right], "AllMustSucceed", ([a, b]) => a + b, { name: "both" })
        .thenFn("end", (n) => n) as unknown as AnyAxon;
      void start(axon, 2);
      world.hangs = false;

      assert.equal(await resume(axon), 4);
      assert.deepEqual(world.calls, ["left", "left"]);
      assert.deepEqual(runs.kinds(), ["begun", "resumed", "checkpoint", "ended"]);
    });

    test("goes on from its start where no checkpoints are kept", async () => {
      const { runs, start, resume } = arranged();
      const world: { calls: string[]; hangAt?: string } = { calls: [], hangAt: "two" };
      const axon = lineOf(runs, ["one", "two"], world).withPersistenceStore(runs, {
        checkpoint: "none",
      }) as AnyAxon;
      void start(axon, 1);
      delete world.hangAt;

      assert.equal(await resume(axon), 3);
      assert.deepEqual(world.calls, ["one 1", "two 2", "one 1", "two 2"]);
      assert.deepEqual(runs.kinds(), ["begun", "resumed", "ended"]);
    });

    // RE3: the lock comes first.
    test("resumes under the Axon's lock, and leaves a run where it is while that is taken", async () => {
      const { runs, start, resume, clock } = arranged();
      const locks = new MemoryLocks({ clock });
      const world = { hangs: true };
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .withExecutionMode(ExecutionMode.singleton("k", 300, locks))
        .thenFn("one", (n) => n)
        .thenFn("two", (n, bus) => (world.hangs ? never() : [n, bus.get(FencingToken)]) as number[], {
          reads: [FencingToken],
        }) as unknown as AnyAxon;
      void start(axon, 1);
      world.hangs = false;

      assert.equal(codeOf(await resume(axon)), "LOCK_TAKEN");
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint"]);
      // The process that held it is gone: nobody renews it.
      const after = new MemoryLocks({ clock });
      const elsewhere = axon.withExecutionMode(ExecutionMode.singleton("k", 300, after)) as AnyAxon;
      assert.deepEqual(await resume(elsewhere), [1, 1]);
      assert.equal(await resume(elsewhere, "nobody's").then(codeOf), "RUN_UNKNOWN");
      assert.ok(after.acquire("k", 1), "given back by both");
    });

    test("stops where the Axon's lock is lost: it is aborted, and neither undone nor over", async () => {
      const { runs, start, resume, clock } = arranged();
      const locks = new MemoryLocks({ clock });
      const undone: string[] = [];
      const world = { hangs: true };
      const axonWith = (provider: LockProvider) =>
        Axon.start<number>("s")
          .withPersistenceStore(runs)
          .withExecutionMode(ExecutionMode.singleton("k", 300, provider))
          .thenCompensated(transition({ name: "one", run: (n: number) => n }), () => void undone.push("one"))
          .thenFn("two", (n) => (world.hangs ? never() : n + 1) as number) as unknown as AnyAxon;
      const losing = { ...locks, acquire: locks.acquire, release: locks.release, renew: () => false };
      const running = Promise.resolve(start(axonWith(losing), 1));
      await clock.advance(100);
      world.hangs = false;

      assert.equal(codeOf(await running), "RUN_ABORTED");
      assert.deepEqual([undone, runs.kinds()], [[], ["begun", "checkpoint"]]);
      assert.equal(await resume(axonWith(locks)), 2);
    });
  });
}
