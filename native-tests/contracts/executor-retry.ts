// What every executor does with a step that is tried again.

import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";

import { describe, test } from "node:test";

import { emit, fault } from "#core/bus/outcome.js";
import type { TransitionPanic } from "#core/bus/runtime-fault.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import { clocked, codeOf, errorOf, runner, scripted, Told, turn } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";
import { heapAfterCollection } from "../support/heap.js";

/** Counts the promises that were made since and are not collected. */
function livePromises() {
  const live = new Set<number>();
  const hook = createHook({
    init: (id, type) => void (type === "PROMISE" && live.add(id)),
    destroy: (id) => void live.delete(id),
  }).enable();
  return {
    async count(): Promise<number> {
      // The first collection leaves what the current turn has made.
      for (let times = 0; times < 2; times += 1) {
        heapAfterCollection();
        await turn();
      }
      return live.size;
    },
    stop: () => hook.disable(),
  };
}

export function retryContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: retry`, () => {
    const retrying = (answers: readonly unknown[], policy: RetryPolicy) => {
      const { script, step } = scripted("shaky", answers);
      return {
        script,
        axon: Axon.start<number>("r")
          .thenWithRetry(step, policy)
          .thenFn("end", (n) => n) as AnyAxon,
      };
    };
    const boom = () => {
      throw new Error("boom");
    };

    test("tries again until the step answers, and at once without a delay", async () => {
      const { script, axon } = retrying([fault("a"), boom, 5], RetryPolicy.fixed(2, 0));
      const ran = await run(axon, 1);

      assert.deepEqual([ran.outcome, ran.sync, script.calls], [5, true, 3]);
    });

    test("tries again after rejections, and faults that come later", async () => {
      const { axon } = retrying(
        [() => Promise.reject(new Error("no")), async () => fault("b"), async () => 5],
        RetryPolicy.fixed(2, 0),
      );

      assert.equal((await run(axon, 1)).outcome, 5);
    });

    test("ends with the last fault", async () => {
      const { script, axon } = retrying([fault("a"), fault("b"), fault("c")], RetryPolicy.fixed(1, 0));

      assert.equal(errorOf(await run(axon, 1)), "b");
      assert.equal(script.calls, 2);
      const thrown = errorOf(await run(retrying([boom], RetryPolicy.fixed(3, 0)).axon, 1)) as TransitionPanic;
      assert.deepEqual(
        [thrown.code, thrown.step, String(thrown.cause)],
        ["TRANSITION_PANIC", "shaky", "Error: boom"],
      );
    });

    test("can be tried very often without nesting", async () => {
      const { script, axon } = retrying([fault("a")], RetryPolicy.fixed(20_000, 0));
      await run(axon, 1);

      assert.equal(script.calls, 20_001);
    });

    test("keeps nothing of the tries that took time, however many there are", async () => {
      const promises = livePromises();
      let calls = 0;
      let live = Number.NaN;
      const step = {
        name: "shaky",
        run: async () => {
          calls += 1;
          if (calls === 1000) live = await promises.count();
          return fault("a");
        },
      };
      await run(Axon.start<number>("r").thenWithRetry(step, RetryPolicy.fixed(1000, 0)), 1);
      promises.stop();

      assert.equal(calls, 1001);
      assert.ok(live < 100, `${live} promises are left of 1000 tries`);
    });

    test("waits as the policy says", async () => {
      const { clock, run } = clocked(executor);
      const { script, axon } = retrying([fault("a")], RetryPolicy.exponential(3, 100, 2, 250));
      const calls: number[] = [];
      const ran = run(axon, 1);
      for (const ms of [99, 1, 199, 1, 249, 1]) {
        await clock.advance(ms);
        calls.push(script.calls);
      }

      assert.deepEqual(calls, [1, 2, 2, 3, 3, 4]);
      assert.equal(errorOf(await ran), "a");
      assert.equal(clock.timers, 0);
    });

    test("retries what its predicate wants, and ends with a panic where that throws", async () => {
      const some = RetryPolicy.fixed(5, 0).retryIf((error) => error === "again");
      const { script, axon } = retrying([fault("again"), fault("enough")], some);
      const broken = retrying([fault("a")], RetryPolicy.fixed(5, 0).retryIf(boom));

      assert.equal(errorOf(await run(axon, 1)), "enough");
      assert.equal(script.calls, 2);
      assert.equal(codeOf(await run(broken.axon, 1)), "TRANSITION_PANIC");
    });

    test("begins no try after its deadline", async () => {
      const { clock, run } = clocked(executor);
      const { script, axon } = retrying([fault("a")], RetryPolicy.fixed(100, 10).deadline(35));
      const ran = run(axon, 1);
      await clock.advance(100);

      assert.equal(errorOf(await ran), "a");
      assert.equal(script.calls, 4);
    });

    test("does not retry what a retry inside has given up on", async () => {
      const { script, step } = scripted("shaky", [fault("a")]);
      const inner = Axon.start<number>("inner").thenWithRetry(step, RetryPolicy.fixed(2, 0));
      const outer = Axon.start<number>("outer").thenWithRetry(inner.asTransition(), RetryPolicy.fixed(5, 0));

      assert.equal(errorOf(await run(outer, 1)), "a");
      assert.equal(script.calls, 3);
      // A fault made ahead of time is fresh in the next run.
      await run(outer, 1);
      assert.equal(script.calls, 6);
    });

    test("does not retry what an inner retry gave up on inside an event", async () => {
      const { script, step } = scripted("tell", [emit(Told, 1, fault("no"))]);
      const inner = Axon.start<number>("inner").thenWithRetry(
        { ...(step as object), emits: [Told] } as never,
        RetryPolicy.fixed(2, 0),
      );
      const outer = Axon.start<number>("outer").thenWithRetry(inner.asTransition(), RetryPolicy.fixed(2, 0));

      assert.equal(errorOf(await run(outer, 1)), "no");
      assert.equal(script.calls, 3);
    });

    test("runs a subgraph whole again", async () => {
      const seen: string[] = [];
      const { step } = scripted("shaky", [fault("a"), 1]);
      const inner = Axon.start<number>("inner")
        .thenFn("first", (n) => {
          seen.push("first");
          return n;
        })
        .then(step);
      const outer = Axon.start<number>("outer").thenWithRetry(inner.asTransition(), RetryPolicy.fixed(1, 0));

      assert.equal((await run(outer, 1)).outcome, 1);
      assert.deepEqual(seen, ["first", "first"]);
    });

    test("waits no longer than its run", async () => {
      const { clock, run } = clocked(executor);
      const controller = new AbortController();
      const { script, axon } = retrying([fault("a")], RetryPolicy.fixed(5, 1000));
      const ran = run(axon, 1, controller.signal);
      await clock.advance(500);
      controller.abort();

      assert.equal(codeOf(await ran), "RUN_ABORTED");
      assert.equal(clock.timers, 0);
      await clock.advance(5000);
      assert.equal(script.calls, 1);
    });

    test("waits also where nobody could abort the run", async () => {
      const { script, axon } = retrying([fault("a"), 2], RetryPolicy.fixed(5, 1));
      const { Program } = await import("#runtime/compile/program.js");
      const program = new Program(axon.definition, executor.options);

      assert.equal(await program.run(1, program.acquire()), 2);
      assert.equal(script.calls, 2);
    });

    test("sends no event of a try that failed", async () => {
      const events: unknown[] = [];
      const { step } = scripted("tell", [emit(Told, 1, fault("no")), emit(Told, 2, Promise.resolve(5))]);
      const axon = Axon.start<number>("r")
        .thenWithRetry({ ...(step as object), emits: [Told] } as never, RetryPolicy.fixed(1, 0))
        .withEventSink({ send: (event) => events.push(event.payload) });

      assert.equal((await run(axon, 1)).outcome, 5);
      assert.deepEqual(events, [2]);
    });
  });
}
