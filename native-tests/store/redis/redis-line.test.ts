import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import { RedisLine } from "#store/redis/redis-line.js";
import { skipWithoutRedis } from "../../support/redis-server.js";
import { oneRedis, redisConnection } from "../../support/redis-stores.js";

describe("a connection for one use", { skip: skipWithoutRedis }, () => {
  const server = oneRedis();

  test("rejects a call without its arguments: what a room says is in no error", async () => {
    const connection = redisConnection((await server()).url);
    const line = new RedisLine(connection, "rooms");
    const script = { name: "refused", keys: 1, lua: "return redis.call('INCR', KEYS[1], ARGV[1])" };
    const error = await line
      .call(script, [connection.keyOf("rooms", "a")], ["a secret word"])
      .catch((cause: unknown) => cause);
    line.end();

    assert.equal((error as { code?: string }).code, "STORE_UNAVAILABLE");
    assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /a secret word/);
    assert.equal(connection.failures().get("rooms"), 1);
  });
});
