import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";

import type { RedisConnection, RedisScript } from "#store/redis/redis-connection.js";
import { RedisRates } from "#store/redis/redis-rates.js";
import { freePort } from "../../support/free-port.js";
import { until } from "../../support/patience.js";
import { fakeRedis, slowProxy } from "../../support/redis-proxy.js";
import { type RedisServer, skipWithoutRedis, startRedis } from "../../support/redis-server.js";
import { redisConnection } from "../../support/redis-stores.js";

const PASSWORD = "s3cr3t-word";
const COUNT: RedisScript = { name: "testCount", keys: 1, lua: "return redis.call('INCR', KEYS[1])" };

const counted = (redis: RedisConnection, key = "count") =>
  redis.call("rates", COUNT, [redis.keyOf("test", key)], []);
const isAnswered = (redis: RedisConnection) => async (): Promise<boolean> => {
  const answers = await Promise.allSettled([counted(redis), redis.check()]);
  return answers.every(({ status }) => status === "fulfilled");
};
const isUnavailable = (words: RegExp) => (error: Error & { code?: string }) => {
  assert.equal(error.code, "STORE_UNAVAILABLE");
  assert.match(error.message, words);
  const texts = [error, error.cause].map((part) => JSON.stringify(part, Object.getOwnPropertyNames(part)));
  assert.ok(!texts.join().includes(PASSWORD), texts.join());
  return true;
};

/** Starts a server that ends with the test. */
async function started(
  context: TestContext,
  options: readonly string[] = [],
  port?: number,
): Promise<RedisServer> {
  const server = await startRedis(options, port);
  context.after(server.stop);
  return server;
}

