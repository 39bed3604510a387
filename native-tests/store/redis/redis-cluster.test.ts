import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import {
  idempotencyStoreContract,
  lockProviderContract,
  rateLimitStoreContract,
  sessionStoreContract,
} from "framework/testing/contracts";
import { plainCodec } from "#core/ports/codec.js";
import { hashed, type RedisConnection } from "#store/redis/redis-connection.js";
import { RedisIdempotency } from "#store/redis/redis-idempotency.js";
import { RedisLocks } from "#store/redis/redis-locks.js";
import { RedisRates } from "#store/redis/redis-rates.js";
import { RedisSessions } from "#store/redis/redis-sessions.js";
import { passIn } from "../../support/opened-redis.js";
import { until } from "../../support/patience.js";
import { type RedisCluster, startRedisCluster, startSentinel } from "../../support/redis-cluster.js";
import { type RedisServer, skipWithoutRedis } from "../../support/redis-server.js";
import { redisConnection, stoppedClock } from "../../support/redis-stores.js";

const LIMIT = { capacity: 10, windowMs: 3_600_000, cost: 1 };

const NOW = Date.now();
const sessionOf = (owner: string) => ({
  ...{ owner, identity: { subject: owner, roles: [], claims: {} }, data: {}, version: 1, csrfSecret: "s" },
  ...{ createdAt: NOW, expiresAt: NOW + 3_600_000, idleUntil: NOW + 3_600_000 },
});

/** Begins sessions of which one is ended, and keeps a response. Returns what finds them again. */
async function begun(redis: RedisConnection) {
  const sessions = new RedisSessions(redis, plainCodec);
  const keys = new RedisIdempotency(redis, plainCodec);
  await sessions.create("ann's", sessionOf("ann"), NOW);
  await sessions.create("bob's", sessionOf("bob"), NOW);
  await sessions.destroyAll("bob", NOW);
  const claim = await keys.claim("key", "print", 60_000, "ann");
  assert.ok(claim.kind === "first");
  await keys.keep(claim.lease, undefined, 3_600_000);
  return async () => [
    (await sessions.find("ann's", NOW)).kind,
    (await sessions.find("bob's", NOW)).kind,
    (await keys.claim("key", "print", 60_000)).kind,
    await sessions.destroyAll("ann", NOW),
  ];
}

/** Takes six of ten tokens and holds two locks, fails the master over by `fail`, and looks what is left. */
async function failOver(redis: RedisConnection, written: () => Promise<unknown>, fail: () => Promise<void>) {
  const [rates, locks] = [new RedisRates(redis), new RedisLocks(redis)];
  for (let n = 0; n < 6; n += 1) await rates.take("a", LIMIT, 0);
  const lease = await locks.acquire("a", 3_600_000);
  assert.ok(lease);
  const found = await begun(redis);
  await written();
  await fail();
  await until(
    "it is promoted",
    async () => (await redis.check().catch((error: Error) => error)) === undefined,
  );
  await until("the locks answer", async () =>
    locks.renew(lease, 3_600_000).then(
      () => true,
      () => false,
    ),
  );
  let admitted = 0;
  await until("the bucket answers, and is empty", async () => {
    const verdict = await Promise.resolve(rates.take("a", LIMIT, 0)).catch(() => undefined);
    if (verdict?.allowed === true) admitted += 1;
    return verdict?.allowed === false;
  });

  assert.equal(admitted, 4);
  assert.deepEqual(await found(), ["live", "unknown", "kept", 1]);
  assert.equal(await locks.acquire("a", 3_600_000), undefined);
  assert.equal(await locks.release(lease), true);
  const next = await locks.acquire("a", 3_600_000);
  assert.ok(next && next.token > lease.token);
}

/** What was written before is replicated once this is: a server replicates in order. */
const isReplicated = async ({ client }: RedisServer): Promise<void> => {
  await until("the replica has it", async () => {
    await client.call("PING");
    return (await client.wait(1, 1000)) === 1;
  });
};

describe("a cluster of Redis", { skip: skipWithoutRedis }, () => {
  let cluster: RedisCluster;
  before(async () => {
    cluster = await startRedisCluster();
  });
  after(() => cluster.stop());

  rateLimitStoreContract("a cluster of Redis", () => {
    const { redis, now, pass } = stoppedClock(redisConnection(cluster.url));
    return { store: new RedisRates(redis), now, pass };
  });
  lockProviderContract("a cluster of Redis", () => {
    const connection = redisConnection(cluster.url);
    const prefix = connection.keyOf("lock", "").slice(0, -2);
    const pass = async (ms: number): Promise<void> => {
      for (const { client } of cluster.masters)
        for (const key of await client.keys(`${prefix}*`))
          await client.pexpire(key, (await client.pttl(key)) - ms);
    };
    return { locks: new RedisLocks(connection), pass };
  });

  const prefixOf = (connection: RedisConnection) => connection.keyOf("", "").slice(0, -4);
  sessionStoreContract("a cluster of Redis", () => {
    const connection = redisConnection(cluster.url);
    const clock = { now: NOW };
    const pass = async (ms: number): Promise<void> => {
      clock.now += ms;
      await passIn(cluster.masters, prefixOf(connection), ms);
    };
    return { store: new RedisSessions(connection, plainCodec), now: () => clock.now, pass };
  });
  idempotencyStoreContract("a cluster of Redis", () => {
    const connection = redisConnection(cluster.url);
    const pass = (ms: number) => passIn(cluster.masters, prefixOf(connection), ms, ["u"]);
    return { store: new RedisIdempotency(connection, plainCodec), pass };
  });

  test("gives a lock only once as many replicas know of it as are asked for", async () => {
    const enough = new RedisLocks(redisConnection(cluster.url), 1);
    const connection = redisConnection(cluster.url, { timeoutMs: 400 });
    const [more, plain] = [new RedisLocks(connection, 2), new RedisLocks(connection)];

    assert.ok(await enough.acquire("a", 60_000));
    await assert.rejects(more.acquire("b", 60_000), { code: "STORE_UNAVAILABLE" });
    assert.ok(await plain.acquire("b", 60_000), "it was given back");
  });

  test("is refused with a node that evicts", async (context) => {
    const [, second] = cluster.masters as readonly [RedisServer, RedisServer];
    await second.client.config("SET", "maxmemory-policy", "allkeys-lru");
    context.after(() => second.client.config("SET", "maxmemory-policy", "noeviction"));

    await assert.rejects(redisConnection(cluster.url).open(), {
      code: "STORE_UNAVAILABLE",
      message: /evicts/,
    });
  });

  test("keeps what it has through the promotion of a replica", async () => {
    const redis = redisConnection(cluster.url, { timeoutMs: 500 });
    await redis.open();
    // The bucket and the lock have one tag.
    const owner = await cluster.masterOf(redis.keyOf("rate", hashed("a")));
    const written = () => Promise.all(cluster.masters.map(isReplicated));

    await failOver(redis, written, owner.kill);
  });
});

describe("a master that sentinels know", { skip: skipWithoutRedis }, () => {
  test("is followed to its replica, with what it had", async (context) => {
    const { url, master, stop } = await startSentinel();
    context.after(stop);
    const redis = redisConnection(url, { timeoutMs: 500 });
    await redis.open();

    await failOver(redis, () => isReplicated(master), master.kill);
  });
});
