// What every executor keeps of runs that failed for good.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fault } from "#core/bus/outcome.js";
import { transition } from "#core/flow/transition.js";
import type { DeadLetter } from "#core/ports/dead-letter.js";
import { Axon } from "#runtime/axon/axon.js";
import { DlqPolicy } from "#runtime/definition/dlq-policy.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import { errorOf, refuse, runner, turn } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

export function deadLetterContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: dead letters`, () => {
    const failing = Axon.start<{ n: number }>("d")
      .withVersion("2.1.0")
      .thenFn("first", ({ n }) => ({ n: n + 1 }))
      .thenFn("second", (input) => (input.n < 100 ? fault({ kind: "small" }) : input));

    test("hold the step's input, the fault, the version and the timeline", async () => {
      const letters = new MemoryDeadLetters();
      const ran = await run(failing.withDlqSink(letters), { n: 1 });
      const [letter] = letters.list() as [DeadLetter];

      assert.deepEqual(errorOf(ran), { kind: "small" });
      // Whoever is told of a run is named its id.
      const { id, failed_at, timeline, run_id, ...rest } = letter;
      assert.deepEqual(rest, {
        kind: "step",
        axon: "d",
        version: "2.1.0",
        node: "d/second",
        input: { n: 2 },
        error: { kind: "small" },
        attempts: 1,
        undone: [],
      });
      assert.match(id, /^[0-9a-f-]{36}$/);
      const isTold = Object.keys(executor.options.recorder ?? {}).length > 0;
      assert.equal(/^[0-9a-f]{10}-[0-9a-z]+$/.test(run_id ?? ""), isTold);
      assert.ok(Math.abs(failed_at - Date.now()) < 60_000);
      assert.deepEqual(
        timeline?.events.map(({ kind, node }) => `${kind} ${node}`),
        [
          "node_enter d/first",
          "node_exit d/first",
          "node_enter d/second",
          "node_exit d/second",
          "dlq_exhausted d/second",
        ],
      );
    });

    test("are written before the run answers, where that takes time", async () => {
      const order: string[] = [];
      const sink = {
        send: async () => {
          await turn();
          order.push("kept");
        },
      };
      await run(failing.withDlqSink(sink), { n: 1 });
      order.push("answered");

      assert.deepEqual(order, ["kept", "answered"]);
    });

    test("are for exceptions and rejections too, and not for success, aborts and bad input", async () => {
      const letters = new MemoryDeadLetters();
      const { Type } = await import("@sinclair/typebox");
      const controller = new AbortController();
      const throwing = Axon.start("t", Type.Number())
        .thenFn("boom", (n) => {
          if (n > 5) throw new Error("boom");
          return n > 3 ? Promise.reject(new Error("late")) : n > 1 ? new Promise<number>(() => {}) : n;
        })
        .withDlqSink(letters);
      await run(throwing, 9);
      await run(throwing, 4);
      assert.equal(letters.list().length, 2);
      await run(throwing, 1);
      await run(throwing, "x");
      const hanging = run(throwing, 2, controller.signal);
      controller.abort();
      await hanging;

      assert.equal(letters.list().length, 2);
    });

    test("are sent or dropped as the policy says, after its retries where the step has none", async () => {
      const letters = new MemoryDeadLetters();
      let calls = 0;
      const step = transition({
        name: "s",
        run: (_: number) => {
          calls += 1;
          return fault("no");
        },
      });
      const base = Axon.start<number>("d").then(step).withDlqSink(letters);
      await run(base.withDlqPolicy(DlqPolicy.drop()), 1);
      assert.deepEqual([calls, letters.list().length], [1, 0]);
      await run(base.withDlqPolicy(DlqPolicy.retryThenSend(RetryPolicy.fixed(2, 0))), 1);
      assert.deepEqual([calls, letters.list().length], [4, 1]);
      const own = Axon.start<number>("d").thenWithRetry(step, RetryPolicy.fixed(1, 0)).withDlqSink(letters);
      await run(own.withDlqPolicy(DlqPolicy.retryThenSend(RetryPolicy.fixed(5, 0))), 1);
      assert.deepEqual([calls, letters.list().length], [6, 2]);
    });

    test("are for those faults alone that the policy wants, and for what could not be undone", async () => {
      const letters = new MemoryDeadLetters();
      const choosing = (wants: (error: unknown) => boolean, retries = 0) =>
        DlqPolicy.retryThenSend(RetryPolicy.fixed(retries, 0)).sendIf(wants);
      const axon = Axon.start<string>("d")
        .thenFn("fail", (kind) => fault({ kind }))
        .withDlqSink(letters)
        .withDlqPolicy(choosing((error) => (error as { kind: string }).kind !== "caller's"));
      await run(axon, "caller's");
      await run(axon, "ours");

      assert.deepEqual(
        letters.list().map(({ error }) => error),
        [{ kind: "ours" }],
      );
      const throwing = choosing(() => {
        throw new Error("broken");
      });
      await run(axon.withDlqPolicy(throwing), "caller's");
      const undone = Axon.start<number>("u")
        .thenCompensated(transition({ name: "book", run: (n: number) => n }), () => fault("stuck"))
        .then(refuse)
        .withDlqSink(letters)
        .withDlqPolicy(choosing(() => false));
      await run(undone, 1);
      assert.deepEqual(
        letters.list().map(({ kind, node }) => `${kind} ${node}`),
        ["step d/fail", "step d/fail", "compensation u/book"],
      );
    });

    test("of a subgraph go to its own sink, else to the one around it", async () => {
      const [outer, own] = [new MemoryDeadLetters(), new MemoryDeadLetters()];
      const inner = Axon.start<number>("i").then(refuse);
      await run(Axon.start<number>("o").subgraph(inner).withDlqSink(outer), 1);
      await run(Axon.start<number>("o").subgraph(inner.withDlqSink(own)).withDlqSink(outer), 1);

      assert.deepEqual(
        [outer.list().map(({ node }) => node), own.list().map(({ node }) => node)],
        [["o/i/refuse"], ["o/i/refuse"]],
      );
    });

    test("that cannot be kept are reported, and the run answers its fault", async () => {
      for (const send of [
        () => Promise.reject(new Error("full")),
        () => {
          throw new Error("full");
        },
      ]) {
        const reports: string[] = [];
        const ran = await run(failing.withDlqSink({ send }), { n: 1 }, undefined, {
          reporter: ({ code }: { code: string }) => reports.push(code),
        });

        assert.deepEqual(errorOf(ran), { kind: "small" });
        assert.deepEqual(reports, ["DEAD_LETTER_LOST"]);
      }
    });

    test("are for outputs against their schema too", async () => {
      const { Type } = await import("@sinclair/typebox");
      const letters = new MemoryDeadLetters();
      const axon = Axon.start<number>("o")
        .thenFn("answer", (n) => n)
        .withOutputSchema(Type.Number({ maximum: 5 }), { check: "validate" })
        .withDlqSink(letters);
      await run(axon, 9);

      assert.deepEqual(
        letters.list().map(({ node, input }) => [node, input]),
        [["o:out", 9]],
      );
    });

    test("name the step of parallel ones, and the whole step where one is tried again", async () => {
      const letters = new MemoryDeadLetters();
      const inner = Axon.start<number>("i").then(refuse);
      await run(
        Axon.start<number>("o")
          .parallel([refuse], "AllMustSucceed", () => 1)
          .withDlqSink(letters),
        1,
      );
      await run(
        Axon.start<number>("o")
          .thenWithRetry(inner.asTransition(), RetryPolicy.fixed(1, 0))
          .withDlqSink(letters),
        1,
      );

      assert.deepEqual(
        letters.list().map(({ node }) => node),
        ["o/parallel", "o/i"],
      );
    });
  });
}
