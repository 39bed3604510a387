// What every executor does with the Bus of its runs.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { busKey } from "#core/bus/bus-key.js";
import { Fault, isFault } from "#core/bus/outcome.js";
import { transition } from "#core/flow/transition.js";
import { Axon } from "#runtime/axon/axon.js";
import { runner, Total } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

export function busContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: Bus`, () => {
    test("carries what one step writes to those that read it", async () => {
      const axon = Axon.start<number>("b")
        .thenFn(
          "write",
          (n, bus) => {
            bus.set(Total, n * 2);
            return n;
          },
          { writes: [Total] },
        )
        .thenFn("read", (n, bus) => bus.get(Total) + n, { reads: [Total] });
      const ran = await run(axon, 2);

      assert.equal(ran.outcome, 6);
      assert.deepEqual(ran.bus, { Total: 4 });
    });

    // E3: the state goes back cleared.
    test("is empty for the next run", async () => {
      const seen: unknown[] = [];
      const peek = transition({
        name: "peek",
        mayRead: [Total],
        mayWrite: [Total],
        run: (n: number, bus) => {
          seen.push(bus.find(Total));
          bus.set(Total, n);
          return n;
        },
      });
      const axon = Axon.start<number>("b").then(peek);
      const { Program } = await import("#runtime/compile/program.js");
      const program = new Program(axon.definition, executor.options);
      program.run(1, program.acquire());
      program.run(2, program.acquire());

      assert.deepEqual(seen, [undefined, undefined]);
    });

    // B2: what lives as long as the server is not cleared.
    test("keeps for the next run what all runs share", async () => {
      const Region = busKey<string>()("Region");
      const where = transition({ name: "where", reads: [Region], run: (_: number, bus) => bus.get(Region) });
      const { Program } = await import("#runtime/compile/program.js");
      const supply = { constants: new Map([[Region, "eu"]]), lazy: new Map() };
      const { definition } = Axon.start<number>("b").then(where);
      const program = new Program(definition, { ...executor.options, supply });

      assert.equal(program.run(1, program.acquire()), "eu");
      assert.equal(program.run(2, program.acquire()), "eu");
    });

    test("gives BUS_VALUE_MISSING, naming key and step, for what was never written", async () => {
      const axon = Axon.start<number>("b")
        .thenFn("maybe", (n) => n, { mayWrite: [Total] })
        .thenFn("read", (n, bus) => (bus as never as { get(key: unknown): number }).get(Total) + n, {
          mayRead: [Total],
        });
      const { outcome } = await run(axon, 1);

      assert.ok(isFault(outcome) && outcome instanceof Fault);
      const { cause } = outcome.error as { cause: Error };
      if (executor.options.production === true) {
        assert.match(cause.message, /'read' read 'Total'/);
      } else {
        assert.match(cause.message, /'read' called get\('Total'\)/);
      }
    });
  });
}
