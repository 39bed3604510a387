// A worker of another build answers what this one cannot read. It counts as one that has not
// answered, and what the others have is shown.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, MemoryDeadLetters } from "framework";
import { inspectorFault } from "#inspector/api/fault.js";
import { DeadLetters } from "#inspector/dead-letters/dead-letters.js";
import { MergedAlerts } from "#inspector/peers/merged-alerts.js";
import { MergedDeadLetters } from "#inspector/peers/merged-dead-letters.js";
import { MergedExamples } from "#inspector/peers/merged-examples.js";
import { MergedMetrics } from "#inspector/peers/merged-metrics.js";
import { MergedRuns } from "#inspector/peers/merged-runs.js";
import { MergedStalls } from "#inspector/peers/merged-stalls.js";
import { MergedSteering } from "#inspector/peers/merged-steering.js";
import { MergedTraces } from "#inspector/peers/merged-traces.js";
import { Peers } from "#inspector/peers/peers.js";
import { Stalls } from "#inspector/stalls/stalls.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { TraceStore } from "#inspector/traces/trace-store.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { keptTrace } from "../../support/kept-traces.js";
import { capture, done, refused, steered } from "../../support/steered-circuit.js";

const BAD: readonly unknown[] = [
  "text",
  7,
  {},
  [null],
  [{}],
  [[null]],
  [[{ run_id: 7, weight: "heavy" }]],
  { rows: [null], isCut: false, isMore: false, kept: 1, dropped: 0 },
  { rows: [{ row: {}, place: {} }], isMore: false, kept: 1, dropped: 0 },
  { source: "later", revision: 7, snapshots: [["id"]], breakpoints: [{}], isCut: false },
  { kind: "done" },
  { kind: "done", value: {} },
  { kind: "done", value: { rows: [{ id: 7 }], isCut: false } },
  { kind: "later", value: null },
  { kind: "refused", refused: { code: "CODE_OF_LATER", particulars: {} } },
  { kind: "refused", refused: { code: "KEPT_RUN_ACTIVE" } },
  { at: 1, processes: 1, http: {}, process: {}, circuits: [] },
  [{ name: "runs_total", help: "Runs", type: "summary", series: [] }],
  [
    {
      name: "run_seconds",
      help: "Runs",
      type: "histogram",
      series: [["", { buckets: [1], count: 1, sum: 1 }]],
    },
  ],
];

/** What a process asks first, so that it knows whom to ask for more. */
const WHO_HAS_IT = ["kept run", "dead letter"];

/** A process whose only peer answers `bad` to whatever it is asked, in time, and has what is asked for. */
function beside(bad: unknown): Peers {
  const rooms = new MemoryRooms();
  const other = rooms.join();
  other.subscribe({
    message: (topic, message) => {
      const { kind, id, from, about } = JSON.parse(String(message));
      if (topic !== "framework:inspector" || kind !== "ask") return;
      const value = WHO_HAS_IT.includes(about) ? true : bad;
      const answer = { kind: "answer", id, pid: 9, failed: false, value };
      other.publish(`framework:inspector@${from}`, JSON.stringify(answer), false);
    },
    failed: () => {},
  });
  return new Peers({ bus: rooms.join(), expected: 1, clock: new ManualClock(), pid: 1 });
}

const unknownRun = async () => inspectorFault("KEPT_RUN_UNKNOWN");
const noRuns = { isKept: true, unfinished: async () => [], show: unknownRun, resume: unknownRun };

function storeWith(runId: string): TraceStore {
  const store = new TraceStore({ nodes: new DrawnNodes(() => []) });
  store.add(keptTrace({ number: 1, runId }));
  return store;
}

describe("beside a worker that answers what cannot be read", () => {
  for (const bad of BAD)
    test(`all else is shown, and it counts as silent: ${JSON.stringify(bad).slice(0, 80)}`, async () => {
      const peers = beside(bad);
      const store = storeWith("own");
      const letters = new DeadLetters({ stores: [new MemoryDeadLetters()], axons: [], capture });
      const { steering } = steered(Axon.start<number>("sum").thenFn("one", (n) => n + 1));
      const watching = [
        await new MergedAlerts({ list: () => [] }, peers).list(),
        await new MergedStalls(new Stalls(), peers).list(),
      ];
      const traces = new MergedTraces(store, peers);
      const dead = new MergedDeadLetters({ own: letters, inMemory: letters, peers });
      const runs = new MergedRuns({ own: noRuns as never, inMemory: noRuns as never, peers });
      const merged = new MergedSteering(steering, { peers, isFirst: true });
      const metrics = new MergedMetrics(new Metrics(), peers);

      const pages = [
        ...watching,
        done(await traces.query({})),
        done(await dead.list({})),
        done(await runs.unfinished({})),
        await merged.list(),
        await merged.paused(),
      ];
      for (const { workers_silent, ...page } of pages) assert.equal(workers_silent, 1, JSON.stringify(page));
      assert.equal(done(await dead.list({})).total, null, "nobody knows how many that one has");
      assert.equal(done(await traces.query({})).traces[0]?.run_id, "own");
      assert.deepEqual([...(await new MergedExamples(store, peers).of(["orders"]))], [["orders", []]]);
      assert.equal((await metrics.snapshot()).processes, 1);
      assert.match(await metrics.text(), /^# TYPE /m);
      assert.match(refused(await traces.get("other")).particulars.detail ?? "", /1 of the workers/);
      for (const answer of [
        await runs.show("other"),
        await runs.resume("other", {}, "eve"),
        await dead.redrive("other", "eve"),
        await dead.discard("other"),
        await merged.release("other", "resume", {}),
      ])
        assert.equal(refused(answer).code, "WORKER_SILENT");
      await merged.begin();
      assert.deepEqual(steering.breakpoints.list(), []);
    });
});
