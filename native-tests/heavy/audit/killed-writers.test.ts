import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { describe, test } from "node:test";

import { killAudit } from "../../support/kill-audit.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";

describe("an audit log whose writers are killed", () => {
  for (const store of ["sqlite", "postgres", "file"] as const)
    test(`in ${store} verifies, and has each event that was acknowledged`, {
      skip: store === "postgres" && skipWithoutPostgres,
    }, async () => {
      const seed = randomInt(1_000_000);
      const { lost, failures, acknowledged, events } = await killAudit({ store, kills: 8, seed });

      assert.deepEqual([lost, failures], [[], []], `seed ${seed}`);
      assert.ok(acknowledged > 0 && events >= acknowledged);
    });
});
