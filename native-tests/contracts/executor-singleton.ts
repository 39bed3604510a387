// What every executor does where an Axon runs once at a time.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { branch, fault } from "#core/bus/outcome.js";
import { guard } from "#core/flow/guard.js";
import { transition } from "#core/flow/transition.js";
import { FencingToken, type LockLease, type LockProvider } from "#core/ports/lock.js";
import { Axon } from "#runtime/axon/axon.js";
import { Program } from "#runtime/compile/program.js";
import { ExecutionMode } from "#runtime/definition/execution-mode.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import { MemoryLocks } from "#runtime/kept/memory-locks.js";
import { codeOf, errorOf, refuse, runner } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";
import { gate, lockedRuns, NotedLocks, never } from "../support/noted-locks.js";

export function singletonContract(executor: Executor): void {
  const arranged = (misbehave: Partial<LockProvider> = {}) => lockedRuns(executor, misbehave);

  describe(`executor: ${executor.name}: singleton`, () => {
    test("runs at once with a provider that answers at once, and gives the lock back", async () => {
      const { locks, run, mode } = arranged();
      const axon = Axon.start<number>("s")
        .withExecutionMode(mode)
        .thenFn("free", (n) => [n, locks.isFree]);
      const ran = await run(axon);

      assert.deepEqual([ran.outcome, ran.sync], [[1, false], true]);
      assert.deepEqual(locks.calls, ["acquire", "release"]);
      assert.equal(locks.isFree, true);
    });

    test("lets one run at a time: another ends as LOCK_TAKEN before its first step", async () => {
      const { run, mode } = arranged();
      const { step, open } = gate();
      let begun = 0;
      const axon = Axon.start<number>("s")
        .withExecutionMode(mode)
        .thenFn("count", (n) => {
          begun += 1;
          return n;
        })
        .then(step);
      const first = run(axon);
      const second = await run(axon, 2);
      open();

      assert.deepEqual({ ...(errorOf(second) as object) }, { code: "LOCK_TAKEN", axon: "s", lockKey: "k" });
      assert.equal((await first).outcome, 1);
      assert.equal(begun, 1);
      assert.equal(
        await run(Axon.start<number>("t").withExecutionMode(mode), 3).then((ran) => ran.outcome),
        3,
      );
    });

    test("does not take the lock for an input that is refused", async () => {
      const { locks, run, mode } = arranged();
      const { Type } = await import("framework");
      const axon = Axon.start("s", Type.Number()).withExecutionMode(mode);

      assert.equal(codeOf(await run(axon, "x")), "INPUT_INVALID");
      assert.deepEqual(locks.calls, []);
    });

    test("does not take the lock for who is refused by a guard in front", async () => {
      const { locks, run, mode } = arranged();
      const refusing = guard({ name: "nobody", run: () => fault("refused") });
      const axon = Axon.start<number>("s").withExecutionMode(mode).then(refusing);

      assert.equal(errorOf(await run(axon)), "refused");
      assert.deepEqual(locks.calls, []);
    });

    test("has a greater token on the Bus in each run", async () => {
      const { run, mode } = arranged();
      const axon = Axon.start<number>("s")
        .withExecutionMode(mode)
        .thenFn("token", (_, bus) => bus.get(FencingToken), { reads: [FencingToken] });
      const tokens = [await run(axon), await run(axon)].map(({ outcome }) => outcome as number);

      assert.ok((tokens[1] as number) > (tokens[0] as number), String(tokens));
    });

    for (const [how, end] of [
      ["a fault", () => fault("no")],
      ["a panic", () => assert.fail("thrown")],
      ["a rejection", () => Promise.reject(new Error("no"))],
      ["a late fault", async () => fault("no")],
    ] as const)
      test(`gives the lock back after ${how}`, async () => {
        const { locks, run, mode } = arranged();
        errorOf(
          await run(
            Axon.start<number>("s")
              .withExecutionMode(mode)
              .thenFn("end", end as () => unknown),
          ),
        );

        assert.deepEqual(locks.calls, ["acquire", "release"]);
      });

    test("gives the lock back after what was completed is undone", async () => {
      const { locks, run, mode } = arranged();
      const wasFree: boolean[] = [];
      const axon = Axon.start<number>("s")
        .withExecutionMode(mode)
        .thenCompensated(transition({ name: "do", run: (n: number) => n }), async () => {
          await Promise.resolve();
          wasFree.push(locks.isFree);
        })
        .then(refuse);
      errorOf(await run(axon));

      assert.deepEqual(wasFree, [false]);
      assert.equal(locks.isFree, true);
    });

    test("gives the lock back when the run is aborted while it waits", async () => {
      const { locks, run, mode, clock } = arranged();
      const abort = new AbortController();
      const running = run(
        Axon.start<number>("s").withExecutionMode(mode).thenFn("hang", never),
        1,
        abort.signal,
      );
      await clock.advance(0);
      abort.abort("enough");

      assert.equal(codeOf(await running), "RUN_ABORTED");
      assert.deepEqual(locks.calls, ["acquire", "release"]);
      assert.equal(clock.timers, 0);
    });

    test("gives the lock back after a step's time is up", async () => {
      const { locks, run, mode, clock } = arranged();
      const hang = transition({ name: "hang", run: (_: number) => never() });
      const running = run(Axon.start<number>("s").withExecutionMode(mode).thenWithTimeout(hang, 50));
      await clock.advance(60);

      assert.equal(codeOf(await running), "STEP_TIMEOUT");
      assert.equal(locks.isFree, true);
      assert.equal(clock.timers, 0);
    });

    test("renews the lock while the run goes on", async () => {
      const { locks, run, mode, clock } = arranged();
      const { step, open } = gate();
      const running = run(Axon.start<number>("s").withExecutionMode(mode).then(step));
      for (let n = 0; n < 10; n += 1) {
        await clock.advance(100);
        assert.equal(locks.isFree, false);
      }
      open();

      assert.equal((await running).outcome, 1);
      assert.equal(locks.calls.filter((call) => call === "renew").length, 10);
      assert.equal(clock.timers, 0);
    });

    test("begins no step after one that blocked longer than the lock is held", async () => {
      const { mode, options } = arranged();
      let now = 0;
      const clock = { now: () => now, after: () => () => {} };
      const seen: string[] = [];
      const block = (n: number): number => {
        seen.push("block");
        now += 400;
        return n;
      };
      const after = (n: number): number => {
        seen.push("after");
        return n;
      };
      const axon = Axon.start<number>("s")
        .withExecutionMode(mode)
        .thenFn("block", block)
        .thenFn("after", after);
      const late = Axon.start<number>("l")
        .withExecutionMode(mode)
        .thenFn("later", async (n) => n)
        .thenFn("block", block)
        .thenFn("after", after);
      const once = runner({ ...executor, options: { ...executor.options, ...options, clock } });

      assert.equal(codeOf(await once(axon, 1)), "RUN_ABORTED");
      assert.equal(codeOf(await once(late, 1)), "RUN_ABORTED");
      assert.deepEqual(seen, ["block", "block"]);
    });

    test("is held for the time of a subgraph alone, whose tokens are its own", async () => {
      const { locks, run, mode, clock } = arranged();
      const outerLocks = new MemoryLocks({ clock });
      for (let n = 0; n < 5; n += 1) await outerLocks.release(await (outerLocks.acquire("o", 1) as never));
      const seen: unknown[] = [];
      const note = (name: string) =>
        transition({
          name,
          reads: [FencingToken],
          run: async (n: number, bus) => {
            seen.push([name, locks.isFree, bus.get(FencingToken)]);
            return n;
          },
        });
      const inner = Axon.start<number>("inner").withExecutionMode(mode).then(note("in"));
      const axon = Axon.start<number>("outer")
        .withExecutionMode(ExecutionMode.singleton("o", 300, outerLocks))
        .then(note("before"))
        .subgraph(inner)
        .then(note("behind"));

      assert.equal((await run(axon)).outcome, 1);
      assert.deepEqual(seen, [
        ["before", true, 6],
        ["in", false, 2],
        ["behind", true, 6],
      ]);
    });

    test("is tried again with the step that a subgraph is, and faults as that step", async () => {
      const { run, mode, clock, locks } = arranged();
      const lease = locks.inner.acquire("k", 1000) as LockLease;
      const inner = Axon.start<number>("inner")
        .withExecutionMode(mode)
        .thenFn("in", (n) => n + 1);
      const retried = Axon.start<number>("outer").thenWithRetry(
        inner.asTransition(),
        RetryPolicy.fixed(3, 100),
      );
      assert.equal(codeOf(await run(Axon.start<number>("plain").subgraph(inner))), "LOCK_TAKEN");
      const running = run(retried);
      await clock.advance(150);
      locks.inner.release(lease);
      await clock.advance(100);

      assert.equal((await running).outcome, 2);
      assert.equal(locks.isFree, true);
    });

    test("is held for the time of a branch alone", async () => {
      const { run, mode, locks } = arranged();
      const seen: unknown[] = [];
      const note =
        (name: string) =>
        (n: number): number => {
          seen.push([name, locks.isFree]);
          return n + 1;
        };
      const axon = Axon.start<number>("outer")
        .thenFn("turn", (n) => (n === 1 ? branch("side", n) : n), { branches: ["side"] })
        .branch("side", Axon.start<number>("side").withExecutionMode(mode).thenFn("in", note("in")))
        .thenFn("behind", note("behind"));

      assert.equal((await run(axon)).outcome, 3);
      assert.deepEqual(seen, [
        ["in", false],
        ["behind", true],
      ]);
      seen.length = 0;
      assert.equal((await run(axon, 5)).outcome, 6);
      assert.deepEqual(locks.calls, ["acquire", "release"]);
    });

    test("is taken too by a run that begins in the middle", async () => {
      const { locks, mode, clock, options } = arranged();
      const axon = Axon.start<number>("s")
        .withExecutionMode(mode)
        .thenFn("one", () => assert.fail("not this one"))
        .thenFn("two", (_, bus) => [bus.get(FencingToken), locks.isFree], { reads: [FencingToken] });
      const program = new Program(axon.definition, { ...executor.options, ...options });
      const run = (): unknown => program.runFrom("s/two")(1, program.acquire());

      assert.deepEqual(await run(), [1, false]);
      assert.equal(locks.isFree, true);
      const lease = locks.inner.acquire("k", 1000) as LockLease;
      assert.equal(codeOf({ outcome: await run() } as never), "LOCK_TAKEN");
      locks.inner.release(lease);
      const late = new NotedLocks(clock, { acquire: async (key, ttlMs) => locks.inner.acquire(key, ttlMs) });
      const slow = new Program(
        axon.withExecutionMode(ExecutionMode.singleton("k", 300, late)).definition,
        options,
      );
      assert.deepEqual(await slow.runFrom("s/two")(1, slow.acquire()), [4, false]);
      assert.deepEqual(late.calls, ["acquire", "release"]);
    });
  });
}
