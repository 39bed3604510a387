import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { EncryptionHook } from "#compliance/encryption/encryption-hook.js";
import { eraseSubject } from "#compliance/erasure/erase-subject.js";
import { erasureSubject } from "#compliance/erasure/erasure-subject.js";
import { exportSubject } from "#compliance/erasure/export-subject.js";
import { type Codec, plainCodec } from "#core/ports/codec.js";
import { RedisIdempotency } from "#store/redis/redis-idempotency.js";
import { RedisSessions } from "#store/redis/redis-sessions.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { Service } from "#store/sql/service.js";
import { SqlRequests } from "#store/sql/sql-requests.js";
import { redisErasureSinks } from "#store/subjects/redis-erasure.js";
import { SqlErasure } from "#store/subjects/sql-erasure.js";
import { redisConnections } from "../../support/opened-redis.js";
import { skipWithoutRedis } from "../../support/redis-server.js";
import { sqliteDatabases } from "../../support/sql-stores.js";

const ISSUER = "https://id.example";
const ANN = erasureSubject("test", "ann", ISSUER);
const BOB = erasureSubject("test", "bob", ISSUER);
const NOW = Date.now();
const LIFE_MS = 3_600_000;
const REQUEST = { id: "request-17", subject: "ann", issuer: ISSUER, reason: "asked by letter" };
const hook = new EncryptionHook({ keys: () => ({ current: "1", keys: { 1: new Uint8Array(32).fill(1) } }) });

describe("Redis", { skip: skipWithoutRedis }, () => {
  const open = redisConnections();
  const databases = sqliteDatabases();

  const filled = async (codec: Codec = plainCodec) => {
    const { connection, server, prefix } = await open();
    const database = await databases();
    const service = new Service(database, "shop");
    const runs = new SqlRuns(database, codec, service);
    const progress = new SqlErasure(database, codec, service, runs, new SqlRequests(database, codec, "shop"));
    const sessions = new RedisSessions(connection, codec);
    const keys = new RedisIdempotency(connection, codec);
    const sinks = redisErasureSinks({ sessions, keys });
    const create = (key: string, owner: string) =>
      sessions.create(
        key,
        {
          ...{ owner, identity: { subject: key, issuer: ISSUER, roles: [], claims: {} } },
          ...{ data: { cart: key }, version: 1, csrfSecret: "secret", createdAt: NOW },
          ...{ expiresAt: NOW + LIFE_MS, idleUntil: NOW + LIFE_MS },
        },
        NOW,
      );
    const keep = async (key: string, of: string): Promise<void> => {
      const claim = await keys.claim(key, "print", LIFE_MS, of);
      assert.ok(claim.kind === "first");
      await keys.keep(claim.lease, { status: 200, headers: "", body: Buffer.from(key) }, LIFE_MS);
    };
    for (const n of [1, 2]) await create(`ann-${n}`, ANN.hash);
    await create("bob-1", BOB.hash);
    await keep("ann-key", ANN.hash);
    await keep("bob-key", BOB.hash);
    const texts = async (): Promise<string> => {
      const { client } = server;
      const hashes = (await client.keys(`${prefix}:*`)).filter((key) => /:(session|key):/.test(key));
      return JSON.stringify(await Promise.all(hashes.map((key) => client.hgetall(key))));
    };
    const stores = { shown: "test", erasure: { sinks, progress } };
    return { sessions, keys, sinks, stores, texts };
  };

  for (const [name, codec] of [
    ["as they are", plainCodec],
    ["encrypted", hook],
  ] as const) {
    test(`an erasure finds sessions and responses of its subject, and no others, kept ${name}`, async () => {
      const { sessions, keys, sinks, stores, texts } = await filled(codec);
      const counts = await Promise.all(sinks.map((sink) => sink.count?.(ANN)));
      const before = await texts();
      const { sinks: results } = await eraseSubject(REQUEST, { stores });

      assert.deepEqual(counts, [2, 1]);
      assert.deepEqual(
        results.map(({ sink, erased }) => [sink, erased]),
        [
          ["sessions (redis)", 2],
          ["idempotency keys (redis)", 1],
        ],
      );
      if (codec === plainCodec) assert.match(before, /ann-1.*|ann-key/);
      assert.doesNotMatch(await texts(), /ann-/);
      assert.deepEqual(await Promise.all(sinks.map((sink) => sink.count?.(ANN))), [0, 0]);
      assert.equal((await sessions.find("bob-1", NOW)).kind, "live");
      assert.equal((await keys.claim("bob-key", "print", 1000)).kind, "kept");
      assert.equal((await keys.claim("ann-key", "print", 1000)).kind, "first");
    });
  }

  // ER1
  test("an erasure names the key of a request in progress, and leaves it", async () => {
    const { keys, stores } = await filled();
    const claim = await keys.claim("running", "print", LIFE_MS, ANN.hash);
    const { sinks: results } = await eraseSubject(REQUEST, { stores });

    assert.deepEqual(results[1]?.left, ["the key of a request that has not ended"]);
    assert.ok(claim.kind === "first");
    assert.equal(await keys.keep(claim.lease, undefined, LIFE_MS), true);
  });

  test("an export has the values of its subject, decrypted", async () => {
    const { stores } = await filled(hook);
    const values: unknown[] = [];
    for await (const line of exportSubject({ subject: "ann", issuer: ISSUER }, { stores })) values.push(line);
    const text = JSON.stringify(values);

    for (const part of ["ann-1", "ann-2", "ann-key"]) assert.ok(text.includes(part), part);
    assert.doesNotMatch(text, /bob|secret/);
  });

  test("an erasure that finds nothing names the issuers that have the subject in a session", async () => {
    const { stores } = await filled(hook);
    const { otherIssuers } = await eraseSubject({ ...REQUEST, issuer: "https://other.example" }, { stores });

    assert.deepEqual(otherIssuers, [ISSUER]);
  });

  test("an erasure finds more keys than Redis lists at once", async () => {
    const { keys, sinks, stores } = await filled();
    const many = Array.from({ length: 2500 }, (_, n) => `many-${n}`);
    await Promise.all(
      many.map(async (key) => {
        const claim = await keys.claim(key, "print", LIFE_MS, ANN.hash);
        assert.ok(claim.kind === "first");
        await keys.keep(claim.lease, undefined, LIFE_MS);
      }),
    );
    const counted = await sinks[1]?.count?.(ANN);
    const { sinks: results } = await eraseSubject(REQUEST, { stores });

    assert.deepEqual([counted, results[1]?.erased], [2501, 2501]);
    assert.equal(await sinks[1]?.count?.(ANN), 0);
  });
});
