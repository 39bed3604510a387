import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, fault, MemoryDeadLetters } from "framework";
import { ManualClock } from "framework/runtime";

import { LetterCounts, type LetterCountsOptions } from "#inspector/alerts/letter-counts.js";
import { Program } from "#runtime/compile/program.js";

function counting(options: LetterCountsOptions = {}) {
  const clock = new ManualClock();
  const letters = new LetterCounts({ wallClock: clock.now, ...options });
  const axon = Axon.start("orders")
    .thenFn("charge", () => fault("declined"))
    .withDlqSink(new MemoryDeadLetters());
  const recorder = { mounted: (circuit: any) => circuit.watch({ kind: "all" }), event: letters.event };
  const program = new Program(axon.definition, { clock, recorder });
  const fail = () => program.run(undefined, program.acquire());
  return { clock, letters, fail };
}

describe("the counts of dead letters", () => {
  test("are of a node, with its newest runs, and begin anew after ten minutes without one", async () => {
    const { clock, letters, fail } = counting();
    for (let n = 0; n < 7; n += 1) await fail();
    const [{ run_ids, ...counted } = assert.fail()] = letters.list();
    assert.deepEqual(counted, {
      circuit: "orders",
      node: "orders/charge",
      label: "charge",
      count: 7,
      last_at: 0,
    });
    assert.equal(new Set(run_ids).size, 5);

    await clock.advance(599_999);
    await fail();
    assert.equal(letters.list()[0]?.count, 8);
    await clock.advance(600_000);
    assert.deepEqual(letters.list(), []);
    await fail();
    assert.equal(letters.list()[0]?.count, 1);
  });

  test("leave out a letter whose re-drive fails again", async () => {
    const { letters, fail } = counting({ isLetterAgain: (_, node) => node === "orders/charge" });
    await fail();

    assert.deepEqual(letters.list(), []);
  });
});
