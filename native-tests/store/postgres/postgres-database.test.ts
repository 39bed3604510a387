import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import pg from "pg";
import { plainCodec } from "#core/ports/codec.js";
import type { RunEntry } from "#core/ports/run-store.js";
import { PostgresDatabase } from "#store/postgres/postgres-database.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { tablesOf } from "#store/sql/tables.js";
import { until } from "../../support/patience.js";
import { type PostgresServer, skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";

const begun: RunEntry = {
  kind: "begun",
  at: 1,
  axon: "orders",
  version: "1.0.0",
  node: "orders/1",
  input: 1,
  bus: {},
  jumps: 0,
};
const ended: RunEntry = { kind: "ended", at: 2, output: "done" };
const unavailable = { code: "STORE_UNAVAILABLE" } as const;

describe("a PostgreSQL database", { skip: skipWithoutPostgres }, () => {
  let server: PostgresServer;
  const opened: SqlDatabase[] = [];
  before(async () => {
    server = await startPostgres();
  });
  after(async () => {
    for (const database of opened) await database.close();
    await server.stop();
  });

  let schemas = 0;
  function open({
    schema = `s${++schemas}`,
    url = server.url,
    autoMigrate = true,
    now = () => performance.now(),
  } = {}) {
    const where = { urls: [url], shown: url, schema, tables: tablesOf({ schema }) };
    const database = new PostgresDatabase({ ...where, ssl: false, autoMigrate, now });
    opened.push(database);
    return { database, schema, runs: new SqlRuns(database, plainCodec) };
  }

  test("commits to the disk: synchronous_commit on", async () => {
    const [row] = await open().database.read("SHOW synchronous_commit", []);

    assert.equal(row?.["synchronous_commit"], "on");
  });

  test("is opened by many at once, and has its tables once", async () => {
    const schema = "many";
    const all = Array.from({ length: 8 }, () => open({ schema }));
    await Promise.all(all.map(({ database }) => database.open()));

    const { database } = open({ schema });
    const [row] = await database.read(`SELECT count(*) AS rows FROM "many"."version"`, []);
    assert.equal(row?.["rows"], 1);
  });

  test("is left alone without auto_migrate, with the command that migrates it", async () => {
    const { database, schema } = open({ autoMigrate: false });
    await assert.rejects(database.open(), /run "framework store migrate"/);
    await open({ schema }).database.open();

    await open({ schema, autoMigrate: false }).database.open();
  });

  test("names the server that it does not reach", async () => {
    const { runs } = open({ url: "postgres://postgres@127.0.0.1:1/postgres" });

    await assert.rejects(async () => runs.append("a", 0, [begun]), {
      ...unavailable,
      message: /127\.0\.0\.1:1.*ECONNREFUSED/,
    });
  });

  test("fails an append with a value that it cannot hold alone, not those of the same turn", async () => {
    const { runs } = open();
    const bad = { ...begun, axon: "a\0b" } as RunEntry;
    // PG2: each of the statement runs alone then.
    const answers = await Promise.allSettled([
      runs.append("a", 0, [begun]),
      runs.append("bad", 0, [bad]),
      runs.append("b", 0, [begun]),
    ]);

    assert.deepEqual(
      answers.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
  });

  // PG3: each goes alone, or with few others.
  test("keeps large logs that are appended at once", async () => {
    const { runs } = open();
    const large = { ...begun, input: "x".repeat(700_000) } as RunEntry;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => runs.append(`large ${at}`, 0, [large])),
    );

    assert.deepEqual(new Set(answers), new Set([true]));
    assert.deepEqual(await runs.read("large 19"), [large]);
  });

  test("keeps the order of appends of one run that are asked for at once", async () => {
    const { runs } = open();
    await runs.append("a", 0, [begun]);
    // PG1: each statement has one append of a run.
    const answers = await Promise.all([1, 1, 2, 2].map((known) => runs.append("a", known, [ended])));

    assert.deepEqual(answers, [true, false, true, false]);
  });

  test("loses no answered append when its connections are cut under load, and goes on", async () => {
    const { runs, database } = open();
    const { database: other } = open();
    await other.open();
    const answered: string[] = [];
    let failed = 0;
    let isCutting = true;
    const cutting = (async () => {
      for (let n = 0; n < 20; n += 1) {
        await other.read(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE 'WITH a AS%'",
          [],
        );
        const until = answered.length + 30;
        while (answered.length < until) await new Promise((done) => setImmediate(done));
      }
      isCutting = false;
    })();
    await Promise.all(
      Array.from({ length: 20 }, async (_, worker) => {
        for (let n = 0; isCutting; n += 1) {
          const id = `${worker}-${n}`;
          const isKept = await Promise.resolve(runs.append(id, 0, [begun], "host")).catch(() => undefined);
          if (isKept === undefined) failed += 1;
          // The same host asks again: what was kept after all is its own.
          if (isKept ?? (await Promise.resolve(runs.append(id, 0, [begun], "host")).catch(() => false)))
            answered.push(id);
        }
      }),
    );
    await cutting;
    const kept = await database.read(`SELECT id FROM ${database.tables.run}`, []);

    const ids = new Set(kept.map(({ id }) => id));
    assert.ok(answered.every((id) => ids.has(id)));
    assert.ok(failed > 0, "connections were cut");
    assert.ok(answered.length > 100);
  });

  test("rejects a transaction whose connection is cut between two statements, and goes on", async () => {
    const { database } = open();
    const cut = { sql: "SELECT pg_terminate_backend(pg_backend_pid())", values: [] };

    await assert.rejects(database.write([cut, cut]), unavailable);
    assert.deepEqual(await database.read("SELECT 1 AS found", []), [{ found: 1 }]);
  });

  test("rejects calls while its server is gone, and answers again once it is back", async () => {
    const clock = { now: 0 };
    const { runs } = open({ now: () => clock.now });
    await runs.append("a", 0, [begun]);
    server.process.kill("SIGQUIT");
    await assert.rejects(async () => {
      for (let n = 0; n < 100; n += 1) await runs.append(`gone ${n}`, 0, [begun]);
    }, unavailable);
    await assert.rejects(async () => runs.read("a"), unavailable);
    await server.restart();
    // PC2: the next call connects anew, once a second has passed since the last try.
    clock.now = 1000;

    assert.equal(await runs.append("a", 1, [ended]), true);
    assert.equal((await runs.read("a")).length, 2);
  });

  test("rejects each call once it is closed, after those that came before", async () => {
    const { database, runs } = open();
    await database.open();
    const last = runs.append("a", 0, [begun]);
    await new Promise((done) => setImmediate(done));
    await database.close();

    assert.equal(await last, true);
    await assert.rejects(async () => runs.read("a"), { ...unavailable, message: /closed/ });
  });

  test("has no deleted row in its tables once it is compacted, but what an open transaction sees", async () => {
    const { database, runs, schema } = open();
    await runs.append("a", 0, [{ ...begun, input: "deleted" }]);
    const reader = new pg.Client({ connectionString: server.url });
    await reader.connect();
    await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await reader.query("SELECT txid_current()");
    await runs.remove("a");
    const before = await database.compact();
    await reader.query("COMMIT");
    await reader.end();
    let after = await database.compact();
    // PostgreSQL's own work sees old rows, too: its analysis of tables, for one.
    await until("no transaction sees old rows", async () => {
      if (!after.isDone) after = await database.compact();
      return after.isDone;
    });
    const [size] = await database.read(
      `SELECT pg_relation_size('${schema}.run') + pg_relation_size('${schema}.run_part') AS bytes`,
      [],
    );

    assert.equal(before.isDone, false);
    assert.match(before.left.join(), /"run_part": 1 old rows are seen by a transaction/);
    assert.deepEqual([after.isDone, after.left.length, Number(size?.["bytes"])], [true, 1, 0]);
    assert.equal((await database.read("SHOW statement_timeout", []))[0]?.["statement_timeout"], "10s");
  });

  test("rejects where a table of another role cannot be compacted", async () => {
    const { database, schema } = open();
    await database.open();
    const other = new pg.Client({ connectionString: server.url });
    await other.connect();
    await other.query(`CREATE ROLE small LOGIN; GRANT ALL ON SCHEMA ${schema} TO small`);
    await other.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO small`);
    await other.end();
    const url = new URL(server.url);
    url.username = "small";
    const small = open({ schema, url: url.href });

    await assert.rejects(small.database.compact(), { ...unavailable, message: /VACUUM .*version/ });
  });
});
