import assert from "node:assert/strict";
import { test } from "node:test";

import { sweepHourly } from "#http/serving/store-sweep.js";
import { ManualClock } from "#runtime/run/manual-clock.js";

test("stores are swept within the first hour and then each hour, until it is ended, also where it fails", async () => {
  const clock = new ManualClock();
  let swept = 0;
  const sweep = async (): Promise<void> => {
    swept += 1;
    if (swept === 2) throw new Error("away");
  };
  const end = sweepHourly({ sweep }, clock, () => 0.5);
  const sweptAfter = async (ms: number): Promise<number> => {
    await clock.advance(ms);
    return swept;
  };

  assert.deepEqual([await sweptAfter(1_799_999), await sweptAfter(1)], [0, 1]);
  assert.deepEqual(
    [await sweptAfter(3_599_999), await sweptAfter(1), await sweptAfter(3_600_000)],
    [1, 2, 3],
  );
  end();
  assert.deepEqual([await sweptAfter(3_600_000), clock.timers], [3, 0]);
  sweepHourly({}, clock)();
  assert.equal(clock.timers, 0);
});
