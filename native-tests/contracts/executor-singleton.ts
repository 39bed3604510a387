// What every executor does where an Axon runs once at a time.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { guard } from "#core/guard.js";
import { FencingToken, type LockLease, type LockProvider } from "#core/lock.js";
import { branch, fault } from "#core/outcome.js";
import type { Report } from "#core/reporter.js";
import type { LockUnavailable, RunAborted } from "#core/runtime-fault.js";
import { transition } from "#core/transition.js";
import { Axon } from "#runtime/axon.js";
import type { AnyAxon } from "#runtime/axon-types.js";
import { ExecutionMode } from "#runtime/execution-mode.js";
import { ManualClock } from "#runtime/manual-clock.js";
import { MemoryLocks } from "#runtime/memory-locks.js";
import { Program } from "#runtime/program.js";
import { RetryPolicy } from "#runtime/retry-policy.js";
import { codeOf, errorOf, refuse, runner } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

const never = (): Promise<never> => new Promise(() => {});

/** A step that goes on when it is told to. */
const gate = () => {
  let open: (value: unknown) => void = () => {};
  const step = transition({
    name: "gate",
    run: (n: number) =>
      new Promise<number>((resolve) => {
        open = () => resolve(n);
      }),
  });
  return { step, open: () => open(undefined) };
};

/** Locks that note what is asked of them, and can be made to misbehave. */
class NotedLocks implements LockProvider {
  readonly calls: string[] = [];
  readonly inner: MemoryLocks;
  readonly misbehave: Partial<LockProvider>;

  constructor(clock: ManualClock, misbehave: Partial<LockProvider> = {}) {
    this.inner = new MemoryLocks({ clock });
    this.misbehave = misbehave;
  }

  acquire(key: string, ttlMs: number) {
    this.calls.push("acquire");
    return (this.misbehave.acquire ?? this.inner.acquire)(key, ttlMs);
  }

  renew(lease: LockLease, ttlMs: number) {
    this.calls.push("renew");
    return (this.misbehave.renew ?? this.inner.renew)(lease, ttlMs);
  }

  release(lease: LockLease) {
    this.calls.push("release");
    return (this.misbehave.release ?? this.inner.release)(lease);
  }

  get isFree(): boolean {
    const lease = this.inner.acquire("k", 1);
    if (lease !== undefined) this.inner.release(lease);
    return lease !== undefined;
  }
}

export function singletonContract(executor: Executor): void {
  const arranged = (misbehave: Partial<LockProvider> = {}) => {
    const clock = new ManualClock();
    const locks = new NotedLocks(clock, misbehave);
    const reports: Report[] = [];
    const options = { clock, reporter: (report: Report) => void reports.push(report) };
    const once = runner({ ...executor, options: { ...executor.options, ...options } });
    const run = (axon: AnyAxon, input: unknown = 1, signal?: AbortSignal) => once(axon, input, signal);
    const mode = ExecutionMode.singleton("k", 300, locks);
    return { clock, locks, reports, run, mode, options };
  };

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
