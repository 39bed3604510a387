import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework, type Report } from "framework";
import { InFlight } from "#http/exchange/in-flight.js";
import { reportLoopDelay } from "#http/serving/loop-delay.js";
import { Counters } from "#runtime/run/counters.js";
import { hold } from "../../support/hold.js";
import { pause, until } from "../../support/patience.js";

/** Holds the loop without computing, as a synchronous read of a slow file does. */
const sleep = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

describe("loop delay", () => {
  test("is reported once in a while, and no more when it is ended", async () => {
    const reports: Report[] = [];
    let now = 0;
    const end = reportLoopDelay((report) => reports.push(report), { now: () => now });
    try {
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

  test("is reported once by the servers of a process, by one that serves and is no guest", async () => {
    const reports: string[] = [];
    const serving = (name: string, isIdle: boolean, isGuest: boolean) =>
      reportLoopDelay(() => reports.push(name), { wasIdle: () => isIdle, isGuest });
    const ends = [
      serving("guest", false, true),
      serving("idle", true, false),
      serving("serving", false, false),
      serving("another", false, false),
    ];
    try {
      await pause(50);
      hold(200);
      await until("it is reported", () => reports.length > 0);
      await pause(1500);
    } finally {
      for (const end of ends) end();
    }
    assert.deepEqual(reports, ["serving"]);
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

  test("is reported where the loop sleeps, and not where it waited for a core", async () => {
    const reports: Report[] = [];
    const nodes = [{ id: "a/slow", label: "slow", kind: "Transition" } as never];
    const counters = new Counters("a", nodes, { 0: 201 }, (report) => void reports.push(report));
    const waited = { read: () => performance.now(), close: () => {} };
    const busy = reportLoopDelay((report) => reports.push(report), { waited });
    try {
      await pause(50);
      sleep(200);
      counters.hold(0, 1);
      await pause(1500);
    } finally {
      busy();
    }
    assert.equal(reports.length, 0);

    const end = reportLoopDelay((report) => void reports.push(report));
    try {
      await pause(50);
      sleep(200);
      await until("it is reported", () => reports.length === 1);
    } finally {
      end();
    }
    counters.hold(0, 1);
    assert.equal(reports.length, 2, "and excuses nothing once it has ended");
  });

  test("is not reported where a report has named the step that held the loop", async () => {
    const reports: Report[] = [];
    const end = reportLoopDelay((report) => reports.push(report));
    const clock = { 0: 1 };
    const nodes = [{ id: "a/slow", label: "slow", kind: "Transition" } as never];
    const counters = new Counters("a", nodes, clock, (report) => reports.push(report));
    try {
      await pause(50);
      const begun = performance.now();
      hold(200);
      clock[0] += performance.now() - begun;
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
