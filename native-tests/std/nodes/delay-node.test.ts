import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, isRuntimeFault, match } from "framework";
import { DelayNode, type DelayOptions } from "framework/std";

const delayed = (ms: number, options?: DelayOptions) =>
  Axon.start<string>("delayed").then(new DelayNode(ms, options));
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

describe("DelayNode", () => {
  test("lets its input pass after as long as it is told", async () => {
    const slept: number[] = [];
    const sleep = async (ms: number) => slept.push(ms);

    assert.equal(await delayed(250, { sleep }).execute("input"), "input");
    assert.deepEqual(slept, [250]);
  });

  test("really waits where nobody says otherwise", async () => {
    const began = performance.now();
    await delayed(30).execute("input");

    // A timer may fire a millisecond early.
    assert.ok(performance.now() - began >= 29);
  });

  test("stops waiting when the run is aborted, and leaves no timer", async () => {
    const before = timers();
    const controller = new AbortController();
    const run = delayed(60_000).execute("input", undefined, controller.signal);
    assert.equal(timers(), before + 1);

    controller.abort("enough");
    const error = match(await run, { next: () => undefined, fault: (reason) => reason });
    await new Promise(setImmediate);

    assert.ok(isRuntimeFault(error) && error.code === "RUN_ABORTED");
    assert.equal(timers(), before);
  });

  test("faults where its sleep fails for another reason", async () => {
    const sleep = () => Promise.reject(new Error("no clock"));
    const error = match(await delayed(1, { sleep }).execute("input"), {
      next: () => undefined,
      fault: (reason) => reason,
    });

    assert.ok(isRuntimeFault(error) && error.code === "TRANSITION_PANIC");
  });

  test("refuses a duration that is no whole number of milliseconds a timer can wait", () => {
    for (const ms of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])
      assert.throws(() => new DelayNode(ms), {
        code: "CONFIG_INVALID",
        message: /^DelayNode\(.*\): durationMs must/,
      });
    assert.equal(new DelayNode(2 ** 31 - 1).description, "Waits 2147483647 ms");
  });
});
