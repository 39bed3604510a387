import assert from "node:assert/strict";
import { test } from "node:test";

import { bodyMemoryFor, type MemoryFacts } from "#core/ports/body-memory.js";

const MIB = 1_048_576;
const facts = (change: Partial<MemoryFacts>): MemoryFacts => ({
  ...{ total: 16_384 * MIB, constrained: 0, heapLimit: 4144 * MIB, options: "" },
  ...change,
});

test("bodies may take a quarter of the memory that a process may use", () => {
  const cases: readonly (readonly [number | "auto", Partial<MemoryFacts>, number])[] = [
    [1, {}, 1036],
    [1, { constrained: 128 * MIB }, 24],
    [1, { constrained: 64 * MIB }, 8],
    [4, { constrained: 128 * MIB }, 4],
    // Without a limit some kernels name a number beyond any memory.
    [8, { constrained: 2 ** 64 }, 504],
    [1, { options: "--max-old-space-size=64" }, 16],
    [4, { options: "--max-old-space-size=64" }, 16],
    [1, { options: "--max_old_space_size 200 --import x --max-old-space-size=100" }, 25],
    [1, { constrained: 96 * MIB, options: "--max-old-space-size=400" }, 16],
    [1, { constrained: 96 * MIB, options: "--max-old-space-size=40" }, 10],
  ];

  for (const [workers, change, mib] of cases)
    assert.equal(bodyMemoryFor(workers, facts(change)), mib * MIB, JSON.stringify([workers, change]));
  assert.ok(bodyMemoryFor("auto") > 0);
});
