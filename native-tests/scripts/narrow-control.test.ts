import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fromRoot } from "../support/root.js";

const { measureInRounds } = await import(fromRoot("bench/measure/rounds.mjs"));
const { resultOf } = await import(fromRoot("bench/report/result.mjs"));

/** A control that is 10 % off in the first rounds, then equal. */
async function measured(rounds: number, wideRounds: number, short = false) {
  let round = 0;
  const arm = (figureOf: () => number) => ({ measure: async () => ({ figure: figureOf() }) });
  const arms = [arm(() => 100), arm(() => (round < wideRounds ? 110 : 100)), arm(() => 95)];
  const figures: unknown[] = await measureInRounds(arms, { rounds, short }, (done: number) => {
    round = done;
  });
  return figures.map((each, at) => ({ name: ["first", "control", "other"][at], measured: each }));
}

const suite = {
  ...{ name: "s", title: "", measures: "", leavesOut: "", unit: "u", better: "higher", more: [] },
  bars: [{ arm: "other", atLeast: 0.9 }],
};

describe("a suite of benchmarks", () => {
  test("goes on until its control is narrow, four times the rounds at most", async () => {
    const cases: [wideRounds: number, short: boolean, rounds: number, verdict: string][] = [
      [0, false, 3, "met"],
      [3, false, 7, "met"],
      [99, false, 12, "unclear"],
      [99, true, 3, "unclear"],
    ];
    for (const [wideRounds, short, rounds, verdict] of cases) {
      const result = resultOf(suite, await measured(3, wideRounds, short), 1);
      assert.deepEqual(
        [result.rounds, result.rows[2].verdict],
        [rounds, verdict],
        `${wideRounds} wide rounds`,
      );
    }
  });
});
