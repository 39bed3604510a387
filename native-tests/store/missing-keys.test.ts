import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { inspect } from "node:util";

import { Framework, openStores } from "framework";
import { EncryptionHook } from "#compliance/encryption/encryption-hook.js";
import type { MasterKeys } from "#compliance/encryption/master-keys.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { adding, beginning, hosts, LEASE_MS } from "../support/hosts.js";
import { sqliteDatabases } from "../support/sql-stores.js";

const folder = mkdtempSync(join(tmpdir(), "keys-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const given = (...ids: readonly string[]): MasterKeys => ({
  current: ids[0] as string,
  keys: Object.fromEntries(ids.map((id) => [id, new Uint8Array(32).fill(Number(id))])),
});

describe("A store whose keys are away", () => {
  const open = sqliteDatabases();

  test("lets no server start, and does once they are there", async () => {
    let isAway = true;
    const keys = () => {
      if (isAway) throw new Error("connection refused");
      return given("1");
    };
    const codec = new EncryptionHook({ keys });
    const ingress = () =>
      Framework.http({ processGuards: false })
        .stores(openStores(`sqlite:${join(folder, "start.db")}`, { codec }))
        .readinessLivenessDefault()
        .bind("127.0.0.1:0");
    await assert.rejects(ingress().run(), (error: Error) => {
      assert.match(inspect(error), /ENCRYPTION_KEYS_INVALID/);
      assert.match(inspect(error), /provider of master keys: it failed/);
      return true;
    });
    isAway = false;
    const server = await ingress().run();
    await server.close();
  });

  test("has a run whose key is missing resumed once the key is there, and not marked unfit before", async () => {
    const database = await open();
    const writing = new EncryptionHook({ keys: () => given("2") });
    await Promise.all([database.open(), writing.open()]);
    await new SqlRuns(database, writing).append("run", 0, [beginning("sums")], "dead");
    let keys = given("1");
    let asked = 0;
    const { clock, host } = hosts();
    const codec = new EncryptionHook({
      keys: () => {
        asked += 1;
        return keys;
      },
      now: () => Date.now() + clock.now(),
    });
    await codec.open();
    const store = new SqlRuns(database, codec);
    const done: string[] = [];
    const one = host([adding(store, done)]);
    await one.begin();
    const within = async (isDone: () => boolean) => {
      for (let look = 0; look < 40 && !isDone(); look += 1) {
        await clock.advance(LEASE_MS / 4);
        for (let turn = 0; turn < 3000 && !isDone(); turn += 1) await clock.advance(0);
      }
    };
    await within(() => asked >= 3);
    const [waiting] = await store.unfinished();
    assert.deepEqual([done, asked >= 3, waiting?.unfit, waiting?.stuck], [[], true, undefined, undefined]);
    keys = given("1", "2");
    await within(() => done.length === 1 && one.running === 0);
    await one.leave();

    assert.deepEqual(done, ["run in epoch 2"]);
  });
});
