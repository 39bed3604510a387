import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { openedEvent, verifyAudit } from "framework/audit";
import { exportSubject } from "framework/compliance";

import { clinic } from "./app.js";
import { erasePatient, openClinic } from "./stores.js";

const folder = mkdtempSync(join(tmpdir(), "clinic-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a patient's data are encrypted in every file, exported, and erased with their letters and their key", async () => {
  const letters = join(folder, "letters");
  mkdirSync(letters);
  for (const name of ["P1-discharge.txt", "P2-discharge.txt"]) writeFileSync(join(letters, name), "Dear ...");
  writeFileSync(join(folder, "master-keys"), `2026 ${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  const opened = openClinic(folder);
  const { stores, keys, log } = opened;
  const server = await clinic(stores, log).bind("127.0.0.1:0").run();
  try {
    for (const [id, name] of [
      ["P1", "Ada Lovelace"],
      ["P2", "Bob Kovacs"],
    ]) {
      const body = JSON.stringify({ id, name, findings: ["mild measles"] });
      const headers = { "content-type": "application/json" };
      assert.equal((await fetch(`${server.url}/patients`, { method: "POST", headers, body })).status, 200);
    }
    const files = readdirSync(folder).filter((file) => /\.db/.test(file));
    for (const file of files)
      for (const word of ["Lovelace", "Kovacs", "measles"])
        assert.ok(!readFileSync(join(folder, file)).includes(word), `${word} in ${file}`);

    const lines = [];
    for await (const line of exportSubject({ subject: "P1" }, { stores })) lines.push(line);
    assert.match(JSON.stringify(lines), /Ada Lovelace.*mild measles/);
    assert.doesNotMatch(JSON.stringify(lines), /Bob/);

    const erased = await erasePatient(opened, letters, "P1", "request 17");

    const counts = erased.sinks.filter((sink) => sink.erased > 0).map(({ sink, erased: n }) => [sink, n]);
    assert.deepEqual(
      [erased.state, counts],
      [
        "done",
        [
          ["runs", 1],
          ["patient letters", 1],
          ["audit keys", 1],
        ],
      ],
    );
    assert.deepEqual(readdirSync(letters), ["P2-discharge.txt"]);
    const events = await Promise.all(
      (await log.query({ action: "patient.admit" })).flatMap((row) =>
        "event" in row ? [openedEvent(keys, row.event)] : [],
      ),
    );
    assert.deepEqual(events.map(({ target }) => (target.startsWith("sealed:") ? "sealed" : target)).sort(), [
      "P2",
      "sealed",
    ]);
    assert.equal((await verifyAudit(stores.audit, { chainOnly: true })).isSound, true);
  } finally {
    await server.close();
    await keys.close();
  }
});
