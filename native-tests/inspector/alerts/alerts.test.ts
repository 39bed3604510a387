import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Alerts } from "#inspector/alerts/alerts.js";
import { Alerts as AlertsShape } from "#inspector/api/watching.js";
import { compileSchema } from "#schema/compile/validator.js";
import { letterCount, stall } from "../../support/shown-alert.js";

function alerts() {
  const clock = { ms: 1000 };
  const log: string[] = [];
  const kept = new Alerts({
    wallClock: () => clock.ms,
    tell: ({ key, state }) => log.push(`${key} ${state}`),
  });
  const see = (
    stalls = [] as ReturnType<typeof stall>[],
    letters = [] as ReturnType<typeof letterCount>[],
  ) => {
    kept.evaluate({ stalls, letters });
    return log.splice(0);
  };
  return { clock, kept, see };
}

describe("alerts", () => {
  test("have the contract's shape, active and over", () => {
    const { kept, clock, see } = alerts();
    see([stall({ run_id: "r1" })], [letterCount({ last_at: 900 })]);
    clock.ms = 3000;
    see([stall({ run_id: "r1", stalled_ms: 4000 })]);
    const { check, errors } = compileSchema(AlertsShape, { owner: "t", origin: "program", generate: false });
    const data = { alerts: kept.list(), workers_silent: 0 };
    const answer = { api_version: "1.0", kind: "inspector.alerts.v1", data };

    assert.ok(check(answer), JSON.stringify(errors(answer)));
    assert.deepEqual(kept.list(), [
      {
        key: "stall:c/n",
        kind: "stall",
        severity: "warning",
        circuit: "c",
        node: "c/n",
        title: "'n' is stalled",
        cause: "A run entered it 4.0 s ago and has not left it; at most 1.0 s are expected",
        state: "active",
        since: 1000,
        last_at: 3000,
        resolved_at: null,
        run_ids: ["r1"],
      },
      {
        key: "dead_letter:c/n",
        kind: "dead_letter",
        severity: "warning",
        circuit: "c",
        node: "c/n",
        title: "'n' exhausted its retries",
        cause: "It left a dead letter",
        state: "resolved",
        since: 1000,
        last_at: 900,
        resolved_at: 3000,
        run_ids: ["r1"],
      },
    ]);
  });

  test("are one for a node at which runs stall, from the first to the last", () => {
    const { kept, see } = alerts();
    const stalls = [1, 2, 3, 4, 5, 6].map((n) =>
      stall({ run_id: `r${n}`, entered_at: n, stalled_ms: 9000 - n * 1000 }),
    );
    assert.deepEqual(see([...stalls, stall({ node: "c/m", label: "m" })]), [
      "stall:c/n active",
      "stall:c/m active",
    ]);

    const alert = kept.list().find(({ node }) => node === "c/n");
    assert.match(alert?.cause ?? "", / 8\.0 s ago .*5 others.*; at most 1\.0 s /);
    assert.deepEqual(alert?.run_ids, ["r6", "r5", "r4", "r3", "r2"]);
    assert.deepEqual(see([stall({ run_id: "r1" })]), ["stall:c/m resolved"]);
    assert.deepEqual(see(), ["stall:c/n resolved"]);
  });

  test("of error rates stay as they are where no figures of circuits are given", () => {
    const { kept, see } = alerts();
    const circuits = [{ ...failing, windows: [{ ...failing.windows[0], count: 100, errors: 50 }] }] as never;
    kept.evaluate({ stalls: [], letters: [], circuits });

    assert.deepEqual(see(), ["error_rate:orders active"]);
    assert.deepEqual(see(), []);
    kept.evaluate({ stalls: [], letters: [], circuits: [] });
    assert.deepEqual(see(), ["error_rate:orders resolved"]);
  });

  test("count the dead letters of a node", () => {
    const { kept, see } = alerts();
    see([], [letterCount()]);
    assert.deepEqual(see([], [letterCount({ count: 2, run_ids: ["r2", "r1"] })]), []);

    assert.deepEqual(
      kept.list().map(({ cause, run_ids }) => [cause, run_ids]),
      [["It left 2 dead letters", ["r2", "r1"]]],
    );
  });

  test("that are over make room beyond 200, the oldest first, and active ones never", () => {
    const { kept, see } = alerts();
    const nodes = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => stall({ node: `c/${from + n}` }));
    see(nodes(0, 150));
    see(nodes(100, 300));
    assert.equal(kept.list().length, 200);
    assert.ok(kept.list().every(({ state }) => state === "active"));
    see(nodes(250, 300));

    assert.equal(kept.list().length, 200);
    see(nodes(250, 500));
    assert.deepEqual([kept.list().length, kept.list()[0]?.node], [250, "c/499"]);
  });

  test("are told once when they begin and once when they end, whatever is seen", () => {
    const seen = fc.array(fc.uniqueArray(fc.constantFrom(..."abcdef")), { maxLength: 30 });
    fc.assert(
      fc.property(seen, (looks) => {
        const { kept, see } = alerts();
        let before = new Set<string>();
        for (const nodes of looks) {
          const told = see(nodes.map((node) => stall({ node })));
          const began = nodes.filter((node) => !before.has(node));
          const ended = [...before].filter((node) => !nodes.includes(node));
          const wanted = [
            ...ended.map((node) => `stall:${node} resolved`),
            ...began.map((node) => `stall:${node} active`),
          ];
          assert.deepEqual(told.sort(), wanted.sort());
          assert.equal(kept.list().filter(({ state }) => state === "active").length, nodes.length);
          before = new Set(nodes);
        }
      }),
    );
  });
});

const failing = { circuit: "orders", windows: [{ seconds: 60 }], nodes: [] };
