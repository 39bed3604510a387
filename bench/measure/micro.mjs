// Suites that time a function: one fresh process for each arm and round, so that
// one arm's type feedback does not slow the next.

import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { root as here } from "../root.mjs";
import { outputOf } from "./children.mjs";

// So that nothing is collected between two looks at the heap.
const HEAP_FLAGS = ["--expose-gc", "--min-semi-space-size=512", "--max-semi-space-size=512"];

/**
 * A suite of functions. `inputs` makes what they are called with, an arm's
 * `prepare` the function, `score` a number of what it answers: the numbers of all
 * arms must be equal. `weighs`: count bytes a run too. `runsPerCall`: how many runs are
 * timed at once, 10 000 unless a run takes long.
 */
export function microSuite(url, suite) {
  const file = relative(here, fileURLToPath(url));
  return {
    unit: "ns a run",
    better: "lower",
    more: suite.weighs ? ["bytes"] : [],
    ...suite,
    open: (arm, options) => open(file, suite, arm, options),
  };
}

async function open(file, suite, arm, { root = here, seconds }) {
  const run = async (mode, flags = []) => {
    const script = join(root, "bench/measure/micro-process.mjs");
    const args = [...flags, script, join(root, file), arm.name, mode, String(seconds)];
    return JSON.parse(await outputOf(process.execPath, args));
  };
  const [first] = suite.arms;
  const { scores } = await run("check");
  if (arm !== first) {
    const expected = await open(file, suite, first, { root, seconds });
    assert.deepEqual(scores, expected.scores, `${arm.name} answers something else than ${first.name}`);
  }
  const bytes = suite.weighs ? (await run("weigh", HEAP_FLAGS)).bytes : undefined;
  return {
    scores,
    measure: async () => ({ figure: (await run("time")).ns, bytes }),
    close: async () => {},
  };
}
