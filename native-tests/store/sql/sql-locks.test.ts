import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { lockProviderContract } from "framework/testing/contracts";
import { SqlLocks } from "#store/sql/sql-locks.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, passIn, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

function locksIn(name: string, open: OpenDatabase): void {
  lockProviderContract(name, async () => {
    const database = await open();
    return { locks: new SqlLocks(database), pass: (ms) => passIn(database, ms) };
  });

  describe(`locks of several processes in ${name}`, () => {
    test("go to one of many that ask at once, with tokens that grow from holder to holder", async () => {
      const processes = [await open("locks"), await open("locks")].map((database) => new SqlLocks(database));
      let last = 0;
      for (let round = 0; round < 20; round += 1) {
        const asked = processes.flatMap((locks) =>
          Array.from({ length: 4 }, () => locks.acquire("a", 60_000)),
        );
        const leases = (await Promise.all(asked)).filter((lease) => lease !== undefined);
        const [lease] = leases;

        assert.equal(leases.length, 1);
        assert.ok(lease && lease.token > last, `${lease?.token} after ${last}`);
        last = lease.token;
        assert.equal(await processes[round % 2]?.release(lease), true, "whichever process releases it");
      }
    });

    test("have tokens that grow while holders release as others ask", async () => {
      const processes = [await open("turns"), await open("turns")].map((database) => new SqlLocks(database));
      const tokens: number[] = [];
      const worker = async (locks: SqlLocks): Promise<void> => {
        while (tokens.length < 60) {
          const lease = await locks.acquire("a", 60_000);
          if (lease === undefined) continue;
          tokens.push(lease.token);
          assert.equal(await locks.release(lease), true);
        }
      };
      await Promise.all([...processes, ...processes].map(worker));

      assert.deepEqual(
        tokens,
        [...new Set(tokens)].toSorted((a, b) => a - b),
      );
    });
  });

  describe(`locks in the tables of ${name}`, () => {
    test("leave no row when they are released, and are forgotten when their time is up", async () => {
      const database = await open();
      const locks = new SqlLocks(database);
      const count = async () => (await database.read(`SELECT key FROM ${database.tables.lock}`, [])).length;
      for (let n = 0; n < 5; n += 1) {
        const lease = await locks.acquire(`released ${n}`, 1000);
        assert.ok(lease && (await locks.release(lease)));
      }
      assert.equal(await count(), 0);
      for (let n = 0; n < 5; n += 1) await locks.acquire(`left ${n}`, 1000);
      await locks.acquire("held", 9000);
      await passIn(database, 1001);

      assert.equal(await locks.forget(3), 3);
      assert.equal(await locks.forget(3), 2);
      assert.equal(await locks.forget(3), 0);
      assert.equal(await count(), 1);
    });

    test("have keys of any characters and length, each for itself", async () => {
      const locks = new SqlLocks(await open());
      const keys = [
        "",
        "\0",
        "a\0b",
        "a\0c",
        "\ud800",
        "\ud801",
        "\ufffd",
        "sha256:",
        "ä".repeat(9000),
        "ä".repeat(9001),
      ];
      for (const key of keys) {
        const lease = await locks.acquire(key, 1000);
        assert.equal(lease?.key, key);
        assert.equal(await locks.acquire(key, 1000), undefined);
      }
    });
  });
}

locksIn("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => {
  locksIn("PostgreSQL", postgresDatabases());
});
