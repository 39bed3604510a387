import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { openStores } from "framework";
import { Pool } from "pg";

import { PostgresDatabase } from "#store/postgres/postgres-database.js";
import { tablesOf } from "#store/sql/tables.js";
import { skipWithout } from "../../support/debian-program.js";
import { startPgBouncer } from "../../support/pgbouncer.js";
import { type PostgresServer, skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";

describe("a PostgreSQL store behind PgBouncer", {
  skip: skipWithoutPostgres || skipWithout("pgbouncer"),
}, () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  const refused = {
    code: "STORE_UNAVAILABLE",
    message: /for one transaction.*use pool_mode = session, or the address of the server/,
  };

  for (const [name, ...settings] of [
    ["transaction mode", "pool_mode = transaction"],
    ["transaction mode with one connection", "pool_mode = transaction", "default_pool_size = 1"],
    [
      "transaction mode with connections in turns",
      "pool_mode = transaction",
      "server_round_robin = 1",
      "min_pool_size = 5",
    ],
  ] as const)
    test(`is refused in ${name}, before it makes tables`, async () => {
      const bouncer = await startPgBouncer(server.url, settings);
      const schema = `refused_${name.replaceAll(" ", "_")}`.slice(0, 41);
      const stores = openStores(`${bouncer.url}?schema=${schema}`);
      try {
        for (let round = 0; round < 5; round += 1) await assert.rejects(stores.open(), refused);
        const direct = new PostgresDatabase({
          ...{ urls: [server.url], shown: "", schema: "s", tables: tablesOf({ schema: "s" }), ssl: false },
        });
        const found = await direct.read("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
        await direct.close();
        assert.deepEqual(found, []);
      } finally {
        await stores.close();
        await bouncer.stop();
      }
    });

  test("is refused in transaction mode while other programs use its connections", async () => {
    const bouncer = await startPgBouncer(server.url, ["pool_mode = transaction", "default_pool_size = 8"]);
    const others = new Pool({ connectionString: bouncer.url, max: 6 });
    let isBusy = true;
    const busy = Array.from({ length: 6 }, async () => {
      while (isBusy) await others.query("SELECT 1");
    });
    const stores = openStores(bouncer.url);
    try {
      for (let round = 0; round < 20; round += 1) await assert.rejects(stores.open(), refused);
    } finally {
      isBusy = false;
      await Promise.all(busy);
      await others.end();
      await stores.close();
      await bouncer.stop();
    }
  });

  test("is refused where it gives fewer connections than a process needs", async () => {
    const bouncer = await startPgBouncer(server.url, [
      ...["pool_mode = session", "default_pool_size = 3", "query_wait_timeout = 1"],
    ]);
    const stores = openStores(bouncer.url);
    try {
      await assert.rejects(stores.open(), {
        ...{ code: "STORE_UNAVAILABLE", message: /gives 3 connections at once, and a process needs 7/ },
      });
    } finally {
      await stores.close();
      await bouncer.stop();
    }
  });

  test("works in session mode", async () => {
    const bouncer = await startPgBouncer(server.url, ["pool_mode = session"]);
    const schema = "through";
    const database = new PostgresDatabase({
      ...{ urls: [bouncer.url], shown: "", schema, tables: tablesOf({ schema }), ssl: false },
    });
    try {
      const [row] = await database.read("SHOW statement_timeout", []);
      assert.equal(row?.["statement_timeout"], "10s");
      const stores = openStores(`${bouncer.url}?schema=${schema}`);
      await stores.runs.append("a", 0, [
        { kind: "begun", at: 1, axon: "orders", version: "1", node: "orders/1", input: 1, bus: {}, jumps: 0 },
      ]);
      assert.equal((await stores.runs.read("a")).length, 1);
      await stores.close();
    } finally {
      await database.close();
      await bouncer.stop();
    }
  });
});
