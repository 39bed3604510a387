// What every executor does where a provider of locks fails, or answers too late.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LockUnavailable, RunAborted } from "#core/bus/runtime-fault.js";
import type { LockLease, LockProvider } from "#core/ports/lock.js";
import { Axon } from "#runtime/axon/axon.js";
import { ExecutionMode } from "#runtime/definition/execution-mode.js";
import { MemoryLocks } from "#runtime/kept/memory-locks.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { codeOf, errorOf, runner } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";
import { gate, lockedRuns, type NotedLocks, never } from "../support/noted-locks.js";

export function lockFailuresContract(executor: Executor): void {
  const arranged = (misbehave: Partial<LockProvider> = {}) => lockedRuns(executor, misbehave);

  describe(`executor: ${executor.name}: singleton, a provider that fails`, () => {
    // H2: a refused renewal aborts.
    test("aborts the run when a renewal is refused: its signal fires, and no step begins", async () => {
      const { locks, run, mode, clock, reports } = arranged({ renew: () => false });
      const seen: string[] = [];
      const axon = Axon.start<number>("s")
        .withExecutionMode(mode)
        .thenFn("wait", (n, bus) => {
          bus.signal.addEventListener("abort", () => seen.push("signal"));
          return new Promise<number>((resolve) => clock.after(1000, () => resolve(n)));
        })
        .thenFn("after", (n) => {
          seen.push("after");
          return n;
        });
      const running = run(axon);
      await clock.advance(100);
      const ran = await running;
      await clock.advance(2000);

      assert.equal(codeOf(ran), "RUN_ABORTED");
      assert.match(String((errorOf(ran) as RunAborted).reason), /lock 'k' was not renewed/);
      assert.deepEqual(seen, ["signal"]);
      assert.deepEqual(locks.calls, ["acquire", "renew", "release"]);
      assert.deepEqual(
        reports.map(({ code }) => code),
        ["LOCK_FAILED"],
      );
    });

    for (const [how, renew] of [
      ["throws", () => assert.fail("away")],
      ["rejects", () => Promise.reject(new Error("away"))],
      ["hangs", never],
    ] as const)
      test(`aborts the run when its provider ${how} until the time is up, and not before`, async () => {
        const { locks, run, mode, clock } = arranged({ renew });
        let over = false;
        const running = run(Axon.start<number>("s").withExecutionMode(mode).thenFn("hang", never));
        void running.then(() => {
          over = true;
        });
        await clock.advance(299);
        assert.equal(over, false);
        await clock.advance(1);

        assert.equal(codeOf(await running), "RUN_ABORTED");
        assert.equal(locks.calls.filter((call) => call === "renew").length, 2);
        assert.equal(clock.timers, 0);
      });

    test("goes on where a renewal fails once", async () => {
      let calls = 0;
      const inner: { locks?: NotedLocks } = {};
      const { locks, run, mode, clock } = arranged({
        renew: (lease, ttlMs) => {
          calls += 1;
          if (calls === 1) throw new Error("away");
          return inner.locks?.inner.renew(lease, ttlMs) ?? false;
        },
      });
      inner.locks = locks;
      const { step, open } = gate();
      const running = run(Axon.start<number>("s").withExecutionMode(mode).then(step));
      await clock.advance(650);
      open();

      assert.equal((await running).outcome, 1);
    });

    for (const [how, acquire] of [
      ["throws", () => assert.fail("away")],
      ["rejects", () => Promise.reject(new Error("away"))],
      ["answers no lease", () => ({ key: "k" }) as LockLease],
    ] as const)
      test(`ends as LOCK_UNAVAILABLE where its provider ${how}`, async () => {
        const { run, mode, reports } = arranged({ acquire });
        const ran = await run(Axon.start<number>("s").withExecutionMode(mode));

        assert.equal(codeOf(ran), "LOCK_UNAVAILABLE");
        assert.ok((errorOf(ran) as LockUnavailable).cause instanceof Error);
        assert.deepEqual(
          reports.map(({ code }) => code),
          ["LOCK_FAILED"],
        );
      });

    test("ends as LOCK_UNAVAILABLE where its provider hangs, and gives back what comes later", async () => {
      let answer: (lease: LockLease | undefined) => void = () => {};
      const { locks, run, mode, clock } = arranged({
        acquire: () => new Promise((resolve) => (answer = resolve)),
      });
      const running = run(Axon.start<number>("s").withExecutionMode(mode));
      await clock.advance(299);
      await clock.advance(1);
      assert.equal(codeOf(await running), "LOCK_UNAVAILABLE");
      answer(locks.inner.acquire("k", 1000));
      await clock.advance(0);

      assert.deepEqual(locks.calls, ["acquire", "release"]);
      assert.equal(locks.isFree, true);
      assert.equal(clock.timers, 0);
    });

    // H1: its time counts from before.
    test("ends as LOCK_UNAVAILABLE where its provider answers at once, but too late", async () => {
      const inner = new MemoryLocks({ clock: new ManualClock() });
      let now = 0;
      const clock = { now: () => now, after: () => () => {} };
      const provider: LockProvider = {
        acquire: (key, ttlMs) => {
          now += 300;
          return inner.acquire(key, ttlMs);
        },
        renew: inner.renew,
        release: (lease) => {
          inner.release(lease);
          throw new Error("away");
        },
      };
      const { options, reports } = arranged();
      const once = runner({ ...executor, options: { ...executor.options, ...options, clock } });
      const axon = Axon.start<number>("s").withExecutionMode(ExecutionMode.singleton("k", 300, provider));

      assert.equal(codeOf(await once(axon, 1)), "LOCK_UNAVAILABLE");
      assert.ok(inner.acquire("k", 1), "given back");
      assert.deepEqual(
        reports.map(({ message }) => /too late/.test(message)),
        [true, false],
      );
    });

    test("gives back a lock that comes after the run was aborted", async () => {
      let answer: (lease: LockLease | undefined) => void = () => {};
      const { locks, run, mode, clock } = arranged({
        acquire: () => new Promise((resolve) => (answer = resolve)),
      });
      const abort = new AbortController();
      const running = run(Axon.start<number>("s").withExecutionMode(mode), 1, abort.signal);
      await clock.advance(0);
      abort.abort();
      assert.equal(codeOf(await running), "RUN_ABORTED");
      answer(locks.inner.acquire("k", 1000));
      await clock.advance(0);

      assert.equal(locks.isFree, true);
      assert.equal(clock.timers, 0);
    });

    // H3: given back once, whatever comes of it.
    for (const [how, release] of [
      ["throws", () => assert.fail("away")],
      ["rejects", () => Promise.reject(new Error("away"))],
      ["says that it was lost", () => false],
    ] as const)
      test(`answers what the run came to where giving back ${how}, and reports it`, async () => {
        const { run, mode, reports } = arranged({ release });

        assert.equal((await run(Axon.start<number>("s").withExecutionMode(mode))).outcome, 1);
        assert.deepEqual(
          reports.map(({ code }) => code),
          ["LOCK_FAILED"],
        );
      });

    test("waits for a provider that hangs at the end as long as the lock is held, no longer", async () => {
      const { run, mode, clock } = arranged({ release: never });
      const running = run(Axon.start<number>("s").withExecutionMode(mode));
      await clock.advance(300);

      assert.equal((await running).outcome, 1);
      assert.equal(clock.timers, 0);
    });
  });
}
