import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { plainCodec } from "#core/ports/codec.js";
import type { RunEntry } from "#core/ports/run-store.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { migrate, versionOf } from "#store/sql/migrations.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { tablesOf } from "#store/sql/tables.js";
import { SqliteDatabase, type SqliteOptions } from "#store/sqlite/sqlite-database.js";

const folder = mkdtempSync(join(tmpdir(), "sqlite-"));
const opened: SqlDatabase[] = [];
after(async () => {
  for (const database of opened) await database.close();
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);

function open(file: string, options: Partial<Pick<SqliteOptions, "autoMigrate" | "maxWalBytes">> = {}) {
  const database = new SqliteDatabase({ file, tables: tablesOf({}), ...options });
  opened.push(database);
  return { database, runs: new SqlRuns(database, plainCodec) };
}

const Libsql = createRequire(import.meta.url)("libsql");
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
const unavailable = (words: RegExp) => (error: Error & { readonly code?: string }) => {
  assert.equal(error.code, "STORE_UNAVAILABLE");
  assert.match(error.message, words);
  return true;
};

describe("a SQLite database", () => {
  test("touches no disk until its first call", async () => {
    const file = join(folder, "unused", "app.db");
    const { database } = open(file);
    assert.equal(existsSync(join(folder, "unused")), false);
    await database.open();

    assert.ok(existsSync(file));
  });

  test("makes its folder for its user alone, and its files too", async () => {
    const file = join(folder, "private", "app.db");
    const { runs } = open(file);
    await runs.append("a", 0, [begun]);

    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    assert.equal(modeOf(join(folder, "private")), "700");
    for (const path of [file, `${file}-wal`, `${file}-shm`]) assert.equal(modeOf(path), "600", path);
  });

  test("is not migrated by a process that looked before a newer release did", async () => {
    const { database } = open(newFile());
    await database.open();
    const { version } = database.tables;
    await database.write([{ sql: `UPDATE ${version} SET version = 99`, values: [] }]);
    let reads = 0;
    const late: Pick<SqlDatabase, "dialect" | "tables" | "read" | "write"> = {
      ...{ dialect: database.dialect, tables: database.tables, write: database.write },
      // What it found was that there are no tables.
      read: async (sql, values) => (reads++ === 0 ? [] : database.read(sql, values)),
    };

    await assert.rejects(migrate(late, { autoMigrate: true, shown: "late" }), { code: "STORE_VERSION" });
    assert.equal(await versionOf(database), 99);
  });

  test("commits to the disk: WAL, synchronous FULL", async () => {
    const { database } = open(newFile());
    // SQ1: what is answered is on the disk.
    const [journal] = await database.read("PRAGMA journal_mode", []);
    const [synchronous] = await database.read("PRAGMA synchronous", []);

    assert.deepEqual({ ...journal, ...synchronous }, { journal_mode: "wal", synchronous: 2 });
  });

  test("fails a bad call alone, not those of the same turn", async () => {
    const { database, runs } = open(newFile());
    // SQ2: the batch is undone, and each call runs again alone.
    const bad = database.write([
      { sql: `INSERT INTO ${database.tables.lock} (key) VALUES ($1)`, values: ["a"] },
    ]);
    const answers = await Promise.allSettled([
      runs.append("a", 0, [begun]),
      bad,
      runs.append("b", 0, [begun]),
    ]);

    assert.deepEqual(
      answers.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.equal((await runs.read("b")).length, 1);
  });

  test("undoes what a call did before one of its statements had to return a row and did not", async () => {
    const { database } = open(newFile());
    const { host } = database.tables;
    const insert = (id: string) => ({
      sql: `INSERT INTO ${host} (id, until, ttl) VALUES ($1, 1, 1) RETURNING id`,
      values: [id],
    });
    const none = {
      sql: `DELETE FROM ${host} WHERE id = 'none' RETURNING id`,
      values: [],
      must: true,
    } as const;
    const answers = await Promise.all([database.write([insert("a"), none]), database.write([insert("b")])]);

    assert.equal(answers[0], undefined);
    assert.deepEqual(await database.read(`SELECT id FROM ${host}`, []), [{ id: "b" }]);
  });

  test("names its file where the folder cannot be written, or a folder is in its place", async () => {
    mkdirSync(join(folder, "a-folder"));
    await assert.rejects(open(join(folder, "a-folder")).database.open(), unavailable(/a-folder.*EISDIR/));
    writeFileSync(join(folder, "a-file"), "");
    await assert.rejects(
      open(join(folder, "a-file", "app.db")).database.open(),
      unavailable(/a-file.*ENOTDIR|EEXIST/),
    );
  });

  test("says of a file that is no database what it is, and leaves it as it was", async () => {
    const file = newFile();
    writeFileSync(file, "not a database, but somebody's text\n".repeat(100));
    chmodSync(file, 0o644);
    const before = readFileSync(file, "utf8");

    await assert.rejects(open(file).database.open(), unavailable(/not a database/));
    assert.equal(readFileSync(file, "utf8"), before);
    assert.equal(statSync(file).mode & 0o777, 0o644);
  });

  test("is found wanting once its file is deleted or replaced", async () => {
    const file = newFile();
    const { database } = open(file);
    await database.open();
    await database.check();
    renameSync(file, `${file}.moved`);
    await assert.rejects(database.check(), unavailable(/deleted or replaced/));
    writeFileSync(file, "");
    await assert.rejects(database.check(), unavailable(/deleted or replaced/));
    renameSync(`${file}.moved`, file);

    await database.check();
  });

  test("is told apart where a newer release made its tables", async () => {
    const file = newFile();
    const { database } = open(file);
    await database.open();
    await database.write([{ sql: "UPDATE version SET version = 99", values: [] }]);

    await assert.rejects(open(file).database.open(), (error: Error & { code?: string }) => {
      assert.equal(error.code, "STORE_VERSION");
      assert.match(error.message, /version 99, .* \d+: use the release that made them/);
      return true;
    });
  });

  test("is left alone without auto_migrate, with the command that migrates it", async () => {
    const file = newFile();
    await assert.rejects(open(file, { autoMigrate: false }).database.open(), /run "framework store migrate"/);
    await open(file).database.open();

    await open(file, { autoMigrate: false }).database.open();
  });

  test("waits in its thread for a lock that another process holds, and the loop turns meanwhile", async () => {
    const file = newFile();
    const { database, runs } = open(file);
    await database.open();
    const other = new Libsql(file);
    other.exec("BEGIN IMMEDIATE");
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
      if (turns === 20) other.exec("COMMIT");
    }, 5);
    const appended = await runs.append("a", 0, [begun]);
    clearInterval(turning);
    other.close();

    assert.equal(appended, true);
    assert.ok(turns >= 20);
  });

  test("has an append of a full disk rejected, keeps the rest, and goes on when there is room", async () => {
    const file = newFile();
    const { database, runs } = open(file);
    await runs.append("a", 0, [begun]);
    const [{ page_count: pages } = {}] = await database.read("PRAGMA page_count", []);
    await database.read(`PRAGMA max_page_count = ${Number(pages)}`, []);
    const large = { ...begun, input: "x".repeat(100_000) } as RunEntry;

    await assert.rejects(async () => runs.append("b", 0, [large]), unavailable(/full/));
    assert.equal((await runs.read("a")).length, 1);
    await database.read("PRAGMA max_page_count = 1000000", []);
    assert.equal(await runs.append("b", 0, [large]), true);
  });

  test("bounds its write-ahead log, and answers while a long reader keeps it from doing so", async () => {
    const maxWalBytes = 400_000;
    const file = newFile();
    const { runs, database } = open(file, { maxWalBytes });
    const input = "x".repeat(50_000);
    let appended = 0;
    const walAfter = async (appends: number): Promise<number> => {
      for (let n = 0; n < appends; n += 1)
        assert.ok(await runs.append(`${appended++}`, 0, [{ ...begun, input }]));
      // SQ3: it is cut behind the answer.
      await database.read("SELECT 1", []);
      return statSync(`${file}-wal`).size;
    };
    assert.ok((await walAfter(30)) <= maxWalBytes + 100_000);
    const reader = new Libsql(file);
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM run").all([]);
    assert.ok((await walAfter(100)) > 5_000_000);
    reader.exec("COMMIT");
    reader.close();

    // Fewer bytes than lead to the next checkpoint of its own.
    assert.ok((await walAfter(4)) <= maxWalBytes);
    assert.equal((await runs.unfinished({ limit: 1000 })).length, 134);
  });

  test("rejects each call once it is closed, after those that came before", async () => {
    const { database, runs } = open(newFile());
    const last = runs.append("a", 0, [begun]);
    await new Promise((done) => setImmediate(done));
    await database.close();

    assert.equal(await last, true);
    await assert.rejects(async () => runs.read("a"), unavailable(/closed/));
  });

  test("has no deleted text in its files once it is compacted", async () => {
    const file = newFile();
    const { database, runs } = open(file);
    const deleted = `deleted ${"x".repeat(20_000)}`;
    await runs.append("a", 0, [{ ...begun, input: deleted }]);
    await runs.append("b", 0, [{ ...begun, input: "kept" }]);
    await runs.remove("a");
    const has = (text: string) => [file, `${file}-wal`].some((path) => readFileSync(path).includes(text));
    assert.ok(has("deleted xxx"));
    const writes = Promise.all([runs.append("c", 0, [begun]), runs.append("d", 0, [begun])]);
    const compacted = await database.compact();
    await writes;

    assert.deepEqual(compacted, { isDone: true, left: [] });
    assert.deepEqual([has("deleted"), has("xxxx"), has("kept")], [false, false, true]);
    assert.equal((await runs.read("d")).length, 1);
  });

  test("says that a reader keeps old texts", async () => {
    const file = newFile();
    const { database, runs } = open(file);
    await runs.append("a", 0, [begun]);
    const reader = new Libsql(file);
    reader.exec("BEGIN");
    reader.prepare("SELECT * FROM run").all();
    await runs.remove("a");
    await database.write([{ sql: "PRAGMA busy_timeout = 10", values: [] }]);
    const { isDone, left } = await database.compact();
    reader.exec("COMMIT");
    reader.close();

    assert.equal(isDone, false);
    assert.match(left.join(), /another process reads it/);
    assert.equal((await database.compact()).isDone, true);
  });
});
