// What every executor does with a step that takes a branch.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { branch, fault, isFault } from "#core/bus/outcome.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { after, codeOf, runner } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

export function branchContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: branch`, () => {
    const vip = Axon.start<number>("vip")
      .thenFn("discount", (n) => n - 10)
      .thenFn("thank", (n) => n);
    const priced = (load: (n: number) => number | Promise<number>) =>
      Axon.start<number>("price")
        .thenFn("load", load)
        .thenFn("rate", (n) => (n > 100 ? branch("vip", n) : n), { branches: ["vip"] })
        .branch("vip", vip)
        .thenFn("tax", (n) => n * 2);

    test("goes through the branch and rejoins at the next step", async () => {
      assert.equal(
        (
          await run(
            priced((n) => n),
            200,
          )
        ).outcome,
        380,
      );
      assert.equal(
        (
          await run(
            priced((n) => n),
            50,
          )
        ).outcome,
        100,
      );
    });

    test("does so after waiting too, and stays synchronous where all is", async () => {
      assert.equal(
        (
          await run(
            priced((n) => after(1, n)),
            200,
          )
        ).outcome,
        380,
      );
      assert.ok(
        (
          await run(
            priced((n) => n),
            200,
          )
        ).sync,
      );
    });

    test("rejoins at the end where the branching step is the last", async () => {
      const axon = Axon.start<number>("last")
        .thenFn("rate", (n) => branch("vip", n), { branches: ["vip"] })
        .branch("vip", vip);

      assert.equal((await run(axon, 30)).outcome, 20);
    });

    test("takes an empty branch as the payload itself", async () => {
      const axon = Axon.start<number>("skip")
        .thenFn("rate", (n) => branch("as-is", n + 1), { branches: ["as-is"] })
        .branch("as-is", Axon.start<number>("nothing"))
        .thenFn("tax", (n) => n * 2);

      assert.equal((await run(axon, 1)).outcome, 4);
    });

    test("nests", async () => {
      const inner = Axon.start<number>("inner")
        .thenFn("i", (n) => branch("deep", n), { branches: ["deep"] })
        .branch("deep", vip);
      const axon = Axon.start<number>("outer")
        .thenFn("o", (n) => branch("inner", n), { branches: ["inner"] })
        .branch("inner", inner)
        .thenFn("end", (n) => n + 1);

      assert.equal((await run(axon, 30)).outcome, 21);
    });

    test("ends the run with the fault of a step inside it", async () => {
      const strict = Axon.start<number>("strict").thenFn("refuse", () => fault("no"));
      const axon = Axon.start<number>("b")
        .thenFn("b", (n) => branch("s", n), { branches: ["s"] })
        .branch("s", strict);
      const { outcome } = await run(axon, 1);

      assert.equal(isFault(outcome) && outcome.error, "no");
    });

    test("is a BRANCH_UNKNOWN fault where nothing is attached under the id", async () => {
      const untyped = { name: "b", branches: ["vip"], run: () => branch("vipp", 1) };
      const axon = (Axon.start("x") as never as AnyAxon).then(untyped as never).branch("vip", vip as never);

      assert.equal(codeOf(await run(axon)), "BRANCH_UNKNOWN");
    });

    test("checks the schemas of the attached Axon on the way in and out", async () => {
      const { Type } = await import("@sinclair/typebox");
      const positive = Axon.start("positive", Type.Number({ minimum: 0 })).withOutputSchema(Type.Number(), {
        check: "validate",
      });
      const axon = Axon.start<number>("b")
        .thenFn("b", (n) => branch("p", n), { branches: ["p"] })
        .branch("p", positive);

      assert.equal((await run(axon, 1)).outcome, 1);
      assert.equal(codeOf(await run(axon, -1)), "INPUT_INVALID");
    });
  });
}
