import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import type { TracedRun, WatchedCircuit } from "framework/core";

import { Metrics } from "#telemetry/metrics/metrics.js";
import { durations } from "../../support/durations.js";
import { nodeCounts } from "../../support/node-counts.js";

/** In thousandths: sums of those are exact. */
const SHARES = [
  ["p50_us", 500],
  ["p90_us", 900],
  ["p95_us", 950],
  ["p99_us", 990],
  ["p99_9_us", 999],
  ["max_us", 1000],
] as const;

const oneNode = (): WatchedCircuit => ({
  name: "one",
  version: "1.0.0",
  nodes: [{ id: "one/node", label: "node" }],
  counts: nodeCounts(0, 0),
  watch: () => {},
});

const tracedRun = (circuit: WatchedCircuit, duration_us: number) =>
  ({
    circuit,
    timeline: {
      axon: "one",
      version: "1.0.0",
      started_at: 0,
      dropped: 0,
      events: [
        { kind: "node_enter", node: "one/node", at_us: 0 },
        { kind: "node_exit", node: "one/node", at_us: duration_us, outcome: "next", duration_us },
      ],
    },
  }) as unknown as TracedRun;
describe("percentiles of nodes", () => {
  for (const [name, samples] of durations())
    test(`are within 3 % of those of all samples, that are ${name}`, () => {
      fc.assert(
        fc.property(samples, fc.integer({ min: 1, max: 9 }), (given, perTick) => {
          const clock = { ms: 0 };
          const metrics = new Metrics({ now: () => clock.ms });
          const circuit = oneNode();
          metrics.recorder.mounted(circuit);
          const whole = given.map((us) => Math.round(us));
          for (let from = 0; from < whole.length; from += Math.ceil(whole.length / perTick)) {
            for (const us of whole.slice(from, from + Math.ceil(whole.length / perTick)))
              metrics.recorder.ended(tracedRun(circuit, us), undefined);
            clock.ms += 1000;
            metrics.tick();
          }

          const latency = metrics.report().circuits[0]?.nodes[0]?.windows[1]?.latency;
          const sorted = [...whole].sort((a, b) => a - b);
          for (const [percentile, share] of SHARES) {
            const wanted = sorted[Math.ceil((share * sorted.length) / 1000) - 1] as number;
            assert.ok(Math.abs((latency?.[percentile] as number) - wanted) <= 0.03 * wanted);
          }
        }),
        { numRuns: 30 },
      );
    });
});
