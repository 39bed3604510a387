import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { idempotencyStoreContract } from "framework/testing/contracts";
import { plainCodec } from "#core/ports/codec.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { SqlIdempotency } from "#store/sql/sql-idempotency.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, passIn, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

function keysIn(name: string, open: OpenDatabase): void {
  idempotencyStoreContract(name, async () => {
    const database = await open();
    return { store: new SqlIdempotency(database, plainCodec), pass: (ms) => passIn(database, ms) };
  });

  describe(`idempotency keys of several processes in ${name}`, () => {
    test("go to one of many that claim at once, be they new, released or out of time", async () => {
      const databases = [await open("keys"), await open("keys")];
      const processes = databases.map((database) => new SqlIdempotency(database, plainCodec));
      for (let round = 0; round < 12; round += 1) {
        const claims = await Promise.all(
          processes.flatMap((store) => Array.from({ length: 4 }, () => store.claim("a", "f", 60_000))),
        );
        const first = claims.filter((claim) => claim.kind === "first");

        assert.equal(first.length, 1);
        assert.equal(claims.filter(({ kind }) => kind === "running").length, 7);
        if (round % 2 === 0)
          assert.equal(await processes[1]?.release((first[0] as (typeof first)[0] & {}).lease), true);
        else await passIn(databases[0] as (typeof databases)[0] & {}, 60_001);
      }
    });
  });

  describe(`idempotency keys of hosts of runs in ${name}`, () => {
    const begun = async () => {
      const database = await open();
      const store = new SqlIdempotency(database, plainCodec);
      const runs = new SqlRuns(database, plainCodec);
      const claim = async (host?: string) => (await store.claim("a", "f", 40_000, undefined, host)).kind;
      return { store, runs, claim, pass: (ms: number) => passIn(database, ms) };
    };

    test("are free at once when the lease of their host is over, and not while it beats", async () => {
      const { runs, claim, pass } = await begun();
      for (const host of ["one", "two"]) await runs.beat(host, 10_000);
      assert.equal(await claim("one"), "first");
      await pass(9000);
      assert.equal(await claim("two"), "running");
      for (const host of ["one", "two"]) await runs.beat(host, 10_000);
      await pass(9000);
      assert.equal(await claim("two"), "running");
      await pass(1001);
      await runs.beat("two", 10_000);

      assert.equal(await claim("two"), "first");
      assert.equal(await claim("one"), "running", "of the new host");
    });

    test("are free at once when their host has left, once", async () => {
      const { runs, claim } = await begun();
      await runs.beat("one", 10_000);
      await claim("one");
      await runs.leave("one");
      const kinds = await Promise.all([1, 2, 3].map(() => claim("two")));

      assert.deepEqual(kinds.sort(), ["first", "running", "running"]);
    });

    test("keep their answer when their host has died, and can be given one late", async () => {
      const { store, runs, claim } = await begun();
      await runs.beat("one", 10_000);
      const first = await store.claim("a", "f", 40_000, undefined, "one");
      assert.ok(first.kind === "first");
      await runs.leave("one");
      assert.equal(await store.keep(first.lease, undefined, 40_000), true);

      assert.equal(await claim("two"), "kept");
    });

    test("are held for their whole time by a host that had no lease, and by a request without a host", async () => {
      const { claim, pass } = await begun();
      assert.equal(await claim("one"), "first");
      assert.equal(await claim("one"), "running");
      await pass(39_000);
      assert.equal(await claim(), "running");
      await pass(1001);
      assert.equal(await claim(), "first");
      await pass(39_000);

      assert.equal(await claim("one"), "running");
    });
  });

  describe(`idempotency keys in the tables of ${name}`, () => {
    test("are forgotten an hour after their time, a few at once", async () => {
      const database = await open();
      const store = new SqlIdempotency(database, plainCodec);
      const leases = [];
      for (let n = 0; n < 5; n += 1) {
        const claim = await store.claim(`left ${n}`, "f", 1000);
        assert.ok(claim.kind === "first");
        leases.push(claim.lease);
      }
      await store.claim("held", "f", 9_000_000);
      await passIn(database, 3_600_000);
      assert.equal(await store.forget(9), 0);
      assert.equal(
        await store.keep(leases[0] as (typeof leases)[0] & {}, undefined, 1),
        true,
        "a run that was late",
      );
      await passIn(database, 1000);

      assert.deepEqual([await store.forget(3), await store.forget(3), await store.forget(3)], [3, 1, 0]);
      assert.equal((await store.claim("held", "f", 1)).kind, "running");
    });

    test("pass answers and bodies through the codec", async () => {
      const database = await open();
      const seen: string[] = [];
      const store = new SqlIdempotency(database, {
        encode: (text) => ({ text: Buffer.from(text).toString("hex"), keyId: "k1" }),
        decode: (text, keyId) => {
          seen.push(String(keyId));
          return Buffer.from(text, "hex").toString();
        },
      });
      const claim = await store.claim("a", "f", 1000);
      assert.ok(claim.kind === "first");
      await store.keep(claim.lease, { status: 200, headers: "", body: Buffer.from("secret") }, 1000);
      const [row] = await database.read(`SELECT * FROM ${database.tables.idempotency}`, []);

      assert.doesNotMatch(JSON.stringify(row), /secret/);
      const kept = await store.claim("a", "f", 1000);
      assert.equal(kept.kind === "kept" && String(kept.answer?.body), "secret");
      assert.deepEqual(seen, ["k1"]);
    });
  });
}

keysIn("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => {
  keysIn("PostgreSQL", postgresDatabases());
});
