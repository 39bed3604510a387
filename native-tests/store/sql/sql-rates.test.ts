import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { rateLimitStoreContract } from "framework/testing/contracts";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { SqlRates } from "#store/sql/sql-rates.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { RateModel } from "../../support/rate-model.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const TEN = { capacity: 10, windowMs: 1000, cost: 1 };
/** No token comes back within a test. */
const HUNDRED = { capacity: 100, windowMs: 1_000_000_000, cost: 1 };

/** The clock of its tables is a row, which a test moves. */
async function clocked(opened: SqlDatabase) {
  const clock = opened.tables.rate.replace('rate"', 'clock"');
  const now = `(SELECT at FROM ${clock})`;
  const database: SqlDatabase = { ...opened, dialect: { ...opened.dialect, now } };
  const write = (sql: string, values: readonly number[] = []) => opened.write([{ sql, values }]);
  await opened.open();
  await write(`CREATE TABLE ${clock} (at bigint NOT NULL)`);
  await write(`INSERT INTO ${clock} VALUES ($1)`, [Date.now()]);
  return {
    database,
    pass: async (ms: number) => void (await write(`UPDATE ${clock} SET at = at + $1`, [ms])),
  };
}

function ratesIn(name: string, open: OpenDatabase): void {
  rateLimitStoreContract(name, async () => {
    const { database, pass } = await clocked(await open());
    return { store: new SqlRates(database), now: () => 0, pass };
  });

  describe(`rates of several processes in ${name}`, () => {
    // SR1: whatever two of them see of a bucket.
    test("admit as many as one bucket holds while four hammer it", async () => {
      const processes = await Promise.all(
        Array.from({ length: 4 }, async () => new SqlRates(await open("hammered"))),
      );
      const taken = await Promise.all(
        processes.flatMap((rates) => Array.from({ length: 100 }, () => rates.take("a", HUNDRED, 0))),
      );

      assert.equal(taken.filter(({ allowed }) => allowed).length, 100);
      assert.deepEqual(
        taken.filter(({ allowed, retryAfterMs }) => !allowed && retryAfterMs <= 0),
        [],
      );
    });

    // SR1 with chunks: a bucket that has fewer tokens than a chunk gives all of them.
    test("admit no more where each takes several at once, and lose only what is held", async () => {
      const open8 = Array.from({ length: 4 }, async () => new SqlRates(await open("chunks")));
      const processes = await Promise.all(open8);
      const limit = { ...HUNDRED, chunk: 8 };
      const taken = await Promise.all(
        processes.flatMap((rates) => Array.from({ length: 100 }, () => rates.take("a", limit, 0))),
      );

      const admitted = taken.filter(({ allowed }) => allowed).length;
      assert.ok(admitted <= 100 && admitted > 100 - 4 * 8, String(admitted));
    });

    test("write once for a chunk, and give the rest of a bucket", async () => {
      const database = await open("writes");
      let writes = 0;
      const counted: SqlDatabase = {
        ...{ dialect: database.dialect, tables: database.tables, read: database.read },
        write: (statements) => {
          writes += 1;
          return database.write(statements);
        },
      } as SqlDatabase;
      const rates = new SqlRates(counted);
      const limit = { ...HUNDRED, capacity: 10, chunk: 4 };
      const allowed: boolean[] = [];
      for (let n = 0; n < 12; n += 1) allowed.push((await rates.take("a", limit, 0)).allowed);

      assert.deepEqual(allowed, [...Array(10).fill(true), false, false]);
      // 4 and 4; then 4 is too many, and 2 are left; the eleventh is refused, and the twelfth by its answer.
      assert.equal(writes, 6);
    });

    test("are of each service by itself", async () => {
      const [shop, bank] = [await open("services"), await open("services")];
      const one = { ...HUNDRED, capacity: 1 };
      const takes = [new SqlRates(shop, "shop"), new SqlRates(bank, "bank"), new SqlRates(bank, "shop")];

      const allowed: boolean[] = [];
      for (const rates of takes) allowed.push((await rates.take("a", one, 0)).allowed);
      assert.deepEqual(allowed, [true, true, false]);
    });
  });

  describe(`rates in the tables of ${name}`, () => {
    test("give the verdicts of a bucket in big integers", async () => {
      const { database, pass } = await clocked(await open());
      const rates = new SqlRates(database);
      const limit = { capacity: 7, windowMs: 1013 };
      const model = new RateModel({ ...limit, maxClients: 9, onFull: "refuse" });
      let ms = 0;
      for (let turn = 0; turn < 150; turn += 1) {
        const [key, cost, wait] = [`client ${turn % 2}`, 1 + ((turn * 5) % 4), (turn * 131) % 300];
        await pass(wait);
        ms += wait;

        assert.deepEqual(
          await rates.take(key, { ...limit, cost }, 0),
          model.take(key, cost, ms),
          `turn ${turn}`,
        );
      }
    });

    test("count rates whose numbers are beyond 2^53 at this time of the world", async () => {
      const { database } = await clocked(await open());
      const rates = new SqlRates(database);
      const limit = { capacity: 10_007, windowMs: 1_000_003, cost: 1 };
      const first = await rates.take("a", limit, 0);
      const second = await rates.take("a", { ...limit, cost: 10_006 }, 0);

      assert.deepEqual([first.remaining, second.remaining, second.resetMs], [10_006, 0, 1_000_003]);
      assert.equal((await rates.take("a", limit, 0)).retryAfterMs, 100);
    });

    test("are full within two windows after the clock was set back, however far", async () => {
      const { database, pass } = await clocked(await open());
      const rates = new SqlRates(database);
      const all = { ...TEN, cost: 10 };
      const told: unknown[] = [];
      for (const setBack of [400, 1600, 3_600_000]) {
        await rates.take(`by ${setBack}`, all, 0);
        await pass(-setBack);
        const { allowed, resetMs } = await rates.take(`by ${setBack}`, all, 0);
        told.push([allowed, resetMs]);
      }

      assert.deepEqual(told, [
        [false, 1400],
        [true, 1000],
        [true, 1000],
      ]);
    });

    // SR2: of twelve buckets eleven are full again.
    test("forget buckets that are full, and no other, a few at a time", async () => {
      const { database, pass } = await clocked(await open());
      const rates = new SqlRates(database);
      const count = async () => (await database.read(`SELECT key FROM ${database.tables.rate}`, [])).length;
      for (let n = 0; n < 11; n += 1) await rates.take(`client ${n}`, TEN, 0);
      await rates.take("a", { ...TEN, cost: 10 }, 0);
      await pass(100);

      const deleted: number[] = [];
      while ((await count()) > 1) deleted.push(await rates.forget(4));
      assert.ok(Math.max(...deleted) <= 4, String(deleted));
      assert.equal((await rates.take("a", { ...TEN, cost: 2 }, 0)).allowed, false, "it has one token");
    });

    test("have no name of a client", async () => {
      const database = await open();
      await new SqlRates(database, "shop").take("guard 10.0.0.7", TEN, 0);
      const [row] = await database.read(`SELECT key FROM ${database.tables.rate}`, []);

      assert.match(String(row?.["key"]), /^[\w-]{43}$/);
    });
  });
}

ratesIn("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => {
  ratesIn("PostgreSQL", postgresDatabases());
});
