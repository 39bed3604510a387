import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Alerts } from "#inspector/alerts/alerts.js";
import { type AlertRule, requireRule } from "#inspector/alerts/error-rates.js";
import type { CircuitMetrics, NodeMetrics, Window } from "#inspector/api/metrics.js";

interface Figures {
  readonly count?: number;
  readonly errors?: number;
  readonly refused?: number;
}

const window = (seconds: 1 | 10 | 60, { count = 0, errors = 0, refused = 0 }: Figures): Window => ({
  seconds,
  count,
  per_second: count / seconds,
  faults: errors + refused,
  errors,
  refused,
  error_share: count === 0 ? 0 : errors / count,
  samples: 0,
  latency: null,
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
  windows: [window(1, {}), window(10, {}), window(60, figures)].map((one) => ({
    ...one,
    ...{ refused_input: 0, aborted: 0 },
  })),
  history: [],
  nodes: [...nodes],
});

function watching(...rules: AlertRule[]) {
  const log: string[] = [];
  const tell = ({ key, state, severity }: { key: string; state: string; severity: string }) =>
    log.push(`${key} ${state} ${severity}`);
  const alerts = new Alerts({ rules, tell });
  const failedRuns = (of: string) => [`failed of ${of}`];
  const see = (...circuits: CircuitMetrics[]) => {
    alerts.evaluate({ stalls: [], letters: [], circuits, failedRuns });
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
    assert.match(alert?.cause ?? "", /^25\.0 % of 200 runs .* in 60 s; at most 10\.0 % may$/);
    assert.deepEqual([alert?.circuit, alert?.node, alert?.run_ids], ["orders", "b", ["failed of orders"]]);
  });

  test("is found above its share and of enough runs", () => {
    const { see } = watching(rule);

    assert.deepEqual(see(circuit({ count: 20, errors: 2 })), []);
    assert.deepEqual(see(circuit({ count: 19, errors: 19 })), []);
    assert.deepEqual(see(circuit({ count: 20, errors: 3 })), ["error_rate:orders active warning"]);
  });

  test("is 5 % of 20 runs where a program has none of its own", () => {
    const alerts = new Alerts({ tell: () => {} });
    const seen = (errors: number, count: number) => {
      alerts.evaluate({ stalls: [], letters: [], circuits: [circuit({ count, errors })] });
      return alerts.list().length;
    };

    assert.deepEqual([seen(2, 19), seen(1, 20), seen(2, 20)], [0, 0, 1]);
  });

  test("ends its alert below four fifths of its share, and of too few runs", () => {
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

  test("counts a refusal as no error", () => {
    const { see, alerts } = watching(rule);
    const nodes = [node("g", "Guard", { refused: 60 }), node("stock", "Atom", { refused: 27, errors: 1 })];

    assert.deepEqual(see(circuit({ count: 100, refused: 87, errors: 10 }, nodes)), []);
    assert.deepEqual(see(circuit({ count: 100, refused: 86, errors: 11 }, nodes)), [
      "error_rate:orders active warning",
    ]);
    assert.equal(alerts.list()[0]?.node, "stock");
  });

  test("is for its circuit, and the graver of two counts", () => {
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

describe("a rule that could not work", () => {
  for (const rule of [
    { kind: "error_rate", share: 5 },
    { kind: "error_rate", share: 0 },
    { kind: "error_rate", share: 0.1, minRuns: 0 },
    { kind: "error_rate", share: 0.1, seconds: 5 },
    { kind: "error_rate", share: 0.1, minSamples: 5 },
    { kind: "error_rate", share: 0.1, severity: "bad" },
    { kind: "latency_budget", budgetMs: 5 },
  ])
    test(`is refused: ${JSON.stringify(rule)}`, () => {
      assert.throws(() => requireRule(rule as AlertRule), { code: "CONFIG_INVALID" });
    });

  test("says where rules of latency are now", () => {
    assert.throws(() => requireRule({ kind: "latency_budget" } as never), {
      message: /kind is error_rate; .*Prometheus, see docs\/metrics\.md/,
    });
  });
});
