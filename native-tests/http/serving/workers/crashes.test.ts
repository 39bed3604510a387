import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { crashLoop, isShortLife, pauseMs, withCrash } from "#http/serving/workers/crashes.js";
import type { Ending } from "#http/serving/workers/worker-process.js";

const NONE = { totals: [0, 0, 0], at: [], last: "" };
const ending = (change: Partial<Ending> = {}): Ending => ({
  how: "with code 7",
  ...{ isClean: false, isAsked: false, servedMs: 60_000 },
  ...change,
});

/** The pauses of a worker that ends `lives` times, each after the same life. */
function pauses(lives: number, change: Partial<Ending>, runsAlone = false): readonly number[] {
  let inARow = 0;
  return Array.from({ length: lives }, () => {
    inARow = isShortLife(ending(change)) ? inARow + 1 : 0;
    return pauseMs(inARow, runsAlone);
  });
}

describe("a worker that ends again and again", () => {
  test("is started again after a pause that grows with its short lives, and less where no other serves", () => {
    const grown = [0, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];
    const rhythms: readonly (readonly [string, Partial<Ending>, boolean, readonly number[]])[] = [
      ["killed every 1.8 s", { how: "by SIGKILL", servedMs: 1800 }, false, grown],
      ["never ready", { servedMs: 0 }, false, grown],
      ["exits with 0 at once", { isClean: true, servedMs: 100 }, false, grown],
      ["alone", { servedMs: 1800 }, true, [0, ...Array(10).fill(200)]],
      ["killed every 10 s", { servedMs: 10_000 }, false, Array(11).fill(0)],
      ["asked to stop every 100 ms", { isAsked: true, servedMs: 100 }, false, Array(11).fill(0)],
    ];

    for (const [rhythm, change, runsAlone, expected] of rhythms)
      assert.deepEqual(pauses(11, change, runsAlone), expected, rhythm);
    assert.equal(pauseMs(2000, false), 30_000);
  });

  test("has crashed unless a signal asked it to stop, or it exited with 0 after ten seconds", () => {
    const ends: readonly (readonly [Partial<Ending>, boolean])[] = [
      [{}, true],
      [{ servedMs: 0 }, true],
      [{ isClean: true, servedMs: 9999 }, true],
      [{ isClean: true, servedMs: 10_000 }, false],
      [{ isAsked: true, servedMs: 0 }, false],
      [{ isAsked: true, isClean: true }, false],
    ];

    for (const [change, isCrash] of ends)
      assert.equal(withCrash(NONE, 2, ending(change), 0) !== undefined, isCrash, JSON.stringify(change));
    assert.deepEqual(withCrash(NONE, 2, ending(), 5), {
      totals: [0, 1, 0],
      at: [5],
      last: "worker 2 with code 7",
    });
  });

  test("is in a crash loop from the third crash of any worker within five minutes until there are fewer", () => {
    let crashes: typeof NONE | undefined = NONE;
    const crash = (worker: number, now: number) => {
      crashes = withCrash(crashes ?? NONE, worker, ending(), now) as typeof NONE;
      return crashLoop(crashes, now);
    };

    assert.equal(crash(1, 0), undefined);
    assert.equal(crash(3, 100_000), undefined);
    const text = "Workers ended 3 times within 5 minutes, the last one worker 2 with code 7";
    assert.equal(crash(2, 299_999), text);
    assert.equal(crashLoop(crashes, 300_000), undefined);
    assert.match(crash(2, 300_001) ?? "", /^Workers ended 3 times/);
    assert.deepEqual(crashes.totals, [1, 2, 1]);
    for (let n = 0; n < 600; n += 1) crash(1, 300_002);
    assert.equal(crashes.at.length, 500);
    assert.equal(crashes.totals[0], 601);
  });
});
