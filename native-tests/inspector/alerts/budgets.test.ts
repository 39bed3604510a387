import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";
import { Alerts } from "#inspector/alerts/alerts.js";
import { budgetsOf } from "#inspector/alerts/budgets.js";
import type { CircuitMetrics } from "#inspector/api/metrics.js";

const order = Axon.start("order").budget({ p99Ms: 20 });
const other = Axon.start("other");
const budgets = budgetsOf([order.schematic(), other.schematic()]);

function circuit(name: string, p99Ms: number, samples: number, waitedMs?: number): CircuitMetrics {
  const us = p99Ms * 1000;
  const latency = {
    ...{ p50_us: 1, p90_us: 1, p95_us: 1, p99_us: us, p99_9_us: us, max_us: us, mean_us: 1 },
  };
  const counts = { count: samples, per_second: 1, faults: 0, errors: 0, refused: 0, error_share: 0, samples };
  const waited = waitedMs === undefined ? {} : { waited_us: waitedMs * 1000 };
  const sums = { version: "1", total: 0, total_faults: 0, in_flight: 0, history: [], nodes: [] };
  return {
    ...sums,
    circuit: name,
    windows: [{ seconds: 60, ...counts, refused_input: 0, aborted: 0, ...waited, latency }],
  };
}

function watching() {
  const log: string[] = [];
  const alerts = new Alerts({ budgets, tell: ({ key, state }) => log.push(`${key} ${state}`) });
  const see = (name: string, p99Ms: number, samples = 100, waitedMs?: number) => {
    alerts.evaluate({ stalls: [], letters: [], circuits: [circuit(name, p99Ms, samples, waitedMs)] });
    return log.splice(0);
  };
  return { see, alerts };
}

describe("the budget of an Axon", () => {
  test("raises an alert of its circuit that says what was seen and what is allowed", () => {
    const { see, alerts } = watching();
    see("order", 31);

    const [alert] = alerts.list();
    assert.deepEqual([alert?.kind, alert?.circuit, alert?.node], ["budget", "order", null]);
    assert.equal(alert?.cause, "The p99 of 100 runs was 31.0 ms in 60 s; at most 20 ms are allowed");
  });

  test("names what its runs waited for their store apart, which no step took", () => {
    const titles = [30, 60].map((waitedMs) => {
      const { see, alerts } = watching();
      see("order", 63, 100, waitedMs);
      return [alerts.list()[0]?.title, alerts.list()[0]?.cause.split("; ")[2]];
    });

    assert.deepEqual(titles, [
      [
        "'order' is slower than its budget",
        "on average a run waited 30.0 ms for its log and locks, outside its steps",
      ],
      [
        "'order' waits for its store beyond its budget",
        "on average a run waited 60.0 ms for its log and locks, outside its steps",
      ],
    ]);
  });

  test("is exceeded above it, by enough runs, and of its own circuit", () => {
    const { see } = watching();

    assert.deepEqual(see("order", 20), []);
    assert.deepEqual(see("order", 21, 99), []);
    assert.deepEqual(see("other", 500), []);
    assert.deepEqual(see("order", 21), ["budget:order active"]);
  });

  test("is met again clearly below it, so that the alert does not flap", () => {
    const { see } = watching();
    see("order", 21);

    assert.deepEqual(see("order", 17), []);
    assert.deepEqual(see("order", 16), ["budget:order resolved"]);
  });
});
