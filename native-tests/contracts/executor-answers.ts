// What every executor does with what steps answer: now or later, values and faults.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { branch, emit, fault, isFault, jump, next, pass } from "#core/bus/outcome.js";
import { Axon } from "#runtime/axon/axon.js";
import { after, codeOf, runner, Told } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

/** A thenable that is no promise, as a query builder is. */
const foreign = <T>(then: (resolve: (value: T) => void, reject: (error: unknown) => void) => void): any => ({
  then,
});

export function answersContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: answers`, () => {
    test("gives each step what the one before answered", async () => {
      const axon = Axon.start<number>("sums")
        .thenFn("add", (n) => n + 1)
        .thenFn("double", (n) => next(n * 2));

      assert.equal((await run(axon, 1)).outcome, 4);
    });

    test("answers an Axon without steps with its input", async () => {
      assert.equal((await run(Axon.start<string>("empty"), "as it is")).outcome, "as it is");
    });

    // L1: nothing is awaited that is there.
    test("answers at once when every step does", async () => {
      const axon = Axon.start<number>("sync")
        .thenFn("a", (n) => n)
        .thenFn("b", (n) => n);

      assert.ok((await run(axon, 1)).sync);
    });

    test("answers later when a step does, whichever it is", async () => {
      for (const slow of [0, 1, 2]) {
        let axon = Axon.start<number>("async");
        for (const at of [0, 1, 2]) {
          axon = axon.thenFn(`s${at}`, (n) =>
            at === slow ? (after(1, n + 1) as unknown as number) : n + 1,
          ) as typeof axon;
        }
        const ran = await run(axon, 0);

        assert.deepEqual([ran.outcome, ran.sync], [3, false]);
      }
    });

    test("passes values that are nothing, false or zero", async () => {
      for (const value of [undefined, null, false, 0, "", Number.NaN, 0n]) {
        assert.deepEqual(
          (
            await run(
              Axon.start("v")
                .thenFn("make", () => value)
                .thenFn("keep", (v) => v),
            )
          ).outcome,
          value,
        );
      }
    });

    // E1: one test, and all else leaves for the loop.
    test("takes data with a `then` that is no function as data", async () => {
      const data = { then: "later" };
      const axon = Axon.start("v")
        .thenFn("make", () => data)
        .thenFn("keep", (v) => v);
      const ran = await run(axon);

      assert.equal(ran.outcome, data);
      assert.ok(ran.sync);
    });

    test("waits for thenables that are no promises", async () => {
      const axon = Axon.start("v").thenFn("make", () => foreign<number>((resolve) => resolve(1)));

      assert.equal((await run(axon)).outcome, 1);
    });

    test("waits for functions that are thenables", async () => {
      const callable = Object.assign(() => 0, { then: (resolve: (n: number) => void) => resolve(2) });
      const axon = Axon.start("v").thenFn("make", () => callable as unknown as number);

      assert.equal((await run(axon)).outcome, 2);
    });

    test("hears a thenable once, whatever it does after", async () => {
      const seen: number[] = [];
      const twice = foreign<number>((resolve, reject) => {
        resolve(1);
        resolve(2);
        reject(new Error("too late"));
        throw new Error("too late as well");
      });
      const axon = Axon.start("v")
        .thenFn("make", () => twice as number)
        .thenFn("see", (n) => void seen.push(n));
      await run(axon);

      assert.deepEqual(seen, [1]);
    });

    test("ends with the first fault and runs nothing after it", async () => {
      const seen: string[] = [];
      const axon = Axon.start("f")
        .thenFn("refuse", () => fault({ kind: "no" }))
        .thenFn("never", () => void seen.push("never"));
      const { outcome } = await run(axon);

      assert.deepEqual(isFault(outcome) && outcome.error, { kind: "no" });
      assert.deepEqual(seen, []);
    });

    test("makes a fault of what a step throws, with the step's name", async () => {
      const boom = new Error("boom");
      const axon = Axon.start<number>("p")
        .thenFn("fine", (n) => n)
        .thenFn("broken", (): number => {
          throw boom;
        });
      const { outcome, sync } = await run(axon, 1);

      assert.ok(isFault(outcome) && sync);
      assert.deepEqual(
        { ...(outcome.error as object) },
        { code: "TRANSITION_PANIC", step: "broken", cause: boom },
      );
    });

    test("makes a fault of a rejection, and of a throw after waiting", async () => {
      const rejecting = Axon.start("r").thenFn("late", async () => Promise.reject(new Error("no")));
      const throwing = Axon.start("t")
        .thenFn("wait", () => after(1, 1))
        .thenFn("throw", () => {
          throw new Error("no");
        });

      assert.equal(codeOf(await run(rejecting)), "TRANSITION_PANIC");
      assert.equal(codeOf(await run(throwing)), "TRANSITION_PANIC");
    });

    test("makes a fault of whatever is thrown, an undefined too", async () => {
      const axon = Axon.start("t").thenFn("throw", () => {
        throw undefined;
      });

      assert.equal(codeOf(await run(axon)), "TRANSITION_PANIC");
    });

    // L3: reading `then` is part of the step.
    test("makes a fault of a getter `then` that throws", async () => {
      const trap = {
        get then(): never {
          throw new Error("trap");
        },
      };
      const axon = Axon.start("t").thenFn("trap", () => trap);

      assert.equal(codeOf(await run(axon)), "TRANSITION_PANIC");
    });

    test("reads `then` of a plain answer once, as part of its step, on into a subgraph", async () => {
      const reads: string[] = [];
      const answered = {
        get then() {
          reads.push("then");
          // Outside the step this would be a failure of the framework, and not of the step.
          if (reads.length > 1) throw new Error("read again");
          return undefined;
        },
      };
      const axon = Axon.start("t")
        .thenFn("answer", () => answered)
        .subgraph(Axon.start<unknown>("inner").thenFn("take", () => reads.length));

      assert.equal((await run(axon)).outcome, 1);
    });

    test("hands what a branch carries to the first step of a subgraph as it is", async () => {
      const payload = foreign((resolve) => resolve("read"));
      const inner = Axon.start<unknown>("inner").thenFn("look", (given) => given === payload);
      const axon = Axon.start("t")
        .then({ name: "decide", branches: ["way"], run: () => branch("way", payload) })
        .branch("way", Axon.start<unknown>("way").subgraph(inner));

      assert.equal((await run(axon)).outcome, true);
    });

    test("calls a class's method with the instance as `this`", async () => {
      class Adder {
        readonly name = "Adder";
        readonly #by: number;
        constructor(by: number) {
          this.#by = by;
        }
        run(n: number) {
          return n + this.#by;
        }
      }

      assert.equal((await run(Axon.start<number>("c").then(new Adder(3)), 1)).outcome, 4);
    });

    test("lets a guard's input pass unchanged", async () => {
      const input = { a: 1 };
      const axon = Axon.start<{ a: number }>("g")
        .thenFn("guard", (i) => pass(i))
        .thenFn("see", (i) => i);

      assert.equal((await run(axon, input)).outcome, input);
    });

    test("refuses a jump, a branch or an event that the step does not declare", async () => {
      const answers = [() => jump("again", 1), () => branch("vip", 1), () => emit(Told, 1, 1)];
      for (const answer of answers) {
        const untyped = { name: "u", run: answer } as never;

        assert.equal(
          codeOf(await run(Axon.start("x").label("again").then(untyped))),
          "TRANSITION_UNDECLARED",
        );
      }
    });
  });
}
