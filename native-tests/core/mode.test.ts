import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { mode } from "framework/core";
import { decideMode } from "#core/mode.js";

describe("mode", () => {
  test("is production for every profile but dev and test, a misspelt one too", () => {
    const production = (profile: string) => decideMode({ FRAMEWORK_PROFILE: profile }).production;

    assert.deepEqual(["dev", "test", "prod", "staging", "Dev", "tset"].map(production), [
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
  });

  test("is production where nothing is set, and says why", () => {
    assert.deepEqual(decideMode({}), { production: true, reason: "FRAMEWORK_PROFILE is not set" });
    assert.ok(decideMode({ FRAMEWORK_PROFILE: "" }).production);
  });

  test("is not production under node --test, unless a profile says so", () => {
    assert.equal(decideMode({ NODE_TEST_CONTEXT: "child-v8" }).production, false);
    assert.equal(decideMode({ NODE_TEST_CONTEXT: "child-v8", FRAMEWORK_PROFILE: "prod" }).production, true);
  });

  test("is not production here", () => {
    assert.equal(mode.production, false);
  });
});
