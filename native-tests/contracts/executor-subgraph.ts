// What every executor does with an Axon in the place of a step.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { branch, emit, fault, jump } from "#core/bus/outcome.js";
import { transition } from "#core/flow/transition.js";
import { Axon } from "#runtime/axon/axon.js";
import { codeOf, errorOf, runner, Told, Total } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

export function subgraphContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: subgraph`, () => {
    const write = transition({
      name: "write",
      writes: [Total],
      run: (n: number, bus) => {
        bus.set(Total, n);
        return n + 1;
      },
    });
    const inner = Axon.start<number>("inner")
      .then(write)
      .thenFn("twice", (n) => n * 2);

    test("runs in the place of a step, on the same Bus", async () => {
      const axon = Axon.start<number>("outer")
        .thenFn("a", (n) => n + 1)
        .subgraph(inner)
        .thenFn("read", (n, bus) => n + bus.get(Total), { reads: [Total] });
      const ran = await run(axon, 1);

      assert.equal(ran.outcome, 8);
      assert.ok(ran.sync);
      assert.equal(ran.bus["Total"], 2);
    });

    test("keeps its labels and branches to itself", async () => {
      const looping = Axon.start<number>("looping")
        .label("again")
        .thenFn("add", (n) => n + 1)
        .thenFn("check", (n) => (n < 5 ? jump("again", n) : n > 8 ? branch("high", n) : n), {
          jumps: ["again"],
          branches: ["high"],
        })
        .branch(
          "high",
          Axon.start<number>("high").thenFn("cap", () => 8),
        )
        .label("end");
      const axon = Axon.start<number>("outer")
        .label("again")
        .thenFn("first", (n) => n)
        .subgraph(looping)
        .thenFn("last", (n) => n * 10);

      assert.equal((await run(axon, 0)).outcome, 50);
      assert.equal((await run(axon, 20)).outcome, 80);
    });

    test("may be empty, the last, the first, twice, and nested", async () => {
      const empty = Axon.start<number>("empty");
      const nested = Axon.start<number>("nested").subgraph(empty).subgraph(inner);

      assert.equal((await run(Axon.start<number>("o").subgraph(empty), 3)).outcome, 3);
      assert.equal((await run(Axon.start<number>("o").subgraph(inner).subgraph(inner), 1)).outcome, 10);
      assert.equal(
        (
          await run(
            Axon.start<number>("o")
              .subgraph(nested)
              .thenFn("x", (n) => n),
            1,
          )
        ).outcome,
        4,
      );
    });

    test("can be jumped over and jumped to", async () => {
      const axon = Axon.start<number>("o")
        .thenFn("skip", (n) => (n === 0 ? jump("after", n) : n), { jumps: ["after"] })
        .label("sub")
        .subgraph(inner)
        .label("after")
        .thenFn("again", (n) => (n > 0 && n < 10 ? jump("sub", n) : n), { jumps: ["sub"] });

      assert.equal((await run(axon, 0)).outcome, 0);
      assert.equal((await run(axon, 1)).outcome, 10);
    });

    test("ends the run with its fault, checks its schemas, and sends its events outwards", async () => {
      const { Type } = await import("@sinclair/typebox");
      const events: unknown[] = [];
      const telling = Axon.start("telling", Type.Number({ minimum: 0 })).thenFn(
        "tell",
        (n) => (n === 0 ? fault("zero") : emit(Told, n, n)),
        { emits: [Told] },
      );
      const axon = Axon.start<number>("o")
        .subgraph(telling)
        .withEventSink({ send: (e) => events.push(e.payload) });

      assert.equal(errorOf(await run(axon, 0)), "zero");
      assert.equal(codeOf(await run(axon, -1)), "INPUT_INVALID");
      assert.equal((await run(axon, 2)).outcome, 2);
      assert.deepEqual(events, [2]);
    });

    test("is the same where it stands in several Axons", async () => {
      const one = Axon.start<number>("one").subgraph(inner);
      const two = Axon.start<number>("two")
        .thenFn("b", (n) => branch("i", n), { branches: ["i"] })
        .branch("i", inner);

      assert.equal((await run(one, 1)).outcome, 4);
      assert.equal((await run(two, 1)).outcome, 4);
      assert.equal((await run(inner, 1)).outcome, 4);
    });
  });
}
