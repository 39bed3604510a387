import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainCodec } from "#core/ports/codec.js";
import type { RunStore } from "#core/ports/run-store.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { hold } from "../../support/hold.js";
import { adding, beginning, hosts } from "../../support/hosts.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const LEASE_MS = 900;

/** Resolves once the lease of the host was extended by the store itself. */
async function extendedByItself({ read, tables }: SqlDatabase, host: string): Promise<void> {
  const until = async () =>
    (await read(`SELECT until FROM ${tables.host} WHERE id = $1`, [host]))[0]?.["until"];
  const before = await until();
  while ((await until()) === before) await new Promise((next) => setTimeout(next, 5));
}

function standingLeases(name: string, open: OpenDatabase): void {
  describe(`the lease of a host in ${name}`, () => {
    /** Its clock stands still: as where a step holds up the loop, nothing in it beats. */
    async function held(maxSilenceMs: number) {
      const database = await open();
      const { clock, host, reports } = hosts();
      const store = new SqlRuns(database, plainCodec);
      const one = host([adding(store, [])], { leaseMs: LEASE_MS, maxSilenceMs });
      await one.begin();
      await store.append("run", 0, [beginning("sums")], one.id);
      const beat = one.heartbeat.beat.bind(one.heartbeat);
      let beats = 0;
      one.heartbeat.after.push(async () => {
        beats += 1;
      });
      await clock.advance(LEASE_MS / 3 + 1);
      while (beats === 0) await new Promise(setImmediate);
      const abandoned = async () => (await store.unfinished({ abandoned: true })).map(({ id }) => id);
      return { database, one, beat, abandoned, reports };
    }

    test("is extended while a step holds up the event loop for longer than a lease", async () => {
      const { database, one, abandoned, reports } = await held(60_000);
      await extendedByItself(database, one.id);
      hold(LEASE_MS + 200);
      assert.deepEqual(await abandoned(), []);
      await one.leave();

      assert.deepEqual(await abandoned(), ["run"], "and ends when the host leaves");
      assert.deepEqual(reports, []);
    });

    test("is not extended for longer than maxSilenceMs without a sign of the event loop", async () => {
      const { one, beat, abandoned } = await held(0);
      await beat();
      hold(LEASE_MS + 200);
      assert.deepEqual(await abandoned(), ["run"]);
      await one.leave();
    });
  });
}

standingLeases("SQLite", sqliteDatabases());
describe("in PostgreSQL", { skip: skipWithoutPostgres }, () =>
  standingLeases("PostgreSQL", postgresDatabases()),
);

test("a thread that extends leases and fails ends nothing but itself, and is reported", async () => {
  const { runs, clock, host, reports } = hosts();
  const failing: RunStore["holdLease"] = (_host, _ttlMs, { failed }) => {
    failed(new Error("no thread"));
    return { sign: () => {}, end: () => {} };
  };
  const one = host([adding({ ...runs, holdLease: failing }, [])], { leaseMs: LEASE_MS });
  await one.begin();
  await clock.advance(3 * LEASE_MS);
  await one.leave();

  assert.deepEqual(
    reports.map(({ code }) => code),
    ["RUN_HOST_FAILED"],
  );
});
