import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { lockProviderContract } from "framework/testing/contracts";
import { RedisLocks } from "#store/redis/redis-locks.js";
import { until } from "../../support/patience.js";
import { skipWithoutRedis } from "../../support/redis-server.js";
import { oneRedis, redisConnection, stoppedClock } from "../../support/redis-stores.js";

describe("locks in Redis", { skip: skipWithoutRedis }, () => {
  const server = oneRedis();
  /** What is kept until a time is kept until then less `ms`. */
  const passIn = async (prefix: string, ms: number): Promise<void> => {
    const { client } = await server();
    for (const key of await client.keys(`${prefix}*`)) {
      const left = await client.pttl(key);
      await client.pexpire(key, left - ms);
    }
  };
  lockProviderContract("Redis", async () => {
    const connection = redisConnection((await server()).url);
    return {
      locks: new RedisLocks(connection),
      pass: (ms) => passIn(connection.keyOf("lock", "").slice(0, -2), ms),
    };
  });

  test("go to one of many processes that ask at once, with tokens that grow", async () => {
    const { url } = await server();
    const processes = [1, 2].map(() => new RedisLocks(redisConnection(url, {}, "locks")));
    let last = 0;
    for (let round = 0; round < 20; round += 1) {
      const asked = processes.flatMap((locks) => Array.from({ length: 4 }, () => locks.acquire("a", 60_000)));
      const [lease, ...others] = (await Promise.all(asked)).filter((found) => found !== undefined);

      assert.deepEqual(others, []);
      assert.ok(lease && lease.token > last, `${lease?.token} after ${last}`);
      last = lease.token;
      assert.equal(await processes[round % 2]?.release(lease), true, "whichever process releases it");
    }
  });

  test("have tokens that grow though the server's clock stands still or is set back", async () => {
    const { redis, pass } = stoppedClock(redisConnection((await server()).url));
    const locks = new RedisLocks(redis);
    const tokens: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const lease = await locks.acquire("a", 60_000);
      assert.ok(lease);
      tokens.push(lease.token);
      await locks.release(lease);
      if (n === 2) pass(-10_000);
    }

    assert.deepEqual(
      tokens,
      tokens.map((_, n) => (tokens[0] as number) + n),
    );
  });

  test("have tokens that grow though the server's data was lost", async () => {
    const { client, url } = await server();
    const locks = new RedisLocks(redisConnection(url));
    const first = await locks.acquire("a", 60_000);
    const [seconds, micros] = (await client.time()).map(Number) as [number, number];
    await until("the server's clock is ahead of the token", async () => {
      const [at, part] = (await client.time()).map(Number) as [number, number];
      return at * 1000 + Math.floor(part / 1000) > (first?.token ?? 0);
    });
    await client.flushall();
    const second = await locks.acquire("a", 60_000);

    assert.ok(first && second && second.token > first.token, `${first?.token}, ${second?.token}`);
    assert.ok(second.token >= seconds * 1000 + Math.floor(micros / 1000));
  });

  test("keep both of their keys in one slot of a cluster, whatever the key", async () => {
    const { client, url } = await server();
    for (const name of ["}a{", "{}", "", "\ud800", "a".repeat(9999)]) {
      await client.flushall();
      await new RedisLocks(redisConnection(url)).acquire(name, 60_000);
      const tags = (await client.keys("*")).map((key) => /\{(.*?)\}/.exec(key)?.[1]);

      assert.equal(tags.length, 2);
      assert.ok(tags[0] !== "" && tags[0] === tags[1], `${name}: ${tags}`);
    }
  });
});
