import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { FrameworkConfig, openStores, type StoreAddresses, type Stores } from "framework";
import { freePort } from "../support/free-port.js";
import { until } from "../support/patience.js";
import { skipWithoutRedis } from "../support/redis-server.js";
import { oneRedis } from "../support/redis-stores.js";

const folder = mkdtempSync(join(tmpdir(), "addresses-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const database = `sqlite:${join(folder, "app.db")}`;
const redis = "redis://:hunter22@127.0.0.1:1/3?prefix=pre";
const limit = { capacity: 5, windowMs: 3_600_000, cost: 1 };

async function used({ rates, sessions, idempotency, locks }: Stores): Promise<void> {
  const identity = { id: "alice", roles: [] };
  const times = { createdAt: Date.now(), expiresAt: Date.now() + 60_000, idleUntil: Date.now() + 60_000 };
  const record = { owner: "o".repeat(43), identity, data: {}, version: 1, csrfSecret: "c".repeat(43) };
  await rates?.take("client", limit, 0);
  await sessions.create("s".repeat(43), { ...record, ...times } as never, Date.now());
  await idempotency.claim("k".repeat(43), "print", 60_000);
  await locks.acquire("lock", 60_000);
}

describe("stores of several addresses", () => {
  test("name each without its password, and open nothing", () => {
    const { shown } = openStores({ sql: database, redis });

    assert.equal(shown, `${database} and redis://[redacted]@127.0.0.1:1/3?prefix=pre`);
  });

  test("need a database, and an address for what is to be in Redis", () => {
    const cases = [
      [{ redis }, /openStores: sql is missing.*\{ sql: 'sqlite:app.db', redis \}/],
      [{ sql: database, rates: "redis" }, /rates is to be in Redis: give its address/],
      [{ sql: database, redis, locks: "memory" }, /openStores: locks is "sql" or "redis"/],
      [{ sql: database, redis, runs: "redis" }, /runs/],
      [{ sql: database, redis: "http://cache" }, /its redis is no redis:\/\//],
    ] as const;
    for (const [addresses, message] of cases)
      assert.throws(() => openStores(addresses as never), { code: "CONFIG_INVALID", message });
    assert.throws(() => openStores({ sql: database, redis }, { redisTimeoutMs: 0 }), {
      message: /redisTimeoutMs/,
    });
    assert.throws(() => openStores({ sql: database, redis }, { lockReplicas: -1 }), {
      message: /lockReplicas/,
    });
  });

  test("are erased wherever what a person left is kept", () => {
    const sinks = (places: Partial<StoreAddresses>) =>
      openStores({ sql: database, redis, ...places }).erasure?.sinks.map(({ name }) => name);
    const { erasure } = openStores(database);
    const ofDatabase = erasure?.sinks.map(({ name }) => name) ?? [];

    assert.deepEqual(sinks({}), [...ofDatabase, "sessions (redis)", "idempotency keys (redis)"]);
    assert.deepEqual(sinks({ sessions: "sql" }), [...ofDatabase, "idempotency keys (redis)"]);
  });

  test("have rates of all processes only where they are asked for", async () => {
    assert.equal(openStores(database).rates, undefined);
    assert.equal(openStores({ sql: database }).rates, undefined);

    const [one, other] = [1, 2].map(() => openStores({ sql: database, rates: "sql" }));
    const taken = [];
    for (const stores of [one, other, one])
      taken.push((await stores?.rates?.take("a", { ...limit, capacity: 2 }, 0))?.allowed);
    assert.deepEqual(taken, [true, true, false]);
    await Promise.all([one?.close(), other?.close()]);
  });

  test("say which of both cannot be opened, and are looked at where only Redis is away", async () => {
    const stores = openStores({ sql: database, redis: `redis://127.0.0.1:${await freePort()}` });

    await assert.rejects(stores.open(), { code: "STORE_UNAVAILABLE", message: /redis:\/\/127/ });
    await stores.look?.();
    await stores.check();
    await stores.close();
    await assert.rejects(stores.check(), { code: "STORE_UNAVAILABLE" });
  });

  test("are those of a configuration, with the name of the service", () => {
    const opened = (variables: Readonly<Record<string, string>>): Stores => {
      const env = { FRAMEWORK_PERSISTENCE_URL: "memory:", ...variables };
      return FrameworkConfig.load({ cwd: folder, env, terminal: false }).openStores();
    };
    const FRAMEWORK_REDIS_URL = "redis://127.0.0.1";

    assert.equal(opened({}).shown, "memory:");
    assert.equal(opened({ FRAMEWORK_REDIS_URL }).shown, "memory: and redis://127.0.0.1");
    assert.equal(opened({ FRAMEWORK_REDIS_URL }).sharedCheck?.critical, false);
    assert.equal(opened({ FRAMEWORK_REDIS_URL, FRAMEWORK_REDIS_READY: "true" }).sharedCheck?.critical, true);
    assert.throws(() => opened({ FRAMEWORK_REDIS_URL, FRAMEWORK_PERSISTENCE_SERVICE: "Shop" }), {
      message: /name of the service is no prefix/,
    });
  });
});

describe("stores of a configuration", () => {
  const env = { FRAMEWORK_PERSISTENCE_URL: database };
  const config = FrameworkConfig.load({ cwd: folder, env, terminal: false });

  test("have a place that the program names", () => {
    assert.equal(config.openStores().rates, undefined);
    assert.ok(config.openStores({ rates: "sql" }).rates);
  });

  test("have no place in a Redis that is not configured, and no address of the program", () => {
    assert.throws(() => config.openStores({ keys: "redis" }), { message: /keys is to be in Redis/ });
    const other = { redis: "redis://127.0.0.1" };
    assert.throws(() => config.openStores(other as object), { message: /'redis' is no option/ });
  });
});

describe("stores of a database and Redis", { skip: skipWithoutRedis }, () => {
  const server = oneRedis();

  test("acquire a lock only where replicas know of it, if these are asked for", async () => {
    const { url } = await server();
    const stores = openStores({ sql: "memory:", redis: `${url}?prefix=replicas` }, { lockReplicas: 1 });
    try {
      await stores.open();

      await assert.rejects(async () => stores.locks.acquire("lock", 60_000), { code: "STORE_UNAVAILABLE" });
      assert.equal((await stores.rates?.take("client", limit, 0))?.allowed, true);
    } finally {
      await stores.close();
    }
  });
  const kept = async (places: Partial<StoreAddresses>): Promise<readonly string[]> => {
    const { url, client } = await server();
    await client.flushall();
    const stores = openStores({ sql: "memory:", redis: url, ...places }, { service: "shop" });
    await stores.open();
    await used(stores);
    await stores.close();
    const kinds = (await client.keys("*")).map((key) => key.replace(/\{.*/, ""));
    return [...new Set(kinds)].sort();
  };

  test("keep in Redis what several processes share, under the name of the service", async () => {
    assert.deepEqual(await kept({}), [
      ...["shop:key:", "shop:lock:", "shop:owner:", "shop:rate:", "shop:session:"],
    ]);
  });

  test("keep in the database what is to be there", async () => {
    assert.deepEqual(await kept({ sessions: "sql", keys: "sql" }), ["shop:lock:", "shop:rate:"]);
    assert.deepEqual(await kept({ rates: "sql", locks: "sql" }), [
      ...["shop:key:", "shop:owner:", "shop:session:"],
    ]);
  });

  test("have event channels of all processes, and send what waits before they are closed", async () => {
    const { url } = await server();
    const [one, other] = [1, 2].map(() => openStores({ sql: "memory:", redis: url }));
    const heard: string[] = [];
    const event = { id: undefined, event: "message", topic: "", text: "data: hello\n\n" };
    one?.channels?.publish("news", event, 10);
    await one?.close();
    other?.channels?.follow("news", 10, {
      begun: (_, kept) => heard.push(...kept.map((entry) => entry.event.text)),
      event: (entry) => heard.push(entry.event.text),
      failed: () => {},
    });
    await until("the event arrives", () => heard.length > 0);
    await other?.close();

    assert.deepEqual(heard, [event.text]);
  });

  test("warn of a Redis that evicts, and are not opened where it keeps keys or locks", async () => {
    const { url, client } = await server();
    await client.config("SET", "maxmemory-policy", "allkeys-lru");
    const [free, bound] = [{ keys: "sql", locks: "sql" } as const, {}].map((places) =>
      openStores({ sql: "memory:", redis: url, ...places }),
    );
    await free?.open();
    await assert.rejects(async () => bound?.open(), { message: /evicts keys and locks/ });

    assert.deepEqual(free?.warnings(), [
      `${url}: its maxmemory-policy allkeys-lru evicts rates, sessions, rooms, channels where memory is short: set maxmemory-policy to noeviction`,
    ]);
    await client.config("SET", "maxmemory-policy", "noeviction");
    await Promise.all([free?.close(), bound?.close()]);
  });

  test("count failed calls by what they were for", async () => {
    const stores = openStores({ sql: "memory:", redis: `redis://127.0.0.1:${await freePort()}` });
    await assert.rejects(async () => stores.rates?.take("a", limit, 0), { code: "STORE_UNAVAILABLE" });
    await assert.rejects(async () => stores.locks.acquire("a", 1000), { code: "STORE_UNAVAILABLE" });
    await stores.close();

    assert.deepEqual(
      [...(stores.failures?.() ?? [])],
      [
        ["rates", 1],
        ["locks", 1],
      ],
    );
  });
});
