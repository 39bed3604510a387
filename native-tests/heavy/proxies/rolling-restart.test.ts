import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skipWithout } from "../../support/debian-program.js";
import { restartUnderLoad } from "../../support/rolling-restart.js";

describe("a rolling restart behind HAProxy", { skip: skipWithout("haproxy") }, () => {
  test("loses no request", async () => {
    const { sent, failures, answered } = await restartUnderLoad({
      requests: 1000,
      pauseMs: 60,
      drainIdleMs: 2000,
    });

    assert.deepEqual(failures, []);
    assert.ok(sent >= 1000);
    assert.equal([...answered].filter((pid) => pid !== "").length, 4, "two before, two after");
  });
});
