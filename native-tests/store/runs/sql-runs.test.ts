import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type OpenedRuns, runStoreContract } from "framework/testing/contracts";
import type { Codec } from "#core/ports/codec.js";
import { plainCodec } from "#core/ports/codec.js";
import type { RunStateName } from "#core/ports/run-state.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { beginning } from "../../support/hosts.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, passIn, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const opened = async (database: SqlDatabase): Promise<OpenedRuns> => ({
  store: new SqlRuns(database, plainCodec),
  pass: (ms) => passIn(database, ms),
});

const reversed: Codec = {
  encode: (text) => ({ text: [...text].reverse().join(""), keyId: "k" }),
  decode: (text, keyId) => (keyId === "k" ? [...text].reverse().join("") : text),
};

function runsIn(name: string, open: OpenDatabase): void {
  runStoreContract(name, async () => opened(await open()));

  test(`${name}: a wait that an earlier release wrote by a clock ahead of the database's is over`, async () => {
    const database = await open();
    const store = new SqlRuns(database, plainCodec);
    for (const id of ["far", "near"]) await store.append(id, 0, [beginning("sums")], "gone");
    const wait = (id: string, ms: number) => ({
      sql: `UPDATE ${database.tables.run} SET retry_at = ${database.dialect.now} + $2 WHERE id = $1`,
      values: [id, ms],
    });
    await database.write([wait("far", 7_200_000), wait("near", 200_000)]);

    assert.deepEqual(
      (await store.unfinished({ abandoned: true })).map(({ id }) => id),
      ["far"],
    );
  });

  test(`${name}: a run that is removed or forgotten leaves no row in any table`, async () => {
    const database = await open();
    const store = new SqlRuns(database, plainCodec);
    for (const id of ["removed", "forgotten"])
      await store.append(id, 0, [{ ...beginning("sums"), labels: { order: id } }]);
    await store.append("forgotten", 1, [{ kind: "ended", at: 1 }]);
    await store.remove("removed");
    await store.forget(Date.now() + 1000, 10);

    for (const table of ["run", "run_part", "run_label"] as const)
      assert.deepEqual(await database.read(`SELECT * FROM ${database.tables[table]}`, []), [], table);
  });

  test(`${name}: the outcome of a run that an earlier release ended is that of its last part`, async () => {
    const database = await open();
    const store = new SqlRuns(database, plainCodec);
    for (const id of ["done", "failed"]) await store.append(id, 0, [beginning("sums")]);
    await store.append("done", 1, [{ kind: "ended", at: 1 }]);
    await store.append("failed", 1, [{ kind: "ended", at: 1, error: "late" }]);
    await database.write([{ sql: `UPDATE ${database.tables.run} SET outcome = NULL`, values: [] }]);
    const ids = async (...states: RunStateName[]) =>
      (await store.list({ states, limit: 9 })).map(({ id }) => id);

    assert.deepEqual(await ids("completed"), ["done"]);
    assert.deepEqual(await ids("failed", "running"), ["failed"]);
    assert.deepEqual(await ids("cancelled"), []);
  });

  test(`${name}: why a run is unfit passes the codec, and is left out where it cannot be decoded`, async () => {
    const database = await open();
    const store = new SqlRuns(database, reversed);
    await store.append("run", 0, [beginning("sums")], "gone");
    await store.markUnfit("run", 1, { release: "one", reason: "no node of Ada" });
    const rows = await database.read(`SELECT unfit FROM ${database.tables.run}`, []);
    assert.doesNotMatch(JSON.stringify(rows), /Ada/);
    assert.equal((await store.unfinished())[0]?.unfit, "no node of Ada");
    await database.write([{ sql: `UPDATE ${database.tables.run} SET unfit = 'x'`, values: [] }]);

    assert.equal((await store.unfinished())[0]?.unfit, "the reason cannot be decoded");
  });
}

const sqlite = sqliteDatabases();
runsIn("SQLite", sqlite);
describe("PostgreSQL", { skip: skipWithoutPostgres }, () => runsIn("PostgreSQL", postgresDatabases()));

// PostgreSQL has no NULL in a primary key.
test("SQLite: a host without an id hides no abandoned run", async () => {
  const database = await sqlite();
  const store = new SqlRuns(database, plainCodec);
  await store.append("run", 0, [beginning("sums")], "gone");
  const { dialect, tables } = database;
  await database.write([
    {
      sql: `INSERT INTO ${tables.host} (id, until, ttl) VALUES (NULL, ${dialect.now} + 1000000, 1000000)`,
      values: [],
    },
  ]);

  assert.equal((await store.unfinished({ abandoned: true })).length, 1);
});
