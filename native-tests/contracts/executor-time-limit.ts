// What every executor does with a step that has a time limit.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { transition } from "#core/flow/transition.js";
import { Axon } from "#runtime/axon/axon.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { clocked, codeOf, errorOf, runner, Total } from "../support/executor-runs.js";
import { type Executor, runOnce } from "../support/executors.js";

const plain = (error: unknown): object => ({ ...(error as object) });

export function timeLimitContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: time limit`, () => {
    const slow = (ms: number, clock: ManualClock, late: unknown[] = []) =>
      transition({
        name: "slow",
        mayWrite: [Total],
        run: (n: number, bus) =>
          new Promise<number>((resolve) => {
            bus.signal.addEventListener("abort", () => late.push(["aborted", bus.signal.reason.message]));
            clock.after(ms, () => {
              try {
                bus.set(Total, n);
                late.push("wrote");
              } catch (error) {
                late.push((error as { code: string }).code);
              }
              resolve(n);
            });
          }),
      });

    test("lets an answer in time pass, and leaves no timer", async () => {
      const { clock, run } = clocked(executor);
      const ran = run(Axon.start<number>("t").thenWithTimeout(slow(9, clock), 10), 3);
      await clock.advance(9);

      assert.equal((await ran).outcome, 3);
      assert.equal(clock.timers, 0);
    });

    // F2: a closed fork refuses.
    test("ends the run with STEP_TIMEOUT, fires the step's signal, and shuts its Bus", async () => {
      const { clock, run } = clocked(executor);
      const late: unknown[] = [];
      const ran = run(Axon.start<number>("t").thenWithTimeout(slow(20, clock, late), 10), 3);
      await clock.advance(10);
      const ended = await ran;
      await clock.advance(10);

      assert.deepEqual(plain(errorOf(ended)), { code: "STEP_TIMEOUT", step: "slow", timeoutMs: 10 });
      assert.deepEqual(late, [["aborted", "Step 'slow' took longer than 10 ms"], "BUS_RELEASED"]);
      assert.equal(ended.bus["Total"], undefined);
    });

    test("does not hear a step that rejects after it", async () => {
      const { clock, run } = clocked(executor);
      const step = transition({
        name: "late",
        run: (_: number) =>
          new Promise<number>((_, reject) => clock.after(20, () => reject(new Error("late")))),
      });
      const ran = run(Axon.start<number>("t").thenWithTimeout(step, 10), 3);
      await clock.advance(30);

      assert.equal(codeOf(await ran), "STEP_TIMEOUT");
    });

    test("never settling is no trouble", async () => {
      const { clock, run } = clocked(executor);
      const ran = run(
        Axon.start<number>("t")
          .thenWithTimeout({ name: "hang", run: () => new Promise<number>(() => {}) }, 10)
          .thenFn("x", (n) => n),
        3,
      );
      await clock.advance(10);

      assert.equal(codeOf(await ran), "STEP_TIMEOUT");
    });

    test("takes a synchronous answer, and what it throws, as they are", async () => {
      const throwing = transition({
        name: "t",
        run: (): number => {
          throw new Error("boom");
        },
      });

      assert.ok(
        (await run(Axon.start<number>("t").thenWithTimeout({ name: "s", run: (n: number) => n }, 10), 3))
          .sync,
      );
      assert.equal(
        codeOf(await run(Axon.start<number>("t").thenWithTimeout(throwing, 10), 3)),
        "TRANSITION_PANIC",
      );
    });

    test("ends a subgraph between two of its steps, where no timer can fire", async () => {
      const seen: string[] = [];
      const inner = Axon.start<number>("inner")
        .thenFn("long", (n) => n)
        .thenFn("second", (n) => void seen.push(String(n)));
      const { after } = new ManualClock();
      // Each look at it takes 6 ms.
      let now = 0;
      const clock = {
        now: () => {
          now += 6;
          return now;
        },
        after,
      };
      const timed = { ...executor, options: { ...executor.options, clock } };
      const ran = await runOnce(Axon.start<number>("t").thenWithTimeout(inner.asTransition(), 10), 1, timed);

      assert.equal(codeOf(ran), "STEP_TIMEOUT");
      assert.deepEqual(seen, []);
    });

    test("ends a subgraph between two synchronous steps behind a promise", async () => {
      const seen: string[] = [];
      let now = 0;
      const clock = { now: () => now, after: new ManualClock().after };
      const inner = Axon.start<number>("inner")
        .thenFn("later", async (n) => n)
        .thenFn("block", (n) => {
          seen.push("block");
          now += 11;
          return n;
        })
        .thenFn("behind", (n) => void seen.push(String(n)));
      const timed = { ...executor, options: { ...executor.options, clock } };
      const axon = Axon.start<number>("t").thenWithTimeout(inner.asTransition(), 10);

      assert.equal(codeOf(await runOnce(axon, 1, timed)), "STEP_TIMEOUT");
      assert.deepEqual(seen, ["block"]);
    });

    test("ends with its run, and leaves no timer", async () => {
      const { clock, run } = clocked(executor);
      const controller = new AbortController();
      const ran = run(
        Axon.start<number>("t").thenWithTimeout(
          { name: "hang", run: () => new Promise<number>(() => {}) },
          10,
        ),
        3,
        controller.signal,
      );
      controller.abort();

      assert.equal(codeOf(await ran), "RUN_ABORTED");
      assert.equal(clock.timers, 0);
    });

    test("is each try's own", async () => {
      const { clock, run } = clocked(executor);
      const inner = Axon.start<number>("inner").thenWithTimeout(slow(20, clock), 10);
      const ran = run(
        Axon.start<number>("outer").thenWithRetry(inner.asTransition(), RetryPolicy.fixed(2, 5)),
        1,
      );
      await clock.advance(100);

      assert.equal(codeOf(await ran), "STEP_TIMEOUT");
      assert.equal(clock.timers, 0);
    });
  });
}
