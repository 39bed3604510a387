// What every executor undoes before a run answers.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";

import { branch, emit, fault } from "#core/bus/outcome.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import { transition } from "#core/flow/transition.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { DlqPolicy } from "#runtime/definition/dlq-policy.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import { SagaPolicy } from "#runtime/definition/saga-policy.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { errorOf, refuse, runner, Told, Total, turn } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

/** Steps that add to a ledger, and take it back when they are undone. */
const ledger = () => {
  const lines: string[] = [];
  const book = (name: string, answer: (n: number) => unknown = (n) => n + 1) =>
    transition({
      name,
      run: (n: number) => {
        lines.push(`+${name}`);
        return answer(n) as number;
      },
    });
  const undo =
    (name: string, answer: () => unknown = () => undefined) =>
    ({ input, output }: { input: unknown; output: unknown }) => {
      lines.push(`-${name} ${input} ${output}`);
      return answer();
    };
  return { lines, book, undo };
};

export function sagaContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: saga`, () => {
    test("undoes what was completed when a later step faults, the last first, and not the failed one", async () => {
      const { lines, book, undo } = ledger();
      const axon = Axon.start<number>("s")
        .thenCompensated(book("a"), undo("a"))
        .thenCompensated(
          book("b", async (n) => n + 10),
          undo("b", turn),
        )
        .then(book("plain"))
        .thenCompensated(
          book("c", () => fault("no")),
          undo("c"),
        );
      const ran = await run(axon, 1);

      assert.equal(errorOf(ran), "no");
      assert.deepEqual(lines, ["+a", "+b", "+plain", "+c", "-b 2 12", "-a 1 2"]);
    });

    test("undoes at once where all is synchronous", async () => {
      const { lines, book, undo } = ledger();
      const ran = await run(Axon.start<number>("s").thenCompensated(book("a"), undo("a")).then(refuse), 1);

      assert.equal(ran.sync, true);
      assert.deepEqual(lines, ["+a", "-a 1 2"]);
    });

    test("undoes nothing when the run succeeds, and starts afresh in the next", async () => {
      const { lines, book, undo } = ledger();
      const axon = Axon.start<number>("s")
        .thenCompensated(book("a"), undo("a"))
        .thenFn("x", (n) => (n > 5 ? fault("no") : n));
      const { Program } = await import("#runtime/compile/program.js");
      const program = new Program(axon.definition, executor.options);
      if (executor.level !== undefined) program.watch?.watch(executor.level);
      for (const input of [1, 9, 2, 8]) await program.run(input, program.acquire());

      assert.deepEqual(lines, ["+a", "+a", "-a 9 10", "+a", "+a", "-a 8 9"]);
    });

    test("undoes after exceptions, jump limits and unknown branches too", async () => {
      const { lines, book, undo } = ledger();
      const begin = Axon.start<number>("s").thenCompensated(book("a"), undo("a"));
      const throwing = begin.thenFn("x", (): number => {
        throw new Error("boom");
      });
      const untyped = { name: "u", branches: ["b"], run: () => branch("c", 1) } as never;
      const lost = (begin as unknown as AnyAxon).then(untyped).branch("b" as never, Axon.start("b") as never);

      await run(throwing, 1);
      await run(lost, 1);
      assert.deepEqual(lines, ["+a", "-a 1 2", "+a", "-a 1 2"]);
    });

    test("takes what a step emits, branches or waits for as what it answered", async () => {
      const { lines, book, undo } = ledger();
      const axon = Axon.start<number>("s")
        .thenCompensated(
          { ...book("e", (n) => emit(Told, n, Promise.resolve(n + 1))), emits: [Told] } as never,
          undo("e"),
        )
        .thenCompensated(
          { ...book("b", (n) => branch("side", n * 2)), branches: ["side"] } as never,
          undo("b"),
        )
        .branch("side" as never, Axon.start<number>("side").thenCompensated(book("in"), undo("in")) as never)
        .then(refuse as never);
      await run(axon as unknown as AnyAxon, 1);

      assert.deepEqual(lines, ["+e", "+b", "+in", "-in 4 5", "-b 2 4", "-e 1 2"]);
    });

    test("shows the compensation the Bus of the run", async () => {
      const seen: unknown[] = [];
      const axon = Axon.start<number>("s")
        .thenFn(
          "write",
          (n, bus) => {
            bus.set(Total, n * 7);
            return n;
          },
          { writes: [Total] },
        )
        .thenCompensated(
          transition({ name: "a", run: (n: number) => n }),
          transition({
            name: "undo a",
            reads: [Total],
            run: (_: { input: number; output: number }, bus) => void seen.push(bus.get(Total)),
          }),
        )
        .then(refuse);
      await run(axon, 2);

      assert.deepEqual(seen, [14]);
    });

    test("tries a compensation again, as it or the policy says", async () => {
      const { lines, book, undo } = ledger();
      let failures = 2;
      const shaky = () => {
        failures -= 1;
        return failures >= 0 ? fault("not now") : undefined;
      };
      const own = Axon.start<number>("s")
        .thenCompensated(book("a"), undo("a", shaky), { retry: RetryPolicy.fixed(2, 0) })
        .then(refuse);
      await run(own, 1);
      failures = 2;
      await run(
        Axon.start<number>("s")
          .thenFn("x", (n) => n)
          .then(book("a"))
          .compensateWith(undo("a", shaky))
          .then(refuse)
          .withSagaPolicy(SagaPolicy.enabled({ retry: RetryPolicy.fixed(2, 0) })),
        1,
      );

      assert.deepEqual(lines, ["+a", "-a 1 2", "-a 1 2", "-a 1 2", "+a", "-a 1 2", "-a 1 2", "-a 1 2"]);
    });

    test("tries a compensated step again, each try in its time, and undoes it once", async () => {
      const { lines, undo } = ledger();
      const clock = new ManualClock();
      let tries = 0;
      const step = {
        name: "slow",
        run: (n: number) => {
          tries += 1;
          return tries < 3 ? new Promise<number>(() => {}) : n + 1;
        },
      };
      const ran = runner({ ...executor, options: { ...executor.options, clock } })(
        Axon.start<number>("s")
          .thenCompensated(step, undo("slow", turn), {
            step: { retry: RetryPolicy.fixed(2, 5), timeoutMs: 10 },
          })
          .then(refuse),
        1,
      );
      for (const ms of [9, 1, 4, 1, 10, 5]) await clock.advance(ms);

      assert.equal(errorOf(await ran), "refused");
      assert.deepEqual([tries, lines], [3, ["-slow 1 2"]]);
      assert.throws(
        () => Axon.start<number>("s").thenCompensated(step, undo("slow"), { step: { timeoutMs: 0 } }),
        { code: "CONFIG_INVALID" },
      );
    });

    test("reports a compensation that fails, keeps its letter, and undoes the rest", async () => {
      for (const failing of [
        () => fault("stuck"),
        () => Promise.reject("stuck"),
        () => {
          throw "stuck";
        },
        async () => fault("stuck"),
      ]) {
        const { lines, book, undo } = ledger();
        const letters = new MemoryDeadLetters();
        const reports: string[] = [];
        const axon = Axon.start<number>("s")
          .thenCompensated(book("a"), undo("a"))
          .thenCompensated(book("b"), undo("b", failing))
          .then(refuse)
          .withDlqSink(letters);
        const ran = await run(axon, 1, undefined, {
          reporter: ({ code }: { code: string }) => reports.push(code),
        });

        assert.equal(errorOf(ran), "refused");
        assert.deepEqual(lines, ["+a", "+b", "-b 2 3", "-a 1 2"]);
        assert.deepEqual(reports, ["COMPENSATION_FAILED"]);
        assert.deepEqual(
          letters.list().map(({ kind, node, input }) => [kind, node, input]),
          [
            ["compensation", "s/b", { input: 2, output: 3 }],
            ["step", "s/refuse", 3],
          ],
        );
      }
    });

    test("can be switched off", async () => {
      const { lines, book, undo } = ledger();
      await run(
        Axon.start<number>("s")
          .thenCompensated(book("a"), undo("a"))
          .then(refuse)
          .withSagaPolicy(SagaPolicy.disabled()),
        1,
      );

      assert.deepEqual(lines, ["+a"]);
    });

    test("undoes what an aborted run had completed, and lets compensations end", async () => {
      const { lines, book, undo } = ledger();
      const controller = new AbortController();
      const aborting = () => {
        controller.abort();
        return turn();
      };
      const axon = Axon.start<number>("s")
        .thenCompensated(book("a"), undo("a"))
        .thenCompensated(book("b"), undo("b", aborting))
        .thenCompensated(
          book("late", async (n) => {
            await turn();
            await turn();
            return n;
          }),
          undo("late"),
        )
        .thenFn("hang", () => new Promise<number>(() => {}));
      const running = run(axon, 1, controller.signal);
      setImmediate(() => controller.abort("enough"));
      const ran = await running;
      for (let i = 0; i < 5; i += 1) await turn();

      assert.equal((errorOf(ran) as RuntimeFault).code, "RUN_ABORTED");
      // What completed after the end is undone when it does.
      assert.deepEqual([...lines].sort(), ["+a", "+b", "+late", "-a 1 2", "-b 2 3", "-late 3 3"]);
    });

    test("undoes what completes after its time was up", async () => {
      const { lines, book, undo } = ledger();
      const clock = new ManualClock();
      const late = book("late", (n) => new Promise((resolve) => clock.after(20, () => resolve(n))));
      const inner = Axon.start<number>("i").thenCompensated(late, undo("late"));
      const axon = Axon.start<number>("s")
        .thenCompensated(book("a"), undo("a"))
        .thenWithTimeout(inner.asTransition(), 10);
      const running = run(axon, 1, undefined, { clock });
      await clock.advance(30);
      await running;

      assert.deepEqual(lines, ["+a", "+late", "-a 1 2", "-late 2 2"]);
    });

    test("undoes a try that failed before it is tried again", async () => {
      const { lines, book, undo } = ledger();
      let tries = 0;
      const inner = Axon.start<number>("i")
        .thenCompensated(book("a"), undo("a"))
        .thenFn("x", (n) => {
          tries += 1;
          return tries < 2 ? fault("again") : n;
        });
      const axon = Axon.start<number>("s").thenWithRetry(inner.asTransition(), RetryPolicy.fixed(1, 0));

      assert.equal((await run(axon, 1)).outcome, 2);
      assert.deepEqual(lines, ["+a", "-a 1 2", "+a"]);
      await run(axon.then(refuse), 1);
      assert.deepEqual(lines.slice(3), ["+a", "-a 1 2"]);
    });

    test("undoes steps beside each other: those of a failed one, and all where it ends the run", async () => {
      const { lines, book, undo } = ledger();
      const good = Axon.start<number>("good").thenCompensated(book("g"), undo("g"));
      const bad = Axon.start<number>("bad").thenCompensated(book("h"), undo("h")).then(refuse);
      const parts = [good.asTransition(), bad.asTransition()] as const;

      assert.equal(
        (
          await run(
            Axon.start<number>("s").parallel(parts, "AnyCanFail", () => 5),
            1,
          )
        ).outcome,
        5,
      );
      assert.deepEqual(lines, ["+g", "+h", "-h 1 2"]);
      lines.length = 0;
      assert.equal(
        errorOf(
          await run(
            Axon.start<number>("s").parallel(parts, "AllMustSucceed", () => 5),
            1,
          ),
        ),
        "refused",
      );
      assert.deepEqual(lines, ["+g", "+h", "-h 1 2", "-g 1 2"]);
    });

    test("undoes what steps beside each other completed where merging fails, before it is tried again", async () => {
      for (const failing of [
        () => fault("no"),
        () => Promise.reject(new Error("no")),
        async () => fault("no"),
      ]) {
        const { lines, book, undo } = ledger();
        let merges = 0;
        const good = Axon.start<number>("good").thenCompensated(book("g"), undo("g"));
        const axon = Axon.start<number>("s")
          .parallel([good.asTransition()], "AllMustSucceed", () => {
            merges += 1;
            return merges === 1 ? failing() : 5;
          })
          .withDlqSink(new MemoryDeadLetters())
          .withDlqPolicy(DlqPolicy.retryThenSend(RetryPolicy.fixed(1, 0)));

        assert.equal((await run(axon as unknown as AnyAxon, 1)).outcome, 5);
        assert.deepEqual(lines, ["+g", "-g 1 2", "+g"]);
      }
    });

    test("gives a compensation that never answers up, and tells", async () => {
      const { book } = ledger();
      const clock = new ManualClock();
      const reports: string[] = [];
      const letters = new MemoryDeadLetters();
      const axon = Axon.start<number>("s")
        .thenCompensated(book("a"), () => new Promise(() => {}))
        .then(refuse)
        .withDlqSink(letters);
      const running = run(axon, 1, undefined, {
        clock,
        reporter: ({ code }: { code: string }) => reports.push(code),
      });
      await clock.advance(29_999);
      assert.deepEqual(reports, []);
      await clock.advance(1);

      assert.equal(errorOf(await running), "refused");
      assert.deepEqual(reports, ["COMPENSATION_FAILED"]);
      assert.deepEqual(
        letters.list().map(({ error }) => (error as RuntimeFault).code),
        ["STEP_TIMEOUT", undefined],
      );
      const quick = run(axon.withSagaPolicy(SagaPolicy.enabled({ timeoutMs: 5 })), 1, undefined, {
        clock,
        reporter: () => {},
      });
      await clock.advance(5);
      await quick;
      assert.throws(() => SagaPolicy.enabled({ timeoutMs: 0 }), { code: "CONFIG_INVALID" });
    });

    test("lets go of the caller's signal when a fault took time to undo", async () => {
      const { book, undo } = ledger();
      const controller = new AbortController();
      const axon = Axon.start<number>("s").thenCompensated(book("a"), undo("a", turn)).then(refuse);
      for (let n = 0; n < 3; n += 1) await axon.execute(1, undefined, controller.signal);
      await run(axon, 1, controller.signal);

      assert.equal(getEventListeners(controller.signal, "abort").length, 0);
    });
  });
}
