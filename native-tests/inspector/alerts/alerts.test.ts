import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Alerts, type AlertsOptions, type RaisedAlert } from "#inspector/alerts/alerts.js";
import { Alerts as AlertsShape } from "#inspector/api/watching.js";
import { compileSchema } from "#schema/validator.js";

const cause = (changes: Partial<RaisedAlert> = {}): RaisedAlert => ({
  key: "stall:a/b",
  kind: "stall",
  severity: "warning",
  circuit: "a",
  node: "a/b",
  title: "'b' does not answer",
  cause: "A run entered it",
  ...changes,
});

function alerts(options: AlertsOptions = {}) {
  const clock = { ms: 1000 };
  const log: string[] = [];
  const kept = new Alerts({
    wallClock: () => clock.ms,
    tell: ({ key, state, severity }) => log.push(`${key} ${state} ${severity}`),
    ...options,
  });
  const told = () => log.splice(0);
  return { clock, kept, told };
}

describe("alerts", () => {
  test("have the contract's shape, active and over", () => {
    const { kept, clock } = alerts();
    kept.raise(cause({ runIds: ["r1"] }));
    clock.ms = 3000;
    kept.raise(cause({ key: "k2", circuit: null, node: null }));
    kept.resolve("k2");
    const { check, errors } = compileSchema(AlertsShape, { owner: "t", origin: "program", generate: false });
    const data = { alerts: kept.list(), workers_silent: 0 };
    const answer = { api_version: "1.0", kind: "inspector.alerts.v1", data };

    assert.ok(check(answer), JSON.stringify(errors(answer)));
    assert.deepEqual(kept.list()[0], {
      key: "stall:a/b",
      kind: "stall",
      severity: "warning",
      circuit: "a",
      node: "a/b",
      title: "'b' does not answer",
      cause: "A run entered it",
      state: "active",
      since: 1000,
      last_at: 1000,
      resolved_at: null,
      run_ids: ["r1"],
    });
    assert.deepEqual([kept.list()[1]?.state, kept.list()[1]?.resolved_at], ["resolved", 3000]);
  });

  test("are one for each cause, which is raised again with its newest words and runs", () => {
    const { kept, clock, told } = alerts();
    for (let i = 1; i <= 7; i += 1) {
      clock.ms = i * 1000;
      kept.raise(cause({ cause: `time ${i}`, runIds: [`r${i}`, "r1"] }));
    }

    const [alert, ...others] = kept.list();
    assert.deepEqual(others, []);
    assert.deepEqual([alert?.since, alert?.last_at, alert?.cause], [1000, 7000, "time 7"]);
    assert.deepEqual(alert?.run_ids, ["r7", "r1", "r6", "r5", "r4"]);
    assert.deepEqual(told(), ["stall:a/b active warning"]);
  });

  test("are told of when they begin, become graver, end and begin again, and not otherwise", () => {
    const { kept, clock, told } = alerts();
    kept.raise(cause());
    kept.raise(cause());
    kept.raise(cause({ severity: "critical" }));
    kept.resolve("stall:a/b");
    kept.resolve("stall:a/b");
    kept.resolve("unknown");
    clock.ms = 9000;
    kept.raise(cause());

    assert.deepEqual(told(), [
      "stall:a/b active warning",
      "stall:a/b active critical",
      "stall:a/b resolved critical",
      "stall:a/b active warning",
    ]);
    assert.deepEqual([kept.list().length, kept.list()[0]?.since], [1, 9000]);
  });

  test("end by themselves where they last no longer than they are raised", () => {
    const { kept, clock, told } = alerts();
    kept.raise(cause({ quietMs: 500 }));
    kept.raise(cause({ key: "stays" }));
    clock.ms = 1400;
    kept.raise(cause({ quietMs: 500 }));
    clock.ms = 1899;
    kept.endQuiet();
    told();
    clock.ms = 1900;
    kept.endQuiet();
    kept.endQuiet();

    assert.deepEqual(told(), ["stall:a/b resolved warning"]);
    assert.ok(kept.isActive("stays"));
  });

  test("are no more than may be: those that are over make room, and no other", () => {
    const refused: string[] = [];
    const { kept, told } = alerts({ maxAlerts: 3, full: ({ key }) => refused.push(key) });
    const keys = () => kept.list().map(({ key }) => key);
    const raise = (...all: string[]) => {
      for (const key of all) kept.raise(cause({ key }));
    };
    raise("a", "b", "c");
    kept.resolve("b");
    raise("d");
    assert.deepEqual(keys(), ["d", "c", "a"]);
    told();
    raise("e", "e", "f", "a");
    assert.deepEqual([keys(), told()], [["d", "c", "a"], []]);
    kept.resolve("a");
    raise("e", "f");

    assert.deepEqual(keys(), ["e", "d", "c"]);
    assert.deepEqual(told(), ["a resolved warning", "e active warning"]);
    assert.deepEqual(refused, ["e", "f"], "the first each time");
    assert.equal(kept.dropped, 6);
  });

  test("that were told as active are told as over once, when they are, whatever else comes", () => {
    const key = fc.constantFrom(..."abcdefgh");
    const raised = fc.record({ what: fc.constant("raise" as const), key });
    const resolved = fc.record({ what: fc.constant("resolve" as const), key });
    fc.assert(
      fc.property(fc.array(fc.oneof(raised, resolved), { maxLength: 60 }), (steps) => {
        const { kept, told } = alerts({ maxAlerts: 3 });
        const holds = new Set<string>();
        const active = new Set<string>();
        for (const { what, key } of steps) {
          if (what === "raise") holds.add(key);
          else holds.delete(key);
          if (what === "raise") kept.raise(cause({ key }));
          else kept.resolve(key);
          for (const [of = "", state] of told().map((line) => line.split(" "))) {
            assert.equal(state === "active", !active.has(of), "each change once");
            assert.equal(state === "active", holds.has(of), "and what is so");
            if (state === "active") active.add(of);
            else active.delete(of);
          }
          for (const one of active) assert.ok(holds.has(one), "of what is over, the end is told");
          assert.ok(kept.list().length <= 3);
        }
      }),
    );
  });
});
