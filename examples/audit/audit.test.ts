import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { fileAnchor, generateSigningKey, publicKeys, signingKey, verifyAudit } from "framework/audit";
import { cancelOrder, openLog } from "./app.js";

test("the audited orders are cancelled once each, in a log that verifies against its anchor", async () => {
  const folder = mkdtempSync(join(tmpdir(), "audit-example-"));
  const { privateKey, publicKey } = generateSigningKey();
  const log = openLog(folder, signingKey(privateKey));
  for (const order of [1, 2, 1]) await cancelOrder(log, order, "alice");
  await log.close();
  const reading = openLog(folder, signingKey(privateKey));
  const anchor = fileAnchor(`${folder}/elsewhere/anchor.jsonl`);
  const { failures, events, behind } = await verifyAudit(reading, { keys: publicKeys(publicKey), anchor });
  await reading.close();
  rmSync(folder, { recursive: true });

  assert.deepEqual([failures, events, behind], [[], 2, 0]);
});
