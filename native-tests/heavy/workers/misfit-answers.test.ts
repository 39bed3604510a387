// A worker of another build answers what this one cannot read. It counts as one that has not
// answered, and what the others have is shown.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Bus, MemoryDeadLetters, MemoryRuns } from "framework";
import { DeadLetters } from "#inspector/dead-letters/dead-letters.js";
import { MergedExamples } from "#inspector/peers/merged-examples.js";
import { MergedMetrics } from "#inspector/peers/merged-metrics.js";
import { MergedSteering } from "#inspector/peers/merged-steering.js";
import { Peers } from "#inspector/peers/peers.js";
import { KeptRuns } from "#inspector/runs/kept-runs.js";
import { Stalls } from "#inspector/stalls/stalls.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { PayloadCapture } from "#inspector/traces/payload-capture.js";
import { TraceStore } from "#inspector/traces/trace-store.js";
import { Unmatched } from "#inspector/unmatched/unmatched.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { asOperator, inspected } from "../../support/inspected.js";
import { keptTrace } from "../../support/kept-traces.js";
import { capture, steered } from "../../support/steered-circuit.js";

const BAD: readonly unknown[] = [
  "text",
  7,
  {},
  [null],
  [{}],
  [[null]],
  [[{ run_id: 7, weight: "heavy" }]],
  { kind: "done", value: { traces: [null], cursor: null, kept: 1, dropped: 0, workers_silent: 0 } },
  { kind: "done", value: { traces: [{}], cursor: null, kept: 1, dropped: 0, workers_silent: 0 } },
  { source: "later", revision: 7, snapshots: [["id"]], breakpoints: [{}], isCut: false },
  { kind: "done" },
  { kind: "done", value: {} },
  { kind: "done", value: { letters: [{ id: 7 }], total: 1, workers_silent: 0 } },
  { kind: "done", value: { stalls: [], alerts: [], requests: [], paused: [], breakpoints: [] } },
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

/** A process whose only peer answers `bad` to whatever it is asked, in time, and has what is asked for. */
function beside(bad: unknown): Peers {
  const rooms = new MemoryRooms();
  const other = rooms.join();
  other.subscribe({
    message: (topic, message) => {
      const { kind, id, from, about } = JSON.parse(String(message));
      if (topic !== "framework:inspector" || kind !== "ask") return;
      // Asked first, so that the process knows which one to ask for more.
      const value = about.endsWith(" is here") ? true : bad;
      const answer = { kind: "answer", id, pid: 9, failed: false, value };
      other.publish(`framework:inspector@${from}`, JSON.stringify(answer), false);
    },
    failed: () => {},
  });
  return new Peers({ bus: rooms.join(), expected: 1, clock: new ManualClock(), pid: 1 });
}

/** Keeps no runs, in memory of its own. */
const noRuns = (): KeptRuns =>
  new KeptRuns({
    axons: [
      Axon.start("kept")
        .thenFn("end", () => 1)
        .withPersistenceStore(new MemoryRuns()).definition,
    ],
    ...{ resources: Bus.of([]), nodes: new DrawnNodes(() => []), capture: new PayloadCapture("off") },
    reporter: () => {},
  });

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
      const merged = new MergedSteering(steering, { peers, isFirst: true });
      const { app } = inspected({
        steering: merged,
        ...{ peers, traces: store, stalls: new Stalls(), deadLetters: letters, runs: noRuns() },
        alerts: { list: () => [] },
        unmatched: new Unmatched(),
      });
      const get = async (path: string): Promise<any> =>
        ((await app.get(`/api/v1/${path}`, asOperator)).json as { data: unknown }).data;
      const metrics = new MergedMetrics(new Metrics(), peers);

      const pages = [
        ...(await Promise.all(["alerts", "stalls", "traces", "dlq", "runs", "unmatched"].map(get))),
        await get("paused"),
        await merged.list(),
      ];
      for (const { workers_silent, ...page } of pages) assert.equal(workers_silent, 1, JSON.stringify(page));
      assert.equal((await get("dlq")).total, null, "nobody knows how many that one has");
      assert.equal((await get("traces")).traces[0]?.run_id, "own");
      assert.deepEqual([...(await new MergedExamples(store, peers).of(["orders"]))], [["orders", []]]);
      assert.equal((await metrics.snapshot()).processes, 1);
      assert.match(await metrics.text(), /^# TYPE /m);
      for (const answer of [
        await app.get("/api/v1/traces/other", asOperator),
        await app.get("/api/v1/runs/other", asOperator),
        await app.post("/api/v1/runs/other/resume", asOperator),
        await app.post("/api/v1/dlq/other/redrive", asOperator),
        await app.delete("/api/v1/dlq/other", asOperator),
        await app.post("/api/v1/paused/other/resume", asOperator),
      ]) {
        assert.equal(answer.problem.code, "WORKER_SILENT");
        assert.match(answer.problem.detail ?? "", /1 of the workers/);
      }
      await merged.begin();
      assert.deepEqual(steering.breakpoints.list(), []);
    });
});
