import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fromRoot } from "../support/root.js";

const { measureWhenQuiet } = await import(fromRoot("bench/measure/quiet.mjs"));
const { comparisonTable } = await import(fromRoot("bench/report/comparison-table.mjs"));

const spread = (median: number) => ({ median, min: median, max: median });
const row = (control: number) => ({
  ...{ suite: "json", arm: "ours", unit: "requests", better: "higher", a: 100, b: 90 },
  ...{ ratio: spread(0.9), control: spread(control) },
});

/** What is measured of controls like these, and what it said and waited for meanwhile. */
async function measured(controls: readonly number[], tries: number) {
  const left = [...controls];
  const told: string[] = [];
  const waits: number[] = [];
  const answer = await measureWhenQuiet(async () => row(left.shift() ?? Number.NaN), {
    tries,
    progress: (text: string) => told.push(text),
    pause: async (ms: number) => waits.push(ms),
  });
  return { control: answer.control.median, told, waits };
}

describe("two commits that are compared", () => {
  test("are measured again a minute later while the control is too wide, as often as they may be", async () => {
    assert.deepEqual(await measured([1.02], 3), { control: 1.02, told: [], waits: [] });
    const { control, told, waits } = await measured([0.95, 1.04, 1.01], 3);
    assert.deepEqual([control, waits], [1.01, [60_000, 60_000]]);
    assert.match(told[0] ?? "", /differs by 5\.0 %.*\(2 of 3\)/);
    assert.equal((await measured([0.95, 1.04, 1.01], 2)).control, 1.04);
  });

  test("are not judged beside a control that stays too wide", () => {
    const table: string = comparisonTable("a", "b", [row(1.02), row(0.96)]);
    const [good, bad] = table.split("\n").filter((line) => line.startsWith("json"));
    assert.doesNotMatch(good ?? "", /too wide/);
    assert.match(bad ?? "", /control too wide to judge$/);
  });
});
