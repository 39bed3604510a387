// A synchronous run allocates nothing, one that waits once what a promise costs. Counted in a process of its own, with room
// enough that no collection falls into the count.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";

import { needsCodeGeneration } from "../../support/code-generation.js";
import { programArguments } from "../../support/run-program.js";

const bytesPerRun = (what: string): number => {
  const memory = ["--expose-gc", "--min-semi-space-size=512", "--max-semi-space-size=512"];
  const node = [...memory, ...programArguments("native-tests/support/count-bytes.ts", what)];
  return Number(
    execFileSync(process.execPath, node, {
      env: { ...process.env, FRAMEWORK_PROFILE: "prod" },
      encoding: "utf8",
    }),
  );
};

describe("bytes a run", () => {
  test("are none for five synchronous steps", () => assert.ok(bytesPerRun("steps") < 0.5));
  test("are none for steps that use the Bus", () => assert.ok(bytesPerRun("bus") < 0.5));
  // NK3: the view of the Bus that later runs get is theirs too.
  test("are none for steps that name their keys", () => assert.ok(bytesPerRun("names") < 0.5));
  test("are 32 for each step that names its keys, where each run has a Bus of its own", () =>
    assert.ok(bytesPerRun("ownNames") - bytesPerRun("ownBus") < 2 * 32 + 1));
  test("are none for a run that is refused by a fault made ahead", () =>
    assert.ok(bytesPerRun("fault") < 0.5));
  // A run that waits keeps its state: each field of it, 8 bytes, counts.
  test("are no more than an async function's, for a run that waits once", () =>
    assert.ok(bytesPerRun("promise") < bytesPerRun("byHand")));
  // The interpreter allocates, as TypeBox wrote it.
  test("are none where the input is checked by its schema", { skip: needsCodeGeneration }, () =>
    assert.ok(bytesPerRun("schema") < 0.5),
  );
});
