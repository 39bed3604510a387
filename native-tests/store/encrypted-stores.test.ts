import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import {
  deadLetterStoreContract,
  idempotencyStoreContract,
  runStoreContract,
  sessionStoreContract,
} from "framework/testing/contracts";

import { EncryptionHook } from "#compliance/encryption/encryption-hook.js";
import type { MasterKeys } from "#compliance/encryption/master-keys.js";
import { plainCodec } from "#core/ports/codec.js";
import { encryptStore } from "#store/encrypt-store.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { TEXT_COLUMNS } from "#store/sql/places.js";
import type { SqlDatabase, SqlValue } from "#store/sql/sql-database.js";
import { SqlDeadLetters } from "#store/sql/sql-dead-letters.js";
import { SqlIdempotency } from "#store/sql/sql-idempotency.js";
import { SqlRequests } from "#store/sql/sql-requests.js";
import { SqlSessions } from "#store/sql/sql-sessions.js";
import { tablesOf } from "#store/sql/tables.js";
import { SqliteDatabase } from "#store/sqlite/sqlite-database.js";
import { allTexts, begun, textStores } from "../support/kept-texts.js";
import { skipWithoutPostgres } from "../support/postgres-server.js";
import { passIn, postgresDatabases } from "../support/sql-stores.js";

/** The first id is the current one. */
const keysOf = (...ids: readonly string[]): MasterKeys => ({
  current: ids[0] as string,
  keys: Object.fromEntries(ids.map((id) => [id, new Uint8Array(32).fill(Number(id))])),
});
const hookOf = (...ids: readonly string[]) => new EncryptionHook({ keys: () => keysOf(...ids) });

interface Opened {
  readonly database: SqlDatabase;
  readonly url: string;
  /** Texts of its files. */
  readonly files: () => string;
}

