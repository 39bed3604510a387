// What every executor does with a step that jumps.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { branch, jump } from "#core/bus/outcome.js";
import { Axon } from "#runtime/axon/axon.js";
import { after, codeOf, runner } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

export function jumpContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: jump`, () => {
    const until = (limit: number) =>
      Axon.start<number>("loop")
        .label("again")
        .thenFn("add", (n) => n + 1)
        .thenFn("check", (n) => (n < limit ? jump("again", n) : n), { jumps: ["again"] })
        .thenFn("end", (n) => n * 10);

    test("goes on at an earlier step", async () => {
      assert.equal((await run(until(5), 0)).outcome, 50);
    });

    test("goes on at a later step, and past the last", async () => {
      const skipping = Axon.start<number>("skip")
        .thenFn("check", (n) => (n > 0 ? jump("on", n) : n), { jumps: ["on"] })
        .thenFn("lose", () => -1)
        .label("on")
        .thenFn("end", (n) => n);
      const leaving = Axon.start<number>("leave")
        .thenFn("check", (n) => (n > 0 ? jump("end", n) : n), { jumps: ["end"] })
        .thenFn("lose", () => -1)
        .label("end");

      assert.equal((await run(skipping, 7)).outcome, 7);
      assert.equal((await run(leaving, 7)).outcome, 7);
    });

    test("may be taken 1000 times in a run, and no more", async () => {
      assert.equal((await run(until(1001), 0)).outcome, 10_010);
      assert.equal(codeOf(await run(until(1002), 0)), "JUMP_LIMIT");
    });

    test("has the limit that the Axon sets", async () => {
      assert.equal((await run(until(3).withMaxJumps(2), 0)).outcome, 30);
      assert.equal(codeOf(await run(until(4).withMaxJumps(2), 0)), "JUMP_LIMIT");
    });

    test("stays inside the branch it is taken in", async () => {
      const axon = Axon.start<number>("outer")
        .label("again")
        .thenFn("b", (n) => branch("loop", n), { branches: ["loop"] })
        .branch("loop", until(3))
        .thenFn("end", (n) => n + 1);

      assert.equal((await run(axon, 0)).outcome, 31);
    });

    test("works after waiting", async () => {
      const axon = Axon.start<number>("loop")
        .label("again")
        .thenFn("add", (n) => after(1, n + 1))
        .thenFn("check", (n) => (n < 3 ? jump("again", n) : n), { jumps: ["again"] });

      assert.equal((await run(axon, 0)).outcome, 3);
    });
  });
}
