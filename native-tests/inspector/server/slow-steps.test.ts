import assert from "node:assert/strict";
import { test } from "node:test";

import type { TraceNode } from "#inspector/api/traces.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { TraceStore } from "#inspector/traces/trace-store.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { asViewer, inspected } from "../../support/inspected.js";
import { keptTrace } from "../../support/kept-traces.js";

/** A run whose step took so long, and was held before it; of `samples` runs before it each took 100 us. */
async function shown(tookUs: number, samples: number, heldUs = 0): Promise<TraceNode> {
  const store = new TraceStore({ nodes: new DrawnNodes(() => []) });
  store.add(
    keptTrace({
      number: 1,
      circuit: "order",
      events: [
        { kind: "node_paused", node: "order/keep", at_us: heldUs, held_us: heldUs },
        { kind: "node_enter", node: "order/keep", at_us: heldUs },
        {
          ...({ kind: "node_exit", node: "order/keep", outcome: "next" } as const),
          ...{ at_us: heldUs + tookUs, duration_us: tookUs },
        },
      ],
    }),
  );
  const report = new Metrics().report();
  const latency = {
    p50_us: 90,
    p90_us: 95,
    p95_us: 98,
    p99_us: 100,
    p99_9_us: 100,
    max_us: 100,
    mean_us: 90,
  };
  const figures = {
    ...{ count: samples, per_second: 1, faults: 0, errors: 0, refused: 0, error_share: 0, samples, latency },
    seconds: null,
  };
  const step = { node: "order/keep", label: "keep", kind: "Atom", total: samples, total_faults: 0 };
  const circuit = {
    ...{ circuit: "order", version: "1.0.0", total: samples, total_faults: 0, in_flight: 0 },
    ...{ windows: [], history: [], nodes: [{ ...step, windows: [figures] }] },
  };
  const { app } = inspected({
    traces: store,
    metrics: { snapshot: async () => report, text: async () => "", circuit: async () => circuit },
  });
  const { data } = (await app.get("/api/v1/traces/run-1", asViewer)).json as {
    data: { nodes: TraceNode[] };
  };
  return data.nodes[0] as TraceNode;
}

test("a step that took longer than its p99 says so, and what the p99 is", async () => {
  assert.equal((await shown(150, 100)).above_p99_us, 100);
});

test("a step within its p99, as exact as that is, says nothing", async () => {
  assert.equal((await shown(101, 100)).above_p99_us, undefined);
});

test("a step of too few runs for a p99 says nothing", async () => {
  assert.equal((await shown(150, 99)).above_p99_us, undefined);
});

test("a step is not slow by the time that a breakpoint held it", async () => {
  assert.equal((await shown(90, 100, 5000)).above_p99_us, undefined);
});
