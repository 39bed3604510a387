import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type AlertRule, requireRule } from "#inspector/alerts/alert-rules.js";
import { Alerts } from "#inspector/alerts/alerts.js";
import { RuleWatch } from "#inspector/alerts/rule-watch.js";
import type { CircuitMetrics, NodeMetrics, Window } from "#inspector/api/metrics.js";

interface Figures {
  readonly count?: number;
  readonly errors?: number;
  readonly refused?: number;
  readonly samples?: number;
  readonly p99Ms?: number;
}

const window = (
  seconds: 1 | 10 | 60,
  { count = 0, errors = 0, refused = 0, samples = 0, p99Ms }: Figures,
): Window => ({
  seconds,
  count,
  per_second: count / seconds,
  faults: errors + refused,
  errors,
  refused,
  error_share: count === 0 ? 0 : errors / count,
  samples,
  latency:
    p99Ms === undefined
      ? null
      : { p50_us: 1, p90_us: 1, p95_us: 1, p99_us: p99Ms * 1000, p99_9_us: 1, max_us: 1, mean_us: 1 },
});
const node = (id: string, kind: string, figures: Figures): NodeMetrics => ({
  node: id,
  label: id,
  kind,
  total: 0,
  total_faults: 0,
  windows: [window(60, figures)],
});
const circuit = (figures: Figures, nodes: readonly NodeMetrics[] = [], name = "orders"): CircuitMetrics => ({
  circuit: name,
  version: "1",
  total: 0,
  total_faults: 0,
  in_flight: 0,
  windows: [window(1, {}), window(10, {}), window(60, figures)],
  history: [],
  nodes: [...nodes],
});

function watching(...rules: AlertRule[]) {
  const log: string[] = [];
  const alerts = new Alerts({ tell: ({ key, state, severity }) => log.push(`${key} ${state} ${severity}`) });
  const watch = new RuleWatch(rules.map(requireRule), alerts, (wanted) =>
    wanted.map(({ circuit, of, node = "any" }) => [`${of} of ${circuit} at ${node}`]),
  );
  const see = (...circuits: CircuitMetrics[]) => {
    assert.equal(watch.evaluate({ circuits }), undefined);
    return log.splice(0);
  };
  return { see, alerts };
}

describe("a rule of the error rate", () => {
  const rule: AlertRule = { kind: "error_rate", share: 0.1, minRuns: 20 };

  test("raises an alert that says what was seen and what is allowed", () => {
    const { see, alerts } = watching(rule);
    see(
      circuit({ count: 200, errors: 50 }, [
        node("a", "Atom", { errors: 1 }),
        node("b", "Atom", { errors: 49 }),
      ]),
    );

    const [alert] = alerts.list();
    assert.equal(
      alert?.cause,
      "25.0 % of 200 runs ended in an error of the server (5xx, or unanswered) in 60 s; at most 10.0 % may",
    );
    assert.deepEqual(
      [alert?.circuit, alert?.node, alert?.run_ids],
      ["orders", "b", ["failed of orders at any"]],
    );
  });

  test("speaks above its share and of enough runs", () => {
    const { see } = watching(rule);

    assert.deepEqual(see(circuit({ count: 20, errors: 2 })), []);
    assert.deepEqual(see(circuit({ count: 19, errors: 19 })), []);
    assert.deepEqual(see(circuit({ count: 20, errors: 3 })), ["error_rate:orders active warning"]);
  });

  test("takes back what it said below four fifths of its share, or of too few runs", () => {
    const { see } = watching(rule);
    const raise = circuit({ count: 100, errors: 11 });
    see(raise);

    assert.deepEqual(see(circuit({ count: 100, errors: 9 })), [], "just below does not flap");
    assert.deepEqual(see(circuit({ count: 100, errors: 8 })), ["error_rate:orders resolved warning"]);
    assert.deepEqual(see(circuit({ count: 100, errors: 9 })), []);
    see(raise);
    assert.deepEqual(see(circuit({ count: 5, errors: 5 })), ["error_rate:orders resolved warning"]);
    see(raise);
    assert.deepEqual(see(), ["error_rate:orders resolved warning"], "the circuit is gone");
  });

  test("raises an alert without runs that show it where looking for them fails, and says that it failed", async () => {
    const alerts = new Alerts();
    const watch = new RuleWatch([requireRule(rule)], alerts, () => Promise.reject(new Error("no runs")));

    await assert.rejects(async () => watch.evaluate({ circuits: [circuit({ count: 100, errors: 11 })] }), {
      message: "no runs",
    });
    assert.deepEqual(
      alerts.list().map(({ state, run_ids }) => [state, run_ids]),
      [["active", []]],
    );
  });

  test("counts what was refused as no error, whoever refused it", () => {
    const { see, alerts } = watching(rule);
    const nodes = [node("g", "Guard", { refused: 60 }), node("stock", "Atom", { refused: 27, errors: 1 })];

    assert.deepEqual(see(circuit({ count: 100, refused: 87, errors: 10 }, nodes)), []);
    assert.deepEqual(see(circuit({ count: 100, refused: 86, errors: 11 }, nodes)), [
      "error_rate:orders active warning",
    ]);
    assert.equal(alerts.list()[0]?.node, "stock");
  });

  test("is for its circuit, and the graver of two speaks", () => {
    const { see } = watching({ ...rule, circuit: "orders", share: 0.5, severity: "critical" }, rule);
    const figures = { count: 100, errors: 60 };

    assert.deepEqual(see(circuit(figures), circuit(figures, [], "other")), [
      "error_rate:orders active critical",
      "error_rate:other active warning",
    ]);
    assert.deepEqual(see(circuit({ count: 100, errors: 30 })), [
      "error_rate:other resolved warning",
      "error_rate:orders active warning",
    ]);
  });
});