function encrypted(name: string, open: () => Promise<Opened>): void {
  let previous: SqlDatabase | undefined;
  const opened = async () => {
    // A server has few connections.
    await previous?.close();
    const { database } = await open();
    previous = database;
    const codec = hookOf("1");
    await codec.open();
    return { database, codec };
  };
  runStoreContract(`${name}, encrypted`, async () => {
    const { database, codec } = await opened();
    return { store: new SqlRuns(database, codec), pass: (ms: number) => passIn(database, ms) };
  });
  deadLetterStoreContract(`${name}, encrypted`, async () => {
    const { database, codec } = await opened();
    return new SqlDeadLetters(database, codec);
  });
  sessionStoreContract(`${name}, encrypted`, async () => {
    const { database, codec } = await opened();
    const clock = { now: 1_700_000_000_000 };
    return {
      ...{ store: new SqlSessions(database, codec), now: () => clock.now },
      pass: (ms) => {
        clock.now += ms;
      },
    };
  });
  idempotencyStoreContract(`${name}, encrypted`, async () => {
    const { database, codec } = await opened();
    return { store: new SqlIdempotency(database, codec), pass: (ms) => passIn(database, ms) };
  });

  describe(`an encrypted store in ${name}`, () => {
    test("has no text of an application in its tables and files, and reads none that was changed or moved", async () => {
      const { database, files } = await open();
      const { fill, reads } = textStores(database, hookOf("1"));
      for (const id of ["one", "other"]) await fill(id);
      const texts = `${await allTexts(database)}${files()}`;
      for (const secret of ["migraine", "hash-of-ann"]) assert.ok(!texts.includes(secret), secret);
      assert.ok(texts.includes("visits"), "names of Axons are plain");

      for (const { table, column, keyId = column } of TEXT_COLUMNS) {
        const read = reads[`${table}.${column}`];
        assert.ok(read, `a row for ${table}.${column}`);
        const isOpen = /^run(_label)?$/.test(table) || (table === "request" && column !== "answer");
        const [id, other] = isOpen ? ["open-one", "open-other"] : ["one", "other"];
        const t = database.tables;
        const key = { session: "key", idempotency: "key", subject_key: "pseudonym" }[table as string] ?? "id";
        const rowOf: Readonly<Record<string, string>> = {
          ...{ run_part: "known = 0", run_label: "name = 'note'", run_signal: "number = 1" },
        };
        const where = (of: string) =>
          rowOf[table] !== undefined
            ? `run = (SELECT seq FROM ${t.run} WHERE id = '${of}') AND ${rowOf[table]}`
            : `${key} = '${of}'`;
        const kept = async (of: string) => {
          const [row] = await database.read(
            `SELECT ${column} AS kept FROM ${t[table]} WHERE ${where(of)}`,
            [],
          );
          return String(row?.["kept"]);
        };
        const set = (text: string, keyIdIs?: SqlValue) =>
          database.write([
            { sql: `UPDATE ${t[table]} SET ${column} = $1 WHERE ${where(id as string)}`, values: [text] },
            ...(keyIdIs === undefined
              ? []
              : [
                  {
                    sql: `UPDATE ${t[table]} SET ${keyId} = $1 WHERE ${where(id as string)}`,
                    values: [keyIdIs],
                  },
                ]),
          ]);
        assert.match(JSON.stringify(await read(id as string)), /migraine/, `${table}.${column}`);
        const text = await kept(id as string);
        const flipped = `${text.slice(0, 40)}${text[40] === "A" ? "B" : "A"}${text.slice(41)}`;
        const cases: [string, string, SqlValue?][] = [
          ["flipped", flipped],
          ["moved", await kept(other as string)],
        ];
        if (keyId !== column) cases.push(["without its key id", text, null]);
        for (const [what, changed, keyIdIs] of cases) {
          await set(changed, keyIdIs);
          const said = await read(id as string).then(
            JSON.stringify,
            (error) => `${error.message} ${error.cause?.message}`,
          );

          assert.ok(!said.includes("migraine"), `${table}.${column} ${what}: ${said}`);
          assert.match(
            said,
            table === "run" || table === "run_label"
              ? /cannot be decoded/
              : new RegExp(`table ${table}, ${column} of .*: it was changed or moved`),
            `${table}.${column} ${what}`,
          );
          await set(text, keyId === column ? undefined : "1");
        }
      }
    });

    test("has no request to a host that holds up others because its reason or payload is damaged", async () => {
      const { database } = await open();
      const codec = hookOf("1");
      await codec.open();
      const requests = new SqlRequests(database, codec);
      for (const id of ["damaged", "whole"])
        await requests.ask(
          { id, kind: "resume", target: "run", host: "a", by: "ann", reason: id, payload: [id] },
          60_000,
        );
      const damage = `reason = '["x","1"]', payload = '["x","1"]'`;
      const sql = `UPDATE ${database.tables.request} SET ${damage} WHERE id = 'damaged'`;
      await database.write([{ sql, values: [] }]);

      const [damaged, whole] = await requests.open("a", 10);

      assert.match(damaged?.reason ?? "", /not readable: table request, reason of "damaged"/);
      assert.match(String(damaged?.payload), /not readable: table request, payload of "damaged"/);
      assert.deepEqual([whole?.reason, whole?.payload], ["whole", ["whole"]]);
    });

    test("is rewritten to the current key from plain rows and rows of an older key, texts and subjects", async () => {
      const { database, url, files } = await open();
      await textStores(database, plainCodec).fill("plain");
      await textStores(database, hookOf("1")).fill("old");
      const current = textStores(database, hookOf("2", "1"));
      await current.fill("new");
      const labelled = async () =>
        (await current.runs.unfinished({ label: { name: "note", value: "migraine" } })).map(({ id }) => id);
      assert.deepEqual(await labelled(), ["open-plain", "open-old", "open-new"]);
      const progress: string[] = [];
      const done = await encryptStore(url, hookOf("2", "1"), {
        onProgress: ({ table }) => progress.push(table),
      });
      const [after, again] = [await allTexts(database), await encryptStore(url, hookOf("2", "1"))];
      await database.compact();

      assert.deepEqual([done.plain, done.left, done.byKey.get("1")], [0, [], 0]);
      // Of three fills alike, two were rewritten.
      assert.equal(done.rewritten, ((done.byKey.get("2") ?? 0) / 3) * 2);
      assert.equal(again.rewritten, 0);
      assert.ok(progress.includes("run_part"));
      for (const plain of ["migraine", "hash-of-ann", "keyed:1:", '"key_id":"1"', '\\"1\\"]'])
        assert.ok(!after.includes(plain), plain);
      assert.ok(!files().includes("migraine"));
      assert.deepEqual(await labelled(), ["open-plain", "open-old", "open-new"]);
      for (const id of ["plain", "old", "new"])
        for (const [column, read] of Object.entries(current.reads)) {
          const of = /^run(_label)?\./.test(column) ? `open-${id}` : id;
          assert.match(JSON.stringify(await read(of)), /migraine/, `${column} of ${of}`);
        }
      assert.equal(await current.sessions.destroyAll("hash-of-ann", 1_700_000_000_000), 3);
    });

    test("has rows that cannot be decoded named and left", async () => {
      const { database, url } = await open();
      await textStores(database, hookOf("1")).fill("a");
      await textStores(database, hookOf("3")).fill("b");
      await database.write([
        { sql: `UPDATE ${database.tables.run} SET cancel = 'migraine' WHERE id = 'open-a'`, values: [] },
      ]);
      const { byKey, left, plain } = await encryptStore(url, hookOf("2", "1"));

      assert.deepEqual([byKey.get("1"), (byKey.get("3") ?? 0) > 5, plain], [0, true, 1]);
      const said = left.join("\n");
      assert.match(
        said,
        /table run_part, entries of "0 b": encrypted under key '3': the provider has no such key/,
      );
      assert.match(said, /run\.cancel of seq .*it was changed/);
      assert.doesNotMatch(said, /migraine/);
    });

    test("keeps what another process writes while it is rewritten", async () => {
      const { database, url } = await open();
      await textStores(database, hookOf("1")).fill("a");
      const ids = Array.from({ length: 120 }, (_, at) => `run-${at}`);
      const { runs: writer } = textStores(database, await openedHook("1"));
      const rewriting = encryptStore(url, hookOf("2", "1"));
      for (const id of ids) {
        await writer.append(id, 0, [begun], "h");
        assert.equal(await writer.append(id, 1, [{ kind: "ended", at: 2, output: id }], "h"), true);
      }
      await rewriting;
      await encryptStore(url, hookOf("2", "1"));
      const reader = new SqlRuns(database, await openedHook("2"));

      for (const id of ids) assert.equal((await reader.read(id)).length, 2, id);
    });
  });
}

async function openedHook(...ids: readonly string[]): Promise<EncryptionHook> {
  const hook = hookOf(...ids);
  await hook.open();
  return hook;
}

const folder = mkdtempSync(join(tmpdir(), "encrypted-"));
const opened: SqlDatabase[] = [];
after(async () => {
  for (const database of opened) await database.close();
  rmSync(folder, { recursive: true, force: true });
});
encrypted("SQLite", async () => {
  const file = join(folder, `${opened.length}.db`);
  const database = new SqliteDatabase({ file, tables: tablesOf({}) });
  opened.push(database);
  const files = () =>
    [file, `${file}-wal`, `${file}-shm`]
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, "latin1"))
      .join("\n");
  return { database, url: `sqlite:${file}`, files };
});

describe("encrypted stores in PostgreSQL", { skip: skipWithoutPostgres }, () => {
  const open = postgresDatabases();
  let places = 0;
  encrypted("PostgreSQL", async () => {
    const place = `e${++places}`;
    const url = `${await open.url()}?schema=s${place}`;
    return { database: await open(place), url, files: () => "" };
  });
});
