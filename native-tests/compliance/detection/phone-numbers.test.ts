import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { nationalNumbers } from "#compliance/detection/phone-numbers.js";

describe("National telephone numbers", () => {
  test("without libphonenumber-js are refused with the command that installs it", () => {
    const missing = () => {
      throw new Error("Cannot find module");
    };

    assert.throws(() => nationalNumbers(["DE"], missing), {
      code: "CONFIG_INVALID",
      message: /run "npm install libphonenumber-js@1\.13\.16"/,
    });
  });
});
