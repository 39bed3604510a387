// Servers that take no writes any more, that cannot be reached, and processes that are halted.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, before, describe, test } from "node:test";

import { PostgresDatabase } from "#store/postgres/postgres-database.js";
import { tablesOf } from "#store/sql/tables.js";
import { type PostgresServer, skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";

const unavailable = (message: RegExp) => ({ code: "STORE_UNAVAILABLE", message });
const schema = "shop";

describe("a PostgreSQL store of several hosts", { skip: skipWithoutPostgres }, () => {
  let first: PostgresServer;
  let second: PostgresServer;
  const opened: PostgresDatabase[] = [];
  before(async () => {
    first = await startPostgres();
    second = await startPostgres();
  });
  after(async () => {
    for (const database of opened) await database.close();
    await first.stop();
    await second.stop();
  });

  function open(urls: readonly string[], now?: () => number): PostgresDatabase {
    const database = new PostgresDatabase({
      ...{ urls, shown: "postgres://test", schema, tables: tablesOf({ schema }), ssl: false },
      ...(now !== undefined && { now }),
    });
    opened.push(database);
    return database;
  }
  const beat = (database: PostgresDatabase, id: string) =>
    database.write([
      { sql: `INSERT INTO ${database.tables.host} (id, until, ttl) VALUES ($1, 0, 0)`, values: [id] },
    ]);
  const hostsOf = async (server: PostgresServer): Promise<unknown[]> => {
    const database = open([server.url]);
    return (await database.read(`SELECT id FROM ${database.tables.host} ORDER BY id`, [])).map(
      ({ id }) => id,
    );
  };

  test("goes on at the next host when a server takes no writes any more, and its connections are left", async () => {
    await open([second.url]).open();
    const database = open([first.url, second.url]);
    await beat(database, "one");
    // Several connections of the pool.
    const portsOf = async () => {
      const asked = [1, 2, 3].map(() => database.read("SELECT inet_server_port() AS port", []));
      return new Set((await Promise.all(asked)).map(([row]) => String(row?.["port"])));
    };
    assert.deepEqual(await portsOf(), new Set([new URL(first.url).port]));
    await first.readOnly(true);
    try {
      await assert.rejects(
        async () => {
          for (let n = 0; n < 1000; n += 1) await beat(database, `until it is seen ${n}`);
        },
        unavailable(/read-only transaction/),
      );
      // PC1: one refusal is enough for all connections.
      await database.check();
      assert.deepEqual(await portsOf(), new Set([new URL(second.url).port]));
      await beat(database, "two");
      await database.lease({
        ...{ sql: `DELETE FROM ${database.tables.host} WHERE id LIKE 'until%'`, values: [] },
      });
      assert.deepEqual(await hostsOf(second), ["two"]);
    } finally {
      await first.readOnly(false);
    }
  });

  test("says which server takes no writes where none does", async () => {
    await second.demote();
    const { host } = new URL(second.url);

    await assert.rejects(
      open([second.url]).open(),
      unavailable(new RegExp(`${host} takes no writes: it is a standby`)),
    );
    const database = open([second.url, first.url]);
    await beat(database, "three");
    assert.ok((await hostsOf(first)).includes("three"));
  });

  test("rejects its check while its server takes no writes, and is well again behind it", async () => {
    const database = open([first.url]);
    await database.check();
    await first.readOnly(true);
    await assert.rejects(
      async () => {
        for (let n = 0; n < 1000; n += 1) await database.check();
      },
      unavailable(/takes no writes/),
    );
    await first.readOnly(false);
    let isWell = false;
    while (!isWell)
      isWell = await database.check().then(
        () => true,
        () => false,
      );
  });

  test("is asked for once a second while it cannot be reached, and rejects at once meanwhile", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const clock = { now: 0 };
    const database = open([`postgres://app@127.0.0.1:${port}/app`], () => clock.now);
    const ask = () => assert.rejects(database.read("SELECT 1", []), unavailable(/terminated|ECONNRESET/));
    await ask();
    // PC3: nothing was tried again.
    for (let n = 0; n < 20; n += 1) await ask();
    assert.equal(connections, 1);
    clock.now = 1000;
    await ask();
    await ask();

    assert.equal(connections, 2);
    server.close();
  });

  test("ends transactions of a process that is halted before those that wait for its locks give up", async () => {
    const database = open([first.url]);
    const [row] = await database.read(
      `SELECT current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('lock_timeout') AS lock`,
      [],
    );

    assert.deepEqual(row, { idle: "4s", lock: "6s" });
  });

  test("says what settings with which answered writes can be lost cost", async () => {
    const database = open([first.url]);
    await database.open();

    // Servers of tests have fsync off.
    assert.equal(database.warnings().length, 1);
    assert.match(database.warnings()[0] ?? "", /fsync is off: a power cut can destroy the database/);
  });
});