describe("a connection to Redis", { skip: skipWithoutRedis }, () => {
  test("that cannot be made rejects at once, and is made once the server is there", async (context) => {
    const port = await freePort();
    const redis = redisConnection(`redis://127.0.0.1:${port}`, { timeoutMs: 500 });
    await assert.rejects(redis.open(), isUnavailable(/127\.0\.0\.1.*ECONNREFUSED/));
    const answers = await Promise.allSettled(Array.from({ length: 100 }, () => counted(redis)));
    assert.ok(answers.every(({ status }) => status === "rejected"));
    await assert.rejects(redis.check(), isUnavailable(/ECONNREFUSED/));
    assert.equal(redis.failures().get("rates"), 100);
    await started(context, [], port);

    await until("it is connected", isAnswered(redis));
    await redis.open();
  });

  test("survives that its server is killed and started again, at the first call and later", async (context) => {
    const server = await started(context);
    const redis = redisConnection(server.url, { timeoutMs: 500 });
    await redis.open();
    for (let round = 0; round < 2; round += 1) {
      await server.kill();
      await assert.rejects(counted(redis), isUnavailable(/ended|no connection|ECONN/));
      await server.restart();

      await until("it is connected again", isAnswered(redis));
    }
  });

  test("to a server that hangs leaves it: no call is in flight for longer than its time, and none piles up", async (context) => {
    const server = await started(context);
    const redis = redisConnection(server.url, { timeoutMs: 100 });
    await redis.open();
    server.process().kill("SIGSTOP");
    context.after(() => server.process().kill("SIGCONT"));
    const first = counted(redis, "hung").then(
      () => "",
      (error: Error) => error.message,
    );
    const most = await Promise.allSettled(Array.from({ length: 10_050 }, () => counted(redis, "hung")));
    assert.ok(most.every(({ status }) => status === "rejected"));
    assert.match(await first, /timed out/);
    assert.match(String((most.at(-1) as PromiseRejectedResult).reason), /calls are in flight/);
    await until("it has left the server", async () => {
      const failed = await counted(redis, "hung").catch((error: Error) => error.message);
      return !/timed out/.test(String(failed));
    });
    const began = redis.failures().get("rates") as number;
    await Promise.allSettled(Array.from({ length: 1000 }, () => counted(redis, "hung")));
    assert.equal(redis.failures().get("rates"), began + 1000);
    server.process().kill("SIGCONT");

    await until("it is connected again", isAnswered(redis));
    // Neither what timed out nor what came without a connection was sent again.
    assert.ok(Number(await counted(redis, "hung")) <= 10_002);
  });

  test("to a server that is 300 ms away answers within its time, and rejects where that is shorter", async (context) => {
    const server = await started(context);
    const proxy = await slowProxy(server.port, 300);
    context.after(proxy.stop);
    const [patient, hasty] = [redisConnection(proxy.url), redisConnection(proxy.url, { timeoutMs: 50 })];

    assert.equal(await counted(patient, "slow"), 1);
    await assert.rejects(hasty.open(), isUnavailable(/timed out|no connection|ended|closed/));
    await assert.rejects(counted(hasty), isUnavailable(/./));
  });

  test("finds scripts again that the server has forgotten", async (context) => {
    const server = await started(context);
    const redis = redisConnection(server.url);
    await counted(redis);
    await server.client.script("FLUSH");

    assert.deepEqual(await Promise.all([counted(redis), counted(redis), counted(redis)]), [2, 3, 4]);
  });

  test("leaves a master that has become a replica, and is back when it is a master", async (context) => {
    const [server, other] = [await started(context), await started(context)];
    const redis = redisConnection(server.url, { timeoutMs: 500 });
    await redis.open();
    await server.client.replicaof("127.0.0.1", other.port);
    await assert.rejects(counted(redis), isUnavailable(/READONLY/));
    await assert.rejects(redis.check(), isUnavailable(/READONLY|ended|no connection/));
    await server.client.replicaof("NO", "ONE");

    await until("it writes again", isAnswered(redis));
  });

  test("to a full server reads, and its check fails until there is room", async (context) => {
    const server = await started(context, ["--maxmemory-policy", "noeviction"]);
    const redis = redisConnection(server.url);
    await redis.open();
    await server.client.config("SET", "maxmemory", "1");
    await assert.rejects(counted(redis), isUnavailable(/OOM/));
    await assert.rejects(redis.check(), isUnavailable(/OOM/));
    await server.client.config("SET", "maxmemory", "0");

    await until("it writes again", isAnswered(redis));
  });

  test("to a server whose password was changed is back when that is changed back", async (context) => {
    const server = await started(context);
    await server.client.config("SET", "requirepass", PASSWORD);
    const client = server.client.duplicate({ password: PASSWORD });
    context.after(() => client.disconnect());
    const url = server.url.replace("//", `//:${PASSWORD}@`);
    const redis = redisConnection(url, { timeoutMs: 500 });
    await redis.open();
    await client.config("SET", "requirepass", "another");
    await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until("it is turned away", async () => {
      const failed = await counted(redis).catch((error: Error) => error);
      return failed instanceof Error && /WRONGPASS/.test(failed.message);
    });
    await assert.rejects(redis.check(), isUnavailable(/WRONGPASS/));
    await client.config("SET", "requirepass", PASSWORD);

    await until("it is connected again", isAnswered(redis));
  });

  test("with an ACL user that may not read INFO warns; with a wrong password it rejects", async (context) => {
    const server = await started(context);
    const rule = ["~t*", "+@all", "-info", `>${PASSWORD}`];
    await server.client.acl("SETUSER", "app", "on", ...rule);
    const redis = redisConnection(server.url.replace("//", `//app:${PASSWORD}@`));
    const wrong = redisConnection(server.url.replace("//", `//app:${PASSWORD}-not@`));

    assert.equal(await counted(redis), 1);
    assert.match(redis.warnings().join(), /redis:\/\/.*may not call INFO/);
    await assert.rejects(wrong.open(), isUnavailable(/WRONGPASS/));
  });

  test("refuses a server that evicts, where locks or keys are kept there; else it warns", async (context) => {
    const server = await started(context, ["--maxmemory-policy", "allkeys-lru"]);
    const strict = redisConnection(server.url, { keeps: ["rates", "locks"] });
    const rates = redisConnection(server.url, { keeps: ["rates"] });

    await assert.rejects(strict.open(), isUnavailable(/allkeys-lru evicts locks: .*noeviction/));
    await rates.open();
    assert.match(rates.warnings().join(), /allkeys-lru evicts rates/);
    await server.client.config("SET", "maxmemory-policy", "noeviction");
    await until("it is inspected again", isAnswered(strict));
    assert.deepEqual(strict.warnings(), []);
  });

  test("refuses a version that is too old, and one that still loads", async (context) => {
    for (const [info, words] of [
      ["redis_version:6.0.16\r\nmaxmemory_policy:noeviction\r\n", /Redis 6\.0\.16: use 6\.2/],
      ["redis_version:7.2.4\r\nloading:1\r\n", /LOADING/],
      ["redis_version:7.2.4\r\nrole:slave\r\n", /READONLY/],
    ] as const) {
      const fake = await fakeRedis(info);
      context.after(fake.stop);

      await assert.rejects(redisConnection(fake.url).open(), isUnavailable(words));
    }
  });

  test("of its own connects again by itself, and ends with the others", async (context) => {
    const server = await started(context);
    const redis = redisConnection(server.url);
    const own = await redis.connect();
    await server.restart();
    await until("it answers again", async () => (await own.ping().catch(() => "")) === "PONG");
    await redis.close();

    await assert.rejects(own.ping());
    await assert.rejects(redis.connect(), isUnavailable(/closed/));
    await assert.rejects(counted(redis), isUnavailable(/closed/));
  });

  test("that closes waits for calls in flight", async (context) => {
    const server = await started(context);
    const redis = redisConnection(server.url);
    await redis.open();
    const calls = [counted(redis), counted(redis)];
    await redis.close();

    assert.deepEqual(await Promise.all(calls), [1, 2]);
  });
});

describe("a bucket in Redis", { skip: skipWithoutRedis }, () => {
  test("admits no more than it holds through a stopped, and a killed and restarted server", async (context) => {
    const server = await started(context, ["--appendonly", "yes", "--appendfsync", "always"]);
    const limit = { capacity: 40, windowMs: 3_600_000, cost: 1 };
    const processes = [1, 2, 3, 4].map(
      () => new RedisRates(redisConnection(server.url, { timeoutMs: 200 }, "bucket")),
    );
    let [admitted, refused] = [0, 0];
    const ask = async (rates: RedisRates): Promise<void> => {
      const verdict = await Promise.resolve(rates.take("a", limit, 0)).catch(() => undefined);
      if (verdict?.allowed === true) admitted += 1;
      if (verdict?.allowed === false) refused += 1;
    };
    const round = () => Promise.all(processes.flatMap((rates) => [ask(rates), ask(rates)]));
    await round();
    server.process().kill("SIGSTOP");
    await round();
    server.process().kill("SIGCONT");
    await round();
    await server.restart();
    await until("all of it is used", async () => {
      await round();
      return refused > 20;
    });

    // A take whose answer was lost is counted, and admitted nothing.
    assert.ok(admitted >= 8 && admitted <= 40, `${admitted}`);
  });
});
