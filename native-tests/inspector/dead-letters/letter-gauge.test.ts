import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MemoryDeadLetters } from "framework";
import { deadLetterStoresOf } from "#inspector/dead-letters/dead-letters.js";
import { LetterGauge } from "#inspector/dead-letters/letter-gauge.js";
import { Metrics } from "#telemetry/metrics/metrics.js";

describe("the metric of dead letters", () => {
  test("is counted at the first of sixty looks, and is left out where the number is not known", async () => {
    let count: number | null = 3;
    let counts = 0;
    const gauge = new LetterGauge({
      count: async () => {
        counts += 1;
        return count;
      },
    });
    const text = (): string | undefined =>
      /^framework_dead_letters .*$/m.exec(new Metrics({ deadLetters: () => gauge.value }).text())?.[0];
    assert.equal(text(), undefined);
    for (let n = 0; n < 60; n += 1) await gauge.look();
    assert.deepEqual([text(), counts], ["framework_dead_letters 3", 1]);
    count = null;
    await gauge.look();

    assert.deepEqual([text(), counts], [undefined, 2]);
  });

  test("counts what processes share in the first of them, and memory in each", () => {
    const memory = new MemoryDeadLetters();
    const { perProcess: _perProcess, ...shared } = memory;
    const counted = [true, false].map((isFirst) => deadLetterStoresOf([memory, shared], isFirst));

    assert.deepEqual(counted, [[memory, shared], [memory]]);
  });
});
