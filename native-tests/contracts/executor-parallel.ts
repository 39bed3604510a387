// What every executor does with steps that run at once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { busKey } from "#core/bus/bus-key.js";
import { branch, fault, isFault, jump } from "#core/bus/outcome.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import { transition } from "#core/flow/transition.js";
import { Axon } from "#runtime/axon/axon.js";
import { Program } from "#runtime/compile/program.js";
import { after, codeOf, errorOf, runner, Total, turn } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

export function parallelContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: parallel`, () => {
    const add = (name: string, by: number, ms?: number) =>
      transition({ name, run: (n: number) => (ms === undefined ? n + by : after(ms, n + by)) as number });

    test("gives every answer to merge, in the order of the steps", async () => {
      const axon = Axon.start<number>("p").parallel(
        [add("slow", 1, 8), add("fast", 2, 1), add("now", 3)],
        "AllMustSucceed",
        (results, input) => [input, ...results],
      );
      const ran = await run(axon, 1);

      assert.deepEqual(ran.outcome, [1, 2, 3, 4]);
    });

    test("answers at once where all do", async () => {
      const axon = Axon.start<number>("p").parallel(
        [add("a", 1), add("b", 2)],
        "AllMustSucceed",
        ([a, b]) => a + b,
      );
      const ran = await run(axon, 1);

      assert.deepEqual([ran.outcome, ran.sync], [5, true]);
    });

    test("runs its steps at the same time", async () => {
      const order: string[] = [];
      const step = (name: string, ending: () => Promise<void>) =>
        transition({
          name,
          run: async (n: number) => {
            order.push(`${name} begins`);
            await ending();
            order.push(`${name} ends`);
            return n;
          },
        });
      const endOfB = async () => {
        for (let turns = 0; turns < 100 && !order.includes("b ends"); turns += 1) await turn();
      };
      const axon = Axon.start<number>("p").parallel(
        [step("a", endOfB), step("b", turn)],
        "AllMustSucceed",
        ([a]) => a,
      );
      await run(axon, 1);

      assert.deepEqual(order, ["a begins", "b begins", "b ends", "a ends"]);
    });

    test("shows each step the Bus as it was, and drops what they write", async () => {
      const seen: unknown[] = [];
      const write = (name: string, n: number) =>
        transition({
          name,
          mayRead: [Total],
          mayWrite: [Total],
          run: async (_: number, bus) => {
            seen.push(bus.find(Total));
            bus.set(Total, n);
            await turn();
            seen.push(bus.find(Total));
            return n;
          },
        });
      const axon = Axon.start<number>("p")
        .thenFn(
          "before",
          (n, bus) => {
            bus.set(Total, 7);
            return n;
          },
          { writes: [Total] },
        )
        .parallel([write("a", 1), write("b", 2)], "AllMustSucceed", (results) => results)
        .thenFn("after", (_, bus) => bus.get(Total), { reads: [Total] });

      assert.equal((await run(axon, 0)).outcome, 7);
      assert.deepEqual(seen, [7, 7, 1, 2]);
    });

    test("ends with the first fault, and aborts the rest", async () => {
      const aborted: unknown[] = [];
      const hang = transition({
        name: "hang",
        run: (_: number, bus) =>
          new Promise<number>(() =>
            bus.signal.addEventListener("abort", () => aborted.push(bus.signal.reason.message)),
          ),
      });
      const never = transition({
        name: "never",
        run: (n: number) => void aborted.push("ran") as unknown as number & typeof n,
      });
      const late = transition({ name: "late", run: () => after(1, fault("late")) });
      const now = transition({ name: "now", run: () => fault("now") });

      assert.equal(
        errorOf(
          await run(
            Axon.start<number>("p").parallel([hang, late], "AllMustSucceed", () => 0),
            1,
          ),
        ),
        "late",
      );
      assert.equal(
        errorOf(
          await run(
            Axon.start<number>("p").parallel([hang, now, never], "AllMustSucceed", () => 0),
            1,
          ),
        ),
        "now",
      );
      assert.deepEqual(aborted, ["A step beside it failed", "A step beside it failed"]);
    });

    test("gives faults to merge too where any may fail", async () => {
      const broken = transition({
        name: "broken",
        run: (): number => {
          throw new Error("boom");
        },
      });
      const refusing = transition({ name: "refusing", run: async () => fault("no" as const) });
      const axon = Axon.start<number>("p").parallel(
        [add("a", 1), broken, refusing],
        "AnyCanFail",
        (results) =>
          results.map((result) =>
            isFault(result) ? ((result.error as RuntimeFault).code ?? result.error) : result,
          ),
      );

      assert.deepEqual((await run(axon, 1)).outcome, [2, "TRANSITION_PANIC", "no"]);
    });

    test("names the step that threw, and itself where merge throws", async () => {
      const broken = transition({
        name: "broken",
        run: (): number => {
          throw new Error("boom");
        },
      });
      const throwing = (ms?: number) =>
        Axon.start<number>("p").parallel(
          [add("a", 1, ms)],
          "AllMustSucceed",
          (): number => {
            throw new Error("merge");
          },
          { name: "both" },
        );

      assert.equal(
        (
          errorOf(
            await run(
              Axon.start<number>("p").parallel([broken], "AllMustSucceed", ([a]) => a),
              1,
            ),
          ) as { step: string }
        ).step,
        "broken",
      );
      for (const ms of [undefined, 1])
        assert.equal((errorOf(await run(throwing(ms), 1)) as { step: string }).step, "both");
    });

    test("takes what merge answers as a step's answer", async () => {
      const merging = (merge: () => unknown) =>
        run(
          Axon.start<number>("p")
            .parallel([add("a", 1)], "AllMustSucceed", merge)
            .thenFn("x", (n) => n),
          1,
        );

      assert.equal((await merging(async () => 5)).outcome, 5);
      assert.equal(errorOf(await merging(() => fault("no"))), "no");
      assert.equal(codeOf(await merging(() => branch("x", 1))), "TRANSITION_UNDECLARED");
    });

    // F1: the run's abort is the fork's.
    test("ends with its run, and tells its steps", async () => {
      const controller = new AbortController();
      const told: string[] = [];
      const hang = (name: string) =>
        transition({
          name,
          run: (_: number, bus) =>
            new Promise<number>(() => bus.signal.addEventListener("abort", () => told.push(name))),
        });
      const ran = run(
        Axon.start<number>("p").parallel([hang("a"), hang("b")], "AnyCanFail", () => 0),
        1,
        controller.signal,
      );
      controller.abort();

      assert.equal(codeOf(await ran), "RUN_ABORTED");
      assert.deepEqual(told, ["a", "b"]);
    });

    // F3: made once for the run.
    test("makes a value once that is made at first read, null too", async () => {
      const None = busKey<null>()("None");
      let made = 0;
      const make = () => {
        made += 1;
        return null;
      };
      const read = (name: string) =>
        transition({ name, reads: [None], run: (_: number, bus) => turn().then(() => bus.get(None)) });
      const axon = Axon.start<number>("p").parallel(
        [read("a"), read("b"), read("c")],
        "AllMustSucceed",
        (all) => all.length,
      );
      const supply = { constants: new Map(), lazy: new Map([[None, make]]) };
      const program = new Program(axon.definition, { ...executor.options, supply });
      if (executor.level !== undefined) program.watch?.watch(executor.level);

      assert.equal(await program.run(1, program.acquire()), 3);
      assert.equal(made, 1);
    });

    test("runs Axons beside each other, their jumps and branches inside", async () => {
      const sum = Axon.start<number>("sum")
        .label("again")
        .thenFn("add", (n) => after(1, n + 1))
        .thenFn("check", (n) => (n < 4 ? jump("again", n) : n), { jumps: ["again"] });
      const axon = Axon.start<number>("p").parallel(
        [sum.asTransition(), add("b", 10)],
        "AllMustSucceed",
        ([a, b]) => a + b,
      );

      assert.equal((await run(axon, 1)).outcome, 15);
    });

    test("counts jumps for the whole run", async () => {
      const forever = Axon.start<number>("f")
        .label("a")
        .thenFn("j", (n) => jump("a", n), { jumps: ["a"] });
      const axon = Axon.start<number>("p").parallel(
        [forever.asTransition(), forever.asTransition()],
        "AnyCanFail",
        (results) => results.map((r) => isFault(r) && (r.error as RuntimeFault).code),
      );

      assert.deepEqual((await run(axon.withMaxJumps(5), 1)).outcome, ["JUMP_LIMIT", "JUMP_LIMIT"]);
    });
  });
}
