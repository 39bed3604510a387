import assert from "node:assert/strict";
import { test } from "node:test";

import { isRunId, nextRunNumber, runIdOf } from "#runtime/run/run-id.js";

test("a stored value is the id of a run only as a text of its form", () => {
  const id = runIdOf(nextRunNumber());

  assert.ok(isRunId(id));
  for (const stored of [[id], `${id}-`, id.toUpperCase().replace(/^/, "G"), 1, null, undefined])
    assert.equal(isRunId(stored), false);
});
