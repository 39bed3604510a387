// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/clinic/main.ts
// It admits a patient, shows what the database has, exports the patient's data, and erases them.

import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { exportSubject } from "framework/compliance";

import { clinic } from "./app.js";
import { erasePatient, openClinic } from "./stores.js";

const folder = mkdtempSync(join(tmpdir(), "clinic-"));
const letters = join(folder, "letters");
mkdirSync(letters);
writeFileSync(join(letters, "P17-discharge.txt"), "Dear Ada ...");
writeFileSync(join(folder, "master-keys"), `2026 ${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });

const opened = openClinic(folder);
const server = await clinic(opened.stores, opened.log).bind("127.0.0.1:0").run();
const body = JSON.stringify({ id: "P17", name: "Ada", findings: ["measles"] });
const { status } = await fetch(`${server.url}/patients`, {
  ...{ method: "POST", headers: { "content-type": "application/json" }, body },
});
console.log(`admitted: ${status}`);
const file = readFileSync(join(folder, "clinic.db"));
console.log(`in the database: measles ${file.includes("measles")}`);
for await (const line of exportSubject({ subject: "P17" }, { stores: opened.stores }))
  console.log(JSON.stringify(line));
const { state, sinks } = await erasePatient(opened, letters, "P17", "request of 28 November");
console.log(state, Object.fromEntries(sinks.map(({ sink, erased }) => [sink, erased])));
await server.close();
await opened.keys.close();
