import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { Report } from "framework";
import { reportLoopDelay } from "#http/loop-delay.js";
import { pause, until } from "../../support/patience.js";

const hold = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe("loop delay", () => {
  test("is reported once in a while, and no more when it is ended", async () => {
    const reports: Report[] = [];
    let now = 0;
    const end = reportLoopDelay(
      (report) => reports.push(report),
      () => now,
    );
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
});
