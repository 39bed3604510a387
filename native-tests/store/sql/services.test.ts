// Several services that share the tables of a database.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { FrameworkConfig, openStores, type Stores } from "framework";
import type { DeadLetter, RunEntry } from "framework/core";
import {
  deadLetterStoreContract,
  idempotencyStoreContract,
  lockProviderContract,
  runStoreContract,
  sessionStoreContract,
} from "framework/testing/contracts";
import { plainCodec } from "#core/ports/codec.js";
import { keysIn, locksIn, runsIn, sessionsIn } from "#store/in-service.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { Service } from "#store/sql/service.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { SqlDeadLetters } from "#store/sql/sql-dead-letters.js";
import { SqlIdempotency } from "#store/sql/sql-idempotency.js";
import { SqlLocks } from "#store/sql/sql-locks.js";
import { SqlSessions } from "#store/sql/sql-sessions.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { passIn, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const sqlite = sqliteDatabases();

/** A database whose plain keys are of another service. */
async function second(): Promise<{ readonly database: SqlDatabase; readonly service: Service }> {
  const database = await sqlite();
  await new Service(database, "first").enter();
  return { database, service: new Service(database, "second") };
}

const SECOND = "SQLite, as the second service";
runStoreContract(SECOND, async () => {
  const { database, service } = await second();
  return {
    store: runsIn(service, new SqlRuns(database, plainCodec, service)),
    pass: (ms) => passIn(database, ms),
  };
});
idempotencyStoreContract(SECOND, async () => {
  const { database, service } = await second();
  return {
    store: keysIn(service.keyOf, new SqlIdempotency(database, plainCodec, service.name)),
    pass: (ms) => passIn(database, ms),
  };
});
lockProviderContract(SECOND, async () => {
  const { database, service } = await second();
  return { locks: locksIn(service.keyOf, new SqlLocks(database)), pass: (ms) => passIn(database, ms) };
});
deadLetterStoreContract(SECOND, async () => {
  const { database, service } = await second();
  return new SqlDeadLetters(database, plainCodec, service);
});
sessionStoreContract(SECOND, async () => {
  const { database, service } = await second();
  const clock = { now: 1_700_000_000_000 };
  return {
    store: sessionsIn(service.keyOf, new SqlSessions(database, plainCodec, service)),
    now: () => clock.now,
    pass: (ms) => {
      clock.now += ms;
    },
  };
});

const begun = (axon = "Order"): RunEntry => ({
  ...{ kind: "begun", at: 5, axon, version: "1", node: "a", input: 1, bus: {}, jumps: 0 },
});
const letter: DeadLetter = {
  ...{ id: "a", kind: "step", axon: "Order", version: "1", node: "a", input: 1, error: "e" },
  ...{ timeline: undefined, failed_at: 1, attempts: 1, undone: [] },
};
const NOW = 1_700_000_000_000;
const session = {
  ...{ owner: "ann", identity: { subject: "ann", roles: [], claims: {} }, data: {}, version: 1 },
  ...{ csrfSecret: "s", createdAt: NOW, expiresAt: NOW + 9000, idleUntil: NOW + 9000 },
};
const ended: RunEntry = { kind: "ended", at: 6, output: 1 };

