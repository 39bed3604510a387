import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sessionStoreContract } from "framework/testing/contracts";
import { Client } from "pg";
import { plainCodec } from "#core/ports/codec.js";
import { SqlSessions } from "#store/sql/sql-sessions.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const START = 1_700_000_000_000;

const recordOf = (owner: string) => ({
  ...{ owner, identity: { subject: owner, roles: [], claims: {} }, data: {}, version: 1 },
  ...{ csrfSecret: "s", createdAt: START, expiresAt: START + 9000.5, idleUntil: START + 5000 },
});

function sessionsIn(name: string, open: OpenDatabase): void {
  sessionStoreContract(name, async () => {
    const clock = { now: START };
    return {
      store: new SqlSessions(await open(), plainCodec),
      now: () => clock.now,
      pass: (ms) => {
        clock.now += ms;
      },
    };
  });

  describe(`sessions of several processes in ${name}`, () => {
    test("end by destroyAll whichever process rotates or replaces them meanwhile", async () => {
      const processes = [await open("sessions"), await open("sessions")].map(
        (database) => new SqlSessions(database, plainCodec),
      );
      const [one, other] = processes as [SqlSessions, SqlSessions];
      for (let round = 0; round < 10; round += 1) {
        const key = (what: string) => `${what}-${round}`;
        for (const what of ["a", "b", "c"]) await one.create(key(what), recordOf("ann"), START);
        const [moved, , ended] = await Promise.all([
          one.rotate(key("a"), key("a2"), recordOf("ann"), START),
          one.create(key("b2"), recordOf("ann"), START, key("b")),
          other.destroyAll("ann", START),
        ]);
        const kindOf = async (what: string) => (await other.find(key(what), START)).kind;

        for (const what of ["a", "a2", "b", "c"]) assert.notEqual(await kindOf(what), "live", what);
        assert.equal(await kindOf("a"), moved === undefined ? "unknown" : "replaced");
        // Three, whether b2 took the place of b before or came after all had ended.
        assert.equal(ended, 3);
        await other.destroyAll("ann", START);
      }
    });

    test("are not deadlocked by those that clean up and destroy at once", async () => {
      const processes = [await open("cleaned"), await open("cleaned")].map(
        (database) => new SqlSessions(database, plainCodec),
      );
      for (let round = 0; round < 10; round += 1) {
        for (let n = 0; n < 12; n += 1)
          await processes[n % 2]?.create(`${round}-${n}`, recordOf("ann"), START + (n % 3));
        const calls = processes.flatMap((store) => [
          store.cleanUp(8, START + 5000),
          store.destroyAll("ann", START),
          store.cleanUp(8, START + 5000),
        ]);
        await Promise.all(calls);
      }
    });
  });

  describe(`sessions in the tables of ${name}`, () => {
    test("end with the millisecond in which their token ends", async () => {
      const store = new SqlSessions(await open(), plainCodec);
      await store.create("a", recordOf("ann"), START);
      await store.touch("a", START + 99_000, START);

      assert.equal((await store.find("a", START + 8999)).kind, "live");
      assert.equal((await store.find("a", START + 9000)).kind, "expired");
    });

    test("pass login and data through the codec, each with its own key", async () => {
      const database = await open();
      let keys = 0;
      const store = new SqlSessions(database, {
        encode: (text) => {
          keys += 1;
          return { text: Buffer.from(`${keys} ${text}`).toString("hex"), keyId: String(keys) };
        },
        decode: (text, keyId) => {
          const [key, plain] = Buffer.from(text, "hex").toString().split(/ (.*)/s);
          assert.equal(key, keyId);
          return plain as string;
        },
      });
      await store.create("a", recordOf("ann"), START);
      await store.update("a", 1, { secret: "cart" }, START, recordOf("ann"));
      const moved = await store.rotate("a", "b", { ...recordOf("ann"), csrfSecret: "secret" }, START);
      const rows = await database.read(`SELECT * FROM ${database.tables.session}`, []);

      assert.doesNotMatch(JSON.stringify(rows), /secret/);
      assert.deepEqual([moved?.data, moved?.csrfSecret], [{ secret: "cart" }, "secret"]);
      assert.deepEqual(await store.find("b", START), { kind: "live", record: moved });
    });
  });
}

sessionsIn("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => {
  const open = postgresDatabases();
  sessionsIn("PostgreSQL", open);

  /** A session whose row another transaction holds, until `free`. */
  const heldRow = async (held: string) => {
    const database = await open();
    const store = new SqlSessions(database, plainCodec);
    for (const key of ["a", "b", "c"]) await store.create(key, recordOf("ann"), START);
    const client = new Client({ connectionString: await open.url() });
    await client.connect();
    await client.query("BEGIN");
    await client.query(`SELECT key FROM ${database.tables.session} WHERE key = $1 FOR UPDATE`, [held]);
    const waiting = async (): Promise<number> => {
      const { rows } = await client.query("SELECT count(*) FROM pg_locks WHERE NOT granted");
      return Number(rows[0].count);
    };
    const free = async (): Promise<void> => {
      await client.query("COMMIT");
      await client.end();
    };
    return { store, waiting, free };
  };

  test("destroyAll waits for a session that is about to be added, and ends it", async () => {
    const { store, waiting, free } = await heldRow("b");
    const created = store.create("b2", recordOf("ann"), START, "b");
    while ((await waiting()) < 1);
    const ended = store.destroyAll("ann", START);
    while ((await waiting()) < 2);
    await free();

    assert.equal(await created, "created");
    assert.equal(await ended, 3);
    assert.equal((await store.find("b2", START)).kind, "unknown");
  });

  test("cleanUp leaves rows that another transaction holds for the next call", async () => {
    const { store, free } = await heldRow("b");

    assert.equal(await store.cleanUp(10, START + 5000), 2);
    await free();
    assert.equal(await store.cleanUp(10, START + 5000), 1);
  });
});
