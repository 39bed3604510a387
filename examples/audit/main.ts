// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/audit/main.ts
// It writes a log, verifies it, changes it behind its back, and verifies again.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { fileAnchor, generateSigningKey, publicKeys, signingKey, verifyAudit } from "framework/audit";
import Libsql from "libsql";

import { cancelOrder, openLog } from "./app.js";

const folder = mkdtempSync(join(tmpdir(), "audit-"));
const { privateKey, publicKey } = generateSigningKey();
const log = openLog(folder, signingKey(privateKey));
for (let order = 1; order <= 5; order += 1) await cancelOrder(log, order, "alice");
await log.close();

const verify = async () => {
  const reading = openLog(folder, signingKey(privateKey));
  const anchor = fileAnchor(`${folder}/elsewhere/anchor.jsonl`);
  const { isSound, events, failures } = await verifyAudit(reading, { keys: publicKeys(publicKey), anchor });
  console.log(`${events} events, ${isSound ? "sound" : failures.map(({ message }) => message).join("; ")}`);
  await reading.close();
};
await verify();
const database = new Libsql(join(folder, "audit.db"));
database.exec("UPDATE audit SET actor = 'bob' WHERE seq = 3");
database.close();
await verify();