function services(store: string, urlOf: (place: string) => Promise<string>): void {
  const opened: Stores[] = [];
  after(async () => {
    for (const stores of opened) await stores.close();
  });
  const open = async (place: string, service?: string): Promise<Stores> => {
    const stores = openStores(await urlOf(place), service === undefined ? {} : { service });
    opened.push(stores);
    await stores.open();
    return stores;
  };
  const both = async (place: string): Promise<readonly [Stores, Stores]> => [
    await open(place, "orders"),
    await open(place, "billing"),
  ];
  const abandonedOf = async ({ runs }: Stores): Promise<readonly string[]> =>
    (await runs.unfinished({ abandoned: true, axons: [{ name: "Order", versions: ["1"] }] })).map(
      ({ id }) => id,
    );

  describe(`two services in one database of ${store}`, () => {
    test("have runs of the same ids and Axons, and take only their own", async () => {
      const stores = await both("runs");
      for (const [at, { runs }] of stores.entries()) {
        await runs.beat(`living ${at}`, 60_000);
        assert.equal(await runs.append("17", 0, [begun()], "gone"), true);
        await runs.append("18", 0, [begun()], "gone");
        await runs.append("18", 1, [ended], "gone");
      }
      const [orders, billing] = stores;
      await orders.runs.append("only", 0, [begun()], "gone");

      assert.deepEqual([await abandonedOf(orders), await abandonedOf(billing)], [["17", "only"], ["17"]]);
      const countOf = async ({ runs }: Stores) => (await runs.counted?.("r"))?.map(({ count }) => count);
      assert.deepEqual([await countOf(orders), await countOf(billing)], [[2], [1]]);
      await billing.runs.markUnfit?.("17", 1, { release: "r", reason: "no" });
      for (const [{ runs }, unfit] of [
        [orders, undefined],
        [billing, "no"],
      ] as const)
        assert.deepEqual(
          (await runs.unfinished({ id: "17" })).map((run) => [run.id, run.unfit]),
          [["17", unfit]],
        );
      assert.deepEqual(await billing.runs.read("only"), []);
      assert.equal(await billing.runs.append("only", 1, [ended], "b"), false);
      assert.equal(await billing.runs.remove("only"), false);
      assert.equal(await billing.runs.append("17", 1, [ended], "b"), true);
      assert.equal((await orders.runs.read("17")).length, 1);
      assert.equal(await billing.runs.forget(Number.MAX_SAFE_INTEGER, 10), 2);
      assert.equal((await orders.runs.read("18")).length, 2);
    });

    test("count the runs of one that no host serves, which would wait for ever", async () => {
      const [orders, billing] = await both("unserved");
      for (const { runs } of [orders, billing]) await runs.append("17", 0, [begun()], "gone");
      const counted = async () =>
        (await billing.runs.counted?.("r"))?.map(({ service, count, abandoned }) => [
          service,
          count,
          abandoned,
        ]);

      assert.deepEqual(await counted(), [
        [undefined, 1, 1],
        ["orders", 1, 1],
      ]);
      await orders.runs.beat("living", 60_000);
      assert.deepEqual(await counted(), [[undefined, 1, 1]]);
    });

    test("have keys, locks, letters and sessions of their own", async () => {
      const [orders, billing] = await both("others");
      const answers = [];
      for (const { idempotency, locks } of [orders, billing])
        answers.push([(await idempotency.claim("k", "f", 9000)).kind, (await locks.acquire("l", 9000))?.key]);
      assert.deepEqual(answers, [
        ["first", "l"],
        ["first", "l"],
      ]);
      await orders.deadLetters.send(letter);
      assert.deepEqual(await billing.deadLetters.list(), []);
      assert.equal(await billing.deadLetters.remove("a"), false);
      await orders.sessions.create("s", session, NOW);

      assert.equal((await billing.sessions.find("s", NOW)).kind, "unknown");
      assert.equal(await billing.sessions.destroyAll("ann", NOW), 0);
      assert.equal((await orders.sessions.find("s", NOW)).kind, "live");
    });

    test("exclude each other by a shared lock, and by none of their own of that name", async () => {
      const [orders, billing] = await both("locks");
      assert.equal((await orders.sharedLocks.acquire("nightly", 9000))?.key, "nightly");

      assert.equal(await billing.sharedLocks.acquire("nightly", 9000), undefined);
      assert.equal((await orders.locks.acquire("nightly", 9000))?.key, "nightly");
    });

    test("have names: a third without one is refused, with the remedy", async () => {
      await both("names");
      await assert.rejects(open("names"), {
        code: "CONFIG_INVALID",
        message: /these tables are of service 'orders'.*persistence\.service/,
      });
      assert.throws(() => openStores("memory:", { service: "a\u0000" }), { code: "CONFIG_INVALID" });
    });

    test("take runs that were begun without a service, if they have their Axon", async () => {
      const earlier = await open("earlier");
      await earlier.runs.append("before", 0, [begun()], "gone");
      await earlier.runs.append("over", 0, [begun()], "gone");
      await earlier.runs.append("over", 1, [ended], "gone");
      await open("earlier", "orders");
      const { runs, ...others } = await open("earlier", "billing");

      assert.equal((await runs.read("over")).length, 2);
      assert.equal(await runs.append("over", 0, [begun()], "b"), false);
      assert.deepEqual(await abandonedOf({ runs, ...others } as Stores), ["before"]);
      assert.equal((await runs.read("before")).length, 1);
      assert.equal(await runs.append("before", 1, [ended], "b"), true);
      assert.deepEqual(await earlier.runs.read("before"), [begun(), ended]);
    });

    test("of which the first keeps what was written without a service, other than runs", async () => {
      const earlier = await open("first");
      await earlier.idempotency.claim("k", "f", 9000);
      await earlier.deadLetters.send(letter);
      await earlier.sessions.create("s", session, NOW);
      const [orders, billing] = await both("first");

      const lettersOf = async ({ deadLetters }: Stores) => [
        (await deadLetters.list()).length,
        (await deadLetters.get("a"))?.id,
      ];
      assert.deepEqual(await lettersOf(billing), [0, undefined]);
      assert.deepEqual(await lettersOf(orders), [1, "a"]);
      assert.equal(await billing.sessions.destroyAll("ann", NOW), 0);
      assert.equal(await orders.sessions.destroyAll("ann", NOW), 1);

      assert.equal((await orders.idempotency.claim("k", "f", 9000)).kind, "running");
      assert.equal((await billing.idempotency.claim("k", "f", 9000)).kind, "first");
    });

    test("that open new tables at once are told apart", async () => {
      const stores = await Promise.all(["a", "b", "c"].map((service) => open("at-once", service)));
      for (const { runs } of stores) assert.equal(await runs.append("17", 0, [begun()], "x"), true);
    });
  });
}

const folder = mkdtempSync(join(tmpdir(), "services-"));
after(() => rmSync(folder, { recursive: true, force: true }));
test("a configuration names the service of its stores, by default as its traces do", async () => {
  const url = `sqlite:${join(folder, "config.db")}`;
  const begin = async (env: Record<string, string>): Promise<string> => {
    const stores = FrameworkConfig.load({ env: { FRAMEWORK_PERSISTENCE_URL: url, ...env } }).openStores();
    try {
      await stores.open();
      return String(await stores.runs.append("17", 0, [begun()], randomUUID()));
    } catch (error) {
      return (error as { readonly code: string }).code;
    } finally {
      await stores.close();
    }
  };

  assert.equal(await begin({ OTEL_SERVICE_NAME: "orders" }), "true");
  assert.equal(
    await begin({ OTEL_SERVICE_NAME: "orders-api", FRAMEWORK_PERSISTENCE_SERVICE: "orders" }),
    "false",
  );
  assert.equal(await begin({ OTEL_SERVICE_NAME: "billing" }), "true");
  assert.equal(await begin({}), "CONFIG_INVALID");
});
services("SQLite", async (place) => `sqlite:${join(folder, `${place}.db`)}`);

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => {
  const { url } = postgresDatabases();
  services("PostgreSQL", async (place) => `${await url()}?schema=${place.replace("-", "_")}`);
});
