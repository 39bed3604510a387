import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework, type Report } from "framework";
import { InFlight } from "#http/exchange/in-flight.js";
import { reportLoopDelay } from "#http/serving/loop-delay.js";
import { Counters } from "#runtime/run/counters.js";
import { pause, until } from "../../support/patience.js";

const hold = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe("loop delay", () => {
  test("is reported once in a while, and no more when it is ended", async () => {
    const reports: Report[] = [];
    let now = 0;
    const end = reportLoopDelay((report) => reports.push(report), { now: () => now });
    try {
      // Its timer has to tick before a delay of it can be seen.
      await pause(50);
      hold(200);
      await until("it is reported", () => reports.length === 1);
      assert.equal(reports[0]?.code, "LOOP_BLOCKED");
      assert.match(reports[0]?.message ?? "", /held the event loop for \d{3} ms/);

      hold(200);
      await pause(1500);
      assert.equal(reports.length, 1);
      now = 20_000;
      hold(200);
      await until("it is reported again", () => reports.length === 2);
    } finally {
      end();
    }
    now = 40_000;
    hold(200);
    await pause(1500);
    assert.equal(reports.length, 2);
  });

  test("is not put down to a step where the server had no request", async () => {
    const reports: Report[] = [];
    const inFlight = new InFlight(Framework.http().plan);
    let now = 0;
    const end = reportLoopDelay((report) => reports.push(report), {
      wasIdle: () => inFlight.wasIdle(),
      now: () => now,
    });
    try {
      await pause(50);
      hold(200);
      await until("it is reported", () => reports.length === 1);
      now = 20_000;
      // Each check resets the timer that sees delays: it has to tick again.
      await pause(50);
      inFlight.opened();
      hold(200);
      inFlight.closed();
      await until("it is reported again", () => reports.length === 2);
    } finally {
      end();
    }
    assert.match(reports[0]?.message ?? "", /neither requests nor runs: a timer/);
    assert.match(reports[1]?.message ?? "", /\d ms: a step that computes/);
  });

  test("is not reported where a report has named the step that held the loop", async () => {
    const reports: Report[] = [];
    const end = reportLoopDelay((report) => reports.push(report));
    const nodes = [{ id: "a/slow", label: "slow", kind: "Transition" } as never];
    const counters = new Counters("a", nodes, { 0: 201 }, (report) => reports.push(report));
    try {
      await pause(50);
      hold(200);
      counters.hold(0, 1);
      await pause(1500);
    } finally {
      end();
    }
    assert.deepEqual(
      reports.map(({ step }) => step),
      ["slow"],
    );
  });
});