describe("a rule of a latency budget", () => {
  const rule: AlertRule = { kind: "latency_budget", budgetMs: 50, minSamples: 100 };

  test("raises an alert where a percentile of enough samples is above it, and takes it back", () => {
    const { see, alerts } = watching(rule);

    assert.deepEqual(see(circuit({ samples: 99, p99Ms: 500 })), []);
    assert.deepEqual(see(circuit({ samples: 100, p99Ms: 50 })), []);
    assert.deepEqual(see(circuit({ samples: 100 })), [], "no latency is known");
    assert.deepEqual(see(circuit({ samples: 350, p99Ms: 812.34 })), [
      "latency_budget:orders:p99 active warning",
    ]);
    assert.equal(alerts.list()[0]?.cause, "p99 was 812 ms over 350 samples in 60 s; the budget is 50 ms");
    assert.deepEqual(alerts.list()[0]?.run_ids, ["slowest of orders at any"]);
    assert.deepEqual(see(circuit({ samples: 100, p99Ms: 41 })), []);
    assert.deepEqual(see(circuit({ samples: 100, p99Ms: 40 })), [
      "latency_budget:orders:p99 resolved warning",
    ]);
  });

  test("looks at one node where it names one", () => {
    const { see } = watching({ ...rule, node: "orders/price" });
    const slow = node("orders/price", "Atom", { samples: 100, p99Ms: 60 });

    assert.deepEqual(see(circuit({ samples: 1000, p99Ms: 900 })), []);
    assert.deepEqual(see(circuit({}, [slow])), ["latency_budget:orders/price:p99 active warning"]);
  });
});

describe("a rule that could not work", () => {
  for (const rule of [
    { kind: "error_rate", share: 5 },
    { kind: "error_rate", share: 0 },
    { kind: "error_rate", share: 0.1, minRuns: 0 },
    { kind: "error_rate", share: 0.1, seconds: 5 },
    { kind: "error_rate", share: 0.1, minSamples: 5 },
    { kind: "latency_budget", budgetMs: 0 },
    { kind: "latency_budget", budgetMs: 5, percentile: "p98" },
    { kind: "latency_budget", budgetMs: 5, severity: "bad" },
    { kind: "latency", budgetMs: 5 },
  ])
    test(`is refused: ${JSON.stringify(rule)}`, () => {
      assert.throws(() => requireRule(rule as AlertRule), { code: "CONFIG_INVALID" });
    });
});
