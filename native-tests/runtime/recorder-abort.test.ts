import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, MemoryDeadLetters, type Recorder, type TracedRun } from "framework";
import { RetryPolicy } from "framework/runtime";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { Program } from "#runtime/compile/program.js";
import { codeOf, errorOf, turn } from "../support/outcome-code.js";

/** An Axon whose runs are all traced, and wait before one node until they are aborted. */
function held(axon: AnyAxon, at: string) {
  const waiting: TracedRun[] = [];
  const ended: unknown[] = [];
  const recorder: Recorder = {
    mounted: (circuit) => circuit.watch({ kind: "all" }),
    beforeNode: (run, node, input) => {
      if (node !== at) return input;
      waiting.push(run);
      return new Promise(() => {});
    },
    ended: (_, outcome) => ended.push(outcome),
  };
  const program = new Program(axon.definition, { recorder });
  const run = (input?: unknown) => program.run(input, program.acquire());
  return { run, waiting, ended };
}

describe("a recorder that aborts a run", () => {
  test("ends it at once where it waits, and nothing behind that runs", async () => {
    const ran: string[] = [];
    const axon = Axon.start("a")
      .thenFn("one", () => ran.push("one"))
      .thenFn("two", () => ran.push("two"));
    const { run, waiting, ended } = held(axon, "a/two");
    const running = run() as Promise<unknown>;

    waiting[0]?.abort(new Error("enough"));
    const outcome = await running;

    assert.equal(codeOf(outcome), "RUN_ABORTED");
    assert.match(String((errorOf(outcome) as { reason: unknown }).reason), /enough/);
    assert.deepEqual(ran, ["one"]);
    assert.deepEqual(ended, [outcome]);
  });

  test("ends it before its next step where it does not wait", () => {
    const ran: string[] = [];
    const axon = Axon.start("a")
      .thenFn("one", () => ran.push("one"))
      .thenFn("two", () => ran.push("two"));
    const recorder: Recorder = {
      mounted: (circuit) => circuit.watch({ kind: "all" }),
      afterNode: (run) => run.abort(undefined),
    };
    const program = new Program(axon.definition, { recorder });

    assert.equal(codeOf(program.run(undefined, program.acquire())), "RUN_ABORTED");
    assert.deepEqual(ran, ["one"]);
  });

  test("ends all of it, from wherever inside: it is neither retried nor a dead letter, and is undone", async () => {
    const undone: unknown[] = [];
    const letters = new MemoryDeadLetters();
    let entered = 0;
    const inner = Axon.start<number>("inner")
      .thenFn("count", () => {
        entered += 1;
        return entered;
      })
      .thenFn("wait", (n) => n);
    const side = Axon.start<number>("side").thenFn("other", (n) => n);
    const axon = Axon.start<number>("a")
      .thenCompensated({ name: "pay", run: (n: number) => n }, ({ input }) => undone.push(input))
      .thenWithRetry(inner.asTransition(), RetryPolicy.fixed(3, 0))
      .parallel([side.asTransition(), inner.asTransition()], "AllMustSucceed", ([n]) => n)
      .withDlqSink(letters);
    for (const node of ["a/inner/wait", "a/parallel/inner/wait"]) {
      entered = 0;
      const { run, waiting } = held(axon, node);
      const running = run(7) as Promise<unknown>;
      await turn();

      waiting[0]?.abort(undefined);

      assert.equal(codeOf(await running), "RUN_ABORTED", node);
      assert.deepEqual(undone.splice(0), [7], node);
      assert.ok(entered <= 2, node);
    }
    assert.deepEqual(letters.list(), []);
  });

  test("changes nothing once it is over, and nothing of the run that comes next", () => {
    const runs: TracedRun[] = [];
    const recorder: Recorder = {
      mounted: (circuit) => circuit.watch({ kind: "all" }),
      ended: (run) => runs.push(run),
    };
    const program = new Program(Axon.start<number>("a").thenFn("one", (n) => n).definition, {
      recorder: { ...recorder, event: () => runs[0]?.abort(undefined) },
    });
    const run = (n: number) => program.run(n, program.acquire());

    assert.equal(run(1), 1);
    runs[0]?.abort(undefined);
    assert.equal(run(2), 2);
    assert.equal(runs.length, 2);
  });
});
