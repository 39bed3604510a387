// The table of docs/operations/redis.md has the memory that keys take.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, describe, test } from "node:test";

import { plainCodec } from "#core/ports/codec.js";
import type { RedisConnection } from "#store/redis/redis-connection.js";
import { RedisIdempotency } from "#store/redis/redis-idempotency.js";
import { RedisLocks } from "#store/redis/redis-locks.js";
import { RedisRates } from "#store/redis/redis-rates.js";
import { RedisRooms } from "#store/redis/redis-rooms.js";
import { RedisSessions } from "#store/redis/redis-sessions.js";
import { until } from "../support/patience.js";
import { type RedisServer, skipWithoutRedis } from "../support/redis-server.js";
import { oneRedis, redisConnection } from "../support/redis-stores.js";
import { pageAt } from "./page.js";

const rows = [...pageAt("docs/operations/redis.md").text.matchAll(/^\| (.+?) \| (\d+) \| (\d*) \|$/gm)];
const COUNT = 2000;
/** Bytes a key: buffers of connections, whose size the server notes a while later. */
const NOISE = 40;
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** What writes the keys of a row for the n-th time. */
function writers(connection: RedisConnection): Record<string, (n: number) => unknown> {
  const rates = new RedisRates(connection);
  const locks = new RedisLocks(connection);
  const sessions = new RedisSessions(connection, plainCodec);
  const keys = new RedisIdempotency(connection, plainCodec);
  const rooms = new RedisRooms(connection);
  after(rooms.dispose);
  const respond = async (n: number, subject?: string): Promise<void> => {
    const claim = await keys.claim(digest(`key ${n}`), digest(`print ${n}`), 60_000, subject);
    assert.ok(claim.kind === "first");
    const answer = { status: 200, headers: "[]", body: Buffer.alloc(200, "x") };
    await keys.keep(claim.lease, answer, DAY_MS);
  };
  return {
    "the bucket of a client": (n) => rates.take(`id:${n}`, { capacity: 60, windowMs: HOUR_MS, cost: 1 }, 0),
    "a lock, and its token for an hour after it": (n) => locks.acquire(`order ${n}`, HOUR_MS),
    "a session with 200 bytes of data, and its owner": (n) => {
      const owner = digest(`owner ${n}`);
      const createdAt = Date.now();
      const record = {
        ...{
          owner,
          identity: { subject: owner, roles: ["user"], claims: {} },
          data: { cart: "x".repeat(189) },
        },
        ...{ version: 1, csrfSecret: digest(`csrf ${n}`), createdAt },
        ...{ expiresAt: createdAt + DAY_MS, idleUntil: createdAt + HOUR_MS },
      };
      return sessions.create(digest(`session ${n}`), record, createdAt);
    },
    "a response of 200 bytes under a key": (n) => respond(n),
    "the same, of a verified caller": (n) => respond(n, digest(`subject ${n}`)),
    "the counter of a room, for a day": (n) => rooms.publish(`room ${n}`, "", false),
  };
}

describe("the memory of Redis in docs/operations/redis.md", { skip: skipWithoutRedis }, () => {
  const used = async ({ client }: RedisServer): Promise<number> => {
    const info = await client.info("memory");
    const of = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1]);
    return of("used_memory") - of("mem_clients_normal");
  };
  const grows = async (server: RedisServer, write: (n: number) => unknown): Promise<number> => {
    await write(-1);
    await server.client.flushall();
    const before = await used(server);
    for (let n = 0; n < COUNT; n += 100)
      await Promise.all(Array.from({ length: 100 }, (_, more) => write(n + more)));
    // Rooms do not wait.
    await until("all keys are there", async () => (await server.client.dbsize()) >= COUNT);
    return ((await used(server)) - before) / COUNT;
  };
  const servers = [oneRedis(), oneRedis(["--hash-max-listpack-value", "4096"])];

  test("is what keys take, to about a sixth", async () => {
    const found: Record<string, number[]> = {};
    for (const server of await Promise.all(servers.map((begun) => begun())))
      for (const [name, write] of Object.entries(writers(redisConnection(server.url)))) {
        found[name] ??= [];
        found[name].push(await grows(server, write));
      }

    assert.deepEqual(rows.map(([, name]) => name).sort(), Object.keys(found).sort());
    for (const [, name = "", ...numbers] of rows)
      for (const [at, number] of numbers.entries())
        if (number !== "") {
          const bytes = found[name]?.[at] ?? 0;
          assert.ok(Math.abs(bytes - Number(number)) < bytes / 6 + NOISE, `${name}: ${bytes}, not ${number}`);
        }
  });
});
