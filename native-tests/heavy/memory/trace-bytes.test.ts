// A request that leaves no trace allocates nothing for being asked whether it does. Counted
// in a process of its own, with room enough that no collection falls into the count.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";

import { programArguments } from "../../support/run-program.js";

function countedOf(ratio: string, traceparent: string): { readonly bytes: number; readonly kept: boolean } {
  const memory = ["--expose-gc", "--min-semi-space-size=512", "--max-semi-space-size=512"];
  const counter = programArguments("native-tests/support/count-trace-bytes.ts", ratio, traceparent);
  const node = [...memory, ...counter];
  const env = { ...process.env, FRAMEWORK_PROFILE: "prod" };
  return JSON.parse(execFileSync(process.execPath, node, { env, encoding: "utf8" }));
}

describe("a request whose trace is not kept", () => {
  for (const [why, ratio, traceparent] of [
    ["its own ratio says so", "0", ""],
    ["its caller does not", "1", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"],
  ] as const) {
    test(`takes no memory for that where ${why}`, () => {
      const { bytes, kept } = countedOf(ratio, traceparent);

      assert.equal(kept, false);
      assert.ok(bytes < 1, `${bytes} bytes`);
    });
  }
});
