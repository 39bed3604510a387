// Two processes keep and read runs while their master key is replaced and the store is rewritten.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { EncryptionHook, keysInFile } from "framework/compliance";
import { encryptStore, openStores } from "framework/store";

import { until } from "../../support/patience.js";
import { skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

const [OLD, NEW] = ["old", "new"].map((id) => `${id} ${randomBytes(32).toString("base64")}\n`) as [
  string,
  string,
];

function writerOf(...args: readonly string[]): ChildProcess {
  const program = programArguments("native-tests/support/rotated-writer.ts", ...args);
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
  return spawn(process.execPath, program, { stdio: [...stdio], env: bareEnvironment() });
}

async function rotated(url: string, folder: string): Promise<void> {
  const keys = join(folder, "master-keys");
  writeFileSync(keys, OLD, { mode: 0o600 });
  const writers = [writerOf(url, keys, "a", "b"), writerOf(url, keys, "b", "a")] as const;
  const ended = writers.map((writer) => once(writer, "exit"));
  const counting = openStores(url, { codec: new EncryptionHook({ keys: keysInFile(keys) }) });
  const has = async (id: string): Promise<boolean> => (await counting.runs.read(id)).length > 0;
  try {
    await until("20 runs each", async () => (await has("a 20")) && (await has("b 20")));
    writeFileSync(keys, `${NEW}${OLD}`);
    // The other process learns of the key by the rows of this one.
    writers[0].send("reload");
    await once(writers[0], "message");
    const codec = new EncryptionHook({ keys: keysInFile(keys) });
    const beside = await encryptStore(url, codec);
    const told = writers.map((writer) => once(writer, "message"));
    await until("200 runs each", async () => (await has("a 200")) && (await has("b 200")));
    for (const writer of writers) writer.send("end");
    const counts = (await Promise.all(told)).map(([count]) => count);
    assert.deepEqual(
      (await Promise.all(ended)).map(([code]) => code),
      [0, 0],
    );
    for (const { kept, read, current } of counts) {
      assert.ok(kept > 200 && read > 20, JSON.stringify(counts));
      assert.equal(current, "new");
    }
    assert.ok(beside.rewritten > 0);
    const after = await encryptStore(url, codec);
    assert.deepEqual([after.byKey.get("old"), after.plain, after.left], [0, 0, []]);
  } finally {
    for (const writer of writers) writer.kill("SIGKILL");
    await counting.close();
  }
}

describe("a master key is replaced under load, and no read fails", () => {
  test("in SQLite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rotation-"));
    try {
      await rotated(`sqlite:${folder}/app.db`, folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("in PostgreSQL", { skip: skipWithoutPostgres }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "rotation-"));
    const server = await startPostgres();
    try {
      await rotated(server.url, folder);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
