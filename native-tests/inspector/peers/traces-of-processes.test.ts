import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import type { Data } from "#inspector/api/shapes.js";
import type { TraceDiff, Traces } from "#inspector/api/traces.js";
import { Peers } from "#inspector/peers/peers.js";
import type { InspectorParts } from "#inspector/server/parts.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { TraceStore } from "#inspector/traces/trace-store.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { answering } from "../../support/inspected.js";
import { keptTrace, keptTraces } from "../../support/kept-traces.js";

const PROCESSES = 3;
const nodes = new DrawnNodes(() => []);

/** Processes that keep runs, and what the first of them shows. */
function processes() {
  const rooms = new MemoryRooms();
  return Array.from({ length: PROCESSES }, (_, pid) => {
    const process = { store: new TraceStore({ nodes }) };
    const peers = new Peers({ bus: rooms.join(), expected: PROCESSES - 1, pid });
    const traces: InspectorParts["traces"] = {
      get: (id) => process.store.get(id),
      query: (query) => process.store.query(query),
      refused: (since) => process.store.refused(since),
    };
    return Object.assign(process, {
      page: answering<Data<typeof Traces>>("/api/v1/traces", { traces, peers }),
      diff: answering<Data<typeof TraceDiff>>("/api/v1/traces/diff", { traces, peers }),
    });
  });
}

describe("runs of several processes", () => {
  test("are on one page each, in the order asked for, whoever has them and whatever comes meanwhile", async () => {
    const all = processes();
    const query = fc.record({
      order: fc.constantFrom("newest" as const, "slowest" as const),
      limit: fc.integer({ min: 1, max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(keptTraces(30), fc.array(fc.nat(PROCESSES - 1)), query, async (runs, at, asked) => {
        for (const each of all) each.store = new TraceStore({ nodes });
        const [first] = all as [(typeof all)[number]];
        for (const [i, run] of runs.entries()) all[at[i] ?? i % PROCESSES]?.store.add(run);
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const after = cursor === null ? "" : `&cursor=${cursor}`;
          const page = await first.page(`order=${asked.order}&limit=${asked.limit}${after}`);
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
          return asked.order === "slowest" ? run.durationUs : run.startedAt;
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
      const diff = await (first ?? assert.fail()).diff(`a=${a}&b=${b}`);
      return diff.parted?.what;
    };

    assert.equal(await parted("aa-1", "aa-2"), "input");
    assert.equal(await parted("aa-1", "bb-1"), undefined);
  });
});
