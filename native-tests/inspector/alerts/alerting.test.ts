import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, fault, MemoryDeadLetters, type Recorder, type Report, transition } from "framework";
import { ManualClock } from "framework/runtime";

import { Alerting, type AlertingOptions } from "#inspector/alerts/alerting.js";
import type { Alert } from "#inspector/api/watching.js";
import { Stalls } from "#inspector/stalls/stalls.js";
import type { AnyAxon } from "#runtime/axon-types.js";
import { Program } from "#runtime/program.js";

const seconds = 60 as const;
const faulting = (faults: number) => ({
  circuits: [
    {
      circuit: "orders",
      version: "1",
      total: 0,
      total_faults: 0,
      in_flight: 0,
      windows: [
        {
          seconds,
          count: 100,
          per_second: 1,
          faults,
          errors: faults,
          refused: 0,
          error_share: faults / 100,
          samples: 0,
          latency: null,
        },
      ],
      history: [],
      nodes: [],
    },
  ],
});

function alerting(options: AlertingOptions = {}) {
  const clock = new ManualClock();
  const told: string[] = [];
  const delivered: string[] = [];
  const reports: Report[] = [];
  const note = (alert: Alert) => `${alert.key} ${alert.state}`;
  const made = new Alerting({
    clock,
    wallClock: clock.now,
    tell: (alert) => told.push(note(alert)),
    hooks: [{ name: "noting", deliver: (alert) => void delivered.push(note(alert)) }],
    reporter: (report) => reports.push(report),
    ...options,
  });
  const run = (axon: AnyAxon, recorder: Recorder, input?: unknown) => {
    const program = new Program(axon.definition, {
      clock,
      recorder: { mounted: (circuit) => circuit.watch({ kind: "all" }), ...recorder },
    });
    return program.run(input, program.acquire());
  };
  return { made, clock, told: () => told.splice(0), delivered: () => delivered.splice(0), reports, run };
}

describe("alerting", () => {
  test("compares the figures with the rules in its own time, and tells the feed and the hooks", async () => {
    let faults = 50;
    let calls = 0;
    const metrics = async () => {
      calls += 1;
      return faulting(faults);
    };
    const { made, clock, told, delivered } = alerting({
      metrics,
      everyMs: 1000,
      delivery: { debounceMs: 0 },
    });
    await clock.advance(5000);
    assert.equal(calls, 0, "before it is started");
    made.start();
    made.start();
    await clock.advance(1000);
    assert.deepEqual(
      [told(), delivered(), calls],
      [["error_rate:orders active"], ["error_rate:orders active"], 1],
    );
    faults = 0;
    await clock.advance(2000);
    assert.deepEqual([told(), delivered()], [["error_rate:orders resolved"], ["error_rate:orders resolved"]]);
    await made.close();
    await clock.advance(5000);
    assert.deepEqual([calls, clock.timers], [3, 0]);
  });

  test("reports once that there is no room for another, and tells nobody that one is over for it", () => {
    const { made, told, reports } = alerting({ maxAlerts: 2 });
    for (const rule of ["a", "b", "c", "d"]) made.violation({ rule, detail: "none may" });

    assert.deepEqual(
      reports.map(({ code, message }) => `${code} ${message}`),
      [
        `ALERTS_FULL As many alerts are active as may be kept: "The policy 'c' was violated", and what else comes, is told to nobody until one of them is over`,
      ],
    );
    assert.deepEqual(told(), ["policy_violation:a active", "policy_violation:b active"]);
    assert.deepEqual(made.dropped, { undelivered: 0, forgotten: 2 });
  });

  test("goes on when the figures cannot be had", async () => {
    let calls = 0;
    const metrics = () => {
      calls += 1;
      if (calls === 1) throw new Error("no figures");
      return faulting(50);
    };
    const { made, clock, told, reports } = alerting({ metrics, everyMs: 1000 });
    made.start();
    await clock.advance(2000);
    await made.close();

    assert.deepEqual(
      reports.map(({ code }) => code),
      ["ALERT_RULES_FAILED"],
    );
    assert.deepEqual(told(), ["error_rate:orders active"]);
  });

  test("counts the dead letters of a node in one alert, which ends when no more come", async () => {
    const { made, clock, told, run } = alerting({ quietMs: 10_000, everyMs: 1000 });
    const axon = Axon.start("orders")
      .thenFn("charge", () => fault("declined"))
      .withDlqSink(new MemoryDeadLetters());
    made.start();
    await run(axon, { event: made.event });
    await clock.advance(5000);
    await run(axon, { event: made.event });

    const [alert] = made.list();
    assert.deepEqual(
      [alert?.kind, alert?.node, alert?.cause, alert?.run_ids.length],
      ["dead_letter", "orders/charge", "It left 2 dead letters", 2],
    );
    assert.deepEqual(told(), ["dead_letter:orders/charge active"]);
    await clock.advance(9000);
    assert.deepEqual(told(), []);
    await clock.advance(2000);
    assert.deepEqual(told(), ["dead_letter:orders/charge resolved"]);
    await run(axon, { event: made.event });
    assert.equal(made.list()[0]?.cause, "It left a dead letter");
    await made.close();
  });

  test("has a stall's alert from its first run that stalls to its last", async () => {
    const { made, clock, told, run } = alerting();
    const stalls = new Stalls({ thresholdMs: 1000, everyMs: 100, clock, tell: made.stall });
    const open: (() => void)[] = [];
    const slow = transition({ name: "slow", run: () => new Promise<void>((resolve) => open.push(resolve)) });
    const axon = Axon.start<void>("a").then(slow);
    const recorder = { begun: stalls.begun, ended: stalls.ended };
    const runs = [run(axon, recorder), run(axon, recorder)];
    await clock.advance(1200);

    const [alert] = made.list();
    assert.deepEqual(told(), ["stall:a/slow active"]);
    assert.equal(
      alert?.cause,
      "A run entered it 1.0 s ago and has not left it, as 1 other did; at most 1.0 s are expected",
    );
    assert.equal(alert?.run_ids.length, 2);
    open[0]?.();
    await clock.advance(100);
    assert.deepEqual(told(), []);
    open[1]?.();
    await clock.advance(100);
    assert.deepEqual(told(), ["stall:a/slow resolved"]);
    await Promise.all(runs);
  });

  test("takes violations of policies from whoever sees them", () => {
    const { made, told } = alerting();
    made.violation({ rule: "no plain e-mail", detail: "A payload held one", circuit: "orders", runId: "r" });

    assert.deepEqual(told(), ["policy_violation:no plain e-mail:orders active"]);
    assert.deepEqual([made.list()[0]?.severity, made.list()[0]?.run_ids], ["critical", ["r"]]);
  });

  test("refuses options that would do nothing", () => {
    for (const options of [
      { everyMs: 0 },
      { rules: [{ kind: "error_rate", share: 2 }] },
      { rule: [] },
      { delivery: { x: 1 } },
    ])
      assert.throws(() => new Alerting(options as AlertingOptions), { code: "CONFIG_INVALID" });
  });
});
