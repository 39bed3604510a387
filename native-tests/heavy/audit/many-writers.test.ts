import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { verifyAudit } from "framework/audit";
import { openAudit } from "framework/store";
import { skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

const folder = mkdtempSync(join(tmpdir(), "many-writers-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const EVENTS = Number(process.env["AUDIT_EVENTS"] ?? 8000);

/** Four processes with two writers each, of which each has 50 events under way. */
async function oneChain(url: string): Promise<void> {
  const log = openAudit(url);
  await log.head();
  const began = performance.now();
  const codes = await Promise.all(
    [1, 2, 3, 4].map((n) => {
      const args = [url, `p${n}`, String(EVENTS / 4), "100"];
      const child = spawn(
        process.execPath,
        programArguments("native-tests/support/audit-writer.ts", ...args),
        {
          stdio: ["ignore", "ignore", "inherit"],
          env: bareEnvironment(),
        },
      );
      return new Promise((done) => child.once("close", done));
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const { failures, events } = await verifyAudit(log, { chainOnly: true });
  await log.close();
  if (process.env["AUDIT_EVENTS"] !== undefined)
    console.log(`${url}: ${Math.round(EVENTS / seconds)} events/s`);

  assert.deepEqual(codes, [0, 0, 0, 0]);
  assert.deepEqual([failures, events], [[], EVENTS]);
}

describe("an audit log that four processes write", () => {
  test("in SQLite is one chain", () => oneChain(`sqlite:${folder}/audit.db`));

  test("in PostgreSQL is one chain", { skip: skipWithoutPostgres }, async () => {
    const server = await startPostgres();
    after(() => server.stop());
    await oneChain(server.url);
  });
});
