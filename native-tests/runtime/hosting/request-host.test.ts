import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { plainCodec } from "#core/ports/codec.js";
import { hearRequests } from "#runtime/hosting/host-requests.js";
import { RequestHost } from "#runtime/hosting/request-host.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { SqlRequests } from "#store/sql/sql-requests.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const LEASE_MS = 30_000;

const contract = (where: string, open: OpenDatabase): void => {
  describe(`the host of a process without kept runs in ${where}`, () => {
    test("hears a request after a beat", async () => {
      const database = await open();
      const requests = new SqlRequests(database, plainCodec);
      const clock = new ManualClock();
      const reporter = () => {};
      const host = new RequestHost({
        ...{ store: new SqlRuns(database, plainCodec), leaseMs: LEASE_MS, clock, reporter },
      });
      const errand = { fits: async () => true, run: async () => ({ forgotten: 3 }) };
      hearRequests(host, requests, {
        ...{ errands: new Map([["forget-subject", errand]]), mayBegin: () => true, reporter },
      });
      await host.begin();
      await requests.ask(
        { id: "1", kind: "forget-subject", target: "17", host: host.id, by: "ann" },
        LEASE_MS,
      );
      while ((await requests.state("1"))?.kind === "open") await clock.advance(LEASE_MS / 3);

      assert.deepEqual(await requests.state("1"), {
        ...{ kind: "answered", host: host.id, answer: { forgotten: 3 } },
      });
      await host.leave();
      assert.equal(clock.timers, 0);
    });

    test("removes the leases of earlier ones", async () => {
      const database = await open();
      const hostOf = () =>
        new RequestHost({
          ...{ store: new SqlRuns(database, plainCodec), leaseMs: LEASE_MS },
          ...{ clock: new ManualClock(), reporter: () => {} },
        });
      const [earlier, own] = [hostOf(), hostOf()];
      await earlier.begin();
      await earlier.leave();
      await own.begin();

      const rows = await database.read(`SELECT id FROM ${database.tables.host}`, []);

      assert.deepEqual(
        rows.map(({ id }) => id),
        [own.id],
      );
      await own.leave();
    });
  });
};

contract("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => contract("PostgreSQL", postgresDatabases()));
