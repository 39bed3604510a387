import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { isFault } from "framework";

import { MergedTraces } from "#inspector/peers/merged-traces.js";
import { Peers } from "#inspector/peers/peers.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { TraceStore } from "#inspector/traces/trace-store.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { keptTrace, keptTraces } from "../../support/kept-traces.js";

const PROCESSES = 3;
const nodes = new DrawnNodes(() => []);

/** Processes that keep runs, and what the first of them shows. */
function processes() {
  const rooms = new MemoryRooms();
  return Array.from({ length: PROCESSES }, (_, pid) => {
    const store = new TraceStore({ nodes });
    const peers = new Peers({ bus: rooms.join(), expected: PROCESSES - 1, pid });
    return { store, peers, merged: new MergedTraces(store, peers) };
  });
}

describe("runs of several processes", () => {
  test("are on one page each, in the order asked for, whoever has them and whatever comes meanwhile", async () => {
    const query = fc.record({
      order: fc.constantFrom("newest" as const, "slowest" as const),
      limit: fc.integer({ min: 1, max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(keptTraces(30), fc.array(fc.nat(PROCESSES - 1)), query, async (runs, at, asked) => {
        const all = processes();
        const [{ merged }] = all as [(typeof all)[number]];
        for (const [i, run] of runs.entries()) all[at[i] ?? i % PROCESSES]?.store.add(run);
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const page = await merged.query({ ...asked, ...(cursor !== null && { cursor }) });
          assert.ok(!isFault(page));
          assert.equal(page.workers_silent, 0);
          seen.push(...page.traces.map(({ run_id }) => run_id));
          cursor = page.cursor;
          // Newer than all, and quicker than all: on the last page at most.
          const number = 1000 + seen.length;
          const startedAt = 1_800_000_000_000 + seen.length;
          if (asked.order === "newest")
            for (const { store } of all) store.add(keptTrace({ number, startedAt, durationUs: 0 }));
        } while (cursor !== null);
        const keyOf = (id: string): number => {
          const run = runs.find(({ runId }) => runId === id);
          assert.ok(run !== undefined, `${id} came meanwhile`);
          return asked.order === "slowest" ? run.durationUs : run.startedAt * 1000 + run.durationUs;
        };
        const keys = seen.map(keyOf);

        assert.deepEqual([...seen].sort(), runs.map(({ runId }) => runId).sort());
        assert.deepEqual(
          keys,
          [...keys].sort((a, b) => b - a),
        );
      }),
      { numRuns: 60 },
    );
  });

  test("say nothing by their hashes where two processes made them: their keys are not the same", async () => {
    const [first, second] = processes();
    const hashed = (number: number, runId: string, hash: string) =>
      keptTrace({
        number,
        runId,
        events: [
          { kind: "node_enter", at_us: 0, node: "a" },
          { kind: "node_exit", at_us: 1, node: "a", outcome: "next", duration_us: 1 },
        ] as never,
        values: [{ node: "a", side: "input", captured: { kind: "hash", hash } as never }],
      });
    first?.store.add(hashed(1, "aa-1", "one"));
    first?.store.add(hashed(2, "aa-2", "two"));
    second?.store.add(hashed(1, "bb-1", "two"));
    const parted = async (a: string, b: string) => {
      const diff = await first?.merged.diff(a, b);
      assert.ok(diff !== undefined && !isFault(diff));
      return diff.parted?.what;
    };

    assert.equal(await parted("aa-1", "aa-2"), "input");
    assert.equal(await parted("aa-1", "bb-1"), undefined);
  });
});
