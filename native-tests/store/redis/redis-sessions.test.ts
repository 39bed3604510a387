import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { sessionStoreContract } from "framework/testing/contracts";
import { EncryptionHook } from "#compliance/encryption/encryption-hook.js";
import { type Codec, plainCodec } from "#core/ports/codec.js";
import { REPLACED_MS } from "#core/ports/session-store.js";
import { RedisConnection, type RedisScript } from "#store/redis/redis-connection.js";
import { RedisSessions } from "#store/redis/redis-sessions.js";
import { redisUrl } from "#store/redis/redis-url.js";
import { redisConnections } from "../../support/opened-redis.js";
import { until } from "../../support/patience.js";
import { skipWithoutRedis, startRedis } from "../../support/redis-server.js";

const START = 1_700_000_000_000;
const IDLE_MS = 5000;
const HOUR_MS = 3_600_000;
const LIFE_MS = 9_000_000;
const hookOf = (...ids: readonly string[]) =>
  new EncryptionHook({
    keys: () => ({
      current: ids[0] as string,
      keys: Object.fromEntries(ids.map((id) => [id, new Uint8Array(32).fill(Number(id))])),
    }),
  });

const recordOf = (owner: string) => ({
  ...{ owner, identity: { subject: owner, roles: [], claims: {} }, data: {}, version: 1, csrfSecret: "s" },
  ...{ createdAt: START, expiresAt: START + LIFE_MS, idleUntil: START + IDLE_MS },
});

/** The connection, with a call before each of its scripts. */
const withCall = (
  connection: RedisConnection,
  before: (name: RedisScript["name"]) => Promise<void> | void,
): RedisConnection =>
  ({
    keyOf: connection.keyOf,
    call: async (...[use, script, keys, args]: Parameters<RedisConnection["call"]>) => {
      await before(script.name);
      return connection.call(use, script, keys, args);
    },
  }) as RedisConnection;

describe("Redis", { skip: skipWithoutRedis }, () => {
  const open = redisConnections();
  const contract = (name: string, codecOf: () => Codec): void =>
    sessionStoreContract(name, async () => {
      const clock = { now: START };
      const { connection, pass } = await open();
      return {
        store: new RedisSessions(connection, codecOf()),
        now: () => clock.now,
        pass: async (ms) => {
          clock.now += ms;
          await pass(ms);
        },
      };
    });
  contract("Redis", () => plainCodec);
  contract("Redis, encrypted", () => hookOf("1"));

  describe("sessions in Redis", () => {
    const opened = async () => {
      const { connection, server, prefix, pass } = await open();
      const store = new RedisSessions(connection, plainCodec);
      const kindOf = async (key: string): Promise<string> => (await store.find(key, START)).kind;
      return { connection, client: server.client, prefix, store, kindOf, pass };
    };

    // RZ1: a session is in the set before it is put.
    // RZ3: one that is put after destroyAll found it is of the next generation.
    test("that are put after destroyAll looked for them are made after it", async () => {
      const { connection, store, kindOf } = await opened();
      let ended: number | undefined;
      const slow = new RedisSessions(
        withCall(connection, async (name) => {
          if (name === "sessionPut" && ended === undefined) ended = await store.destroyAll("ann", START);
        }),
        plainCodec,
      );
      await slow.create("a", recordOf("ann"), START);

      assert.equal(ended, 0);
      assert.equal(await kindOf("a"), "live");
      assert.equal(await store.destroyAll("ann", START), 1, "it is in the set again");
    });

    test("that are put while destroyAll is at work are ended and counted", async () => {
      const { connection, store, kindOf } = await opened();
      await store.create("a", recordOf("ann"), START);
      let hasMade = false;
      const slow = new RedisSessions(
        withCall(connection, async (name) => {
          if (name !== "ownerTake" || hasMade) return;
          hasMade = true;
          await store.create("b", recordOf("ann"), START);
        }),
        plainCodec,
      );

      assert.equal(await slow.destroyAll("ann", START), 2);
      assert.deepEqual([await kindOf("a"), await kindOf("b")], ["unknown", "unknown"]);
    });

    // RZ2: destroyAll ends the generation first.
    test("are all ended by a destroyAll that failed halfway", async () => {
      const { connection, store, kindOf } = await opened();
      for (const key of ["a", "b", "c"]) await store.create(key, recordOf("ann"), START);
      const failing = new RedisSessions(
        withCall(connection, (name) => {
          if (name === "sessionEnd") throw new Error("away");
        }),
        plainCodec,
      );
      await assert.rejects(async () => failing.destroyAll("ann", START), /away/);
      await store.create("d", recordOf("ann"), START);

      for (const key of ["a", "b", "c"]) assert.equal(await kindOf(key), "unknown", key);
      assert.equal(await store.touch("a", START + 6000, START), false);
      assert.equal(await store.update("a", 1, {}, START, recordOf("ann")), "gone");
      assert.equal(await store.rotate("a", "a2", recordOf("ann"), START), undefined);
      assert.equal(await store.destroy("b", START), false);
      assert.equal(await store.destroyAll("ann", START), 1, "d alone was live");
    });

    // RZ4: a rotation changes the key within the hash of the session.
    test("are live under one key whichever step of a rotation fails", async () => {
      for (let at = 1; ; at += 1) {
        const { connection, store, kindOf } = await opened();
        await store.create("a", recordOf("ann"), START);
        await store.rotate("a", "b", recordOf("ann"), START);
        let calls = 0;
        const failing = new RedisSessions(
          withCall(connection, () => {
            calls += 1;
            if (calls === at) throw new Error("away");
          }),
          plainCodec,
        );
        const rotating = async () => failing.rotate("b", "c", recordOf("ann"), START);
        const moved = await rotating().catch(() => undefined);
        const live = [await kindOf("a"), await kindOf("b"), await kindOf("c")].filter((k) => k === "live");

        assert.equal(live.length, 1, `step ${at}`);
        if (moved !== undefined) assert.equal(await kindOf("c"), "live");
        if (calls < at) return assert.ok(moved !== undefined && at > 5);
      }
    });

    test("take the place of another last: while that fails the client keeps the one it has", async () => {
      const { connection, store, kindOf } = await opened();
      await store.create("a", recordOf("ann"), START);
      const failing = new RedisSessions(
        withCall(connection, (name) => {
          if (name === "sessionReplace" || name === "sessionPut") throw new Error("away");
        }),
        plainCodec,
      );
      await assert.rejects(failing.create("b", recordOf("ann"), START, "a"), /away/);

      assert.equal(await kindOf("a"), "live");
    });

    // RZ5: keys outlive their sessions by a margin, and those of an owner outlive all of its sessions.
    test("have keys that end by themselves, an hour late", async () => {
      const { client, prefix, store, pass } = await opened();
      await store.create("a", recordOf("ann"), START);
      await store.create("b", { ...recordOf("ann"), expiresAt: START + IDLE_MS }, START);
      const ttlOf = async (key: string): Promise<number> => client.pttl(`${prefix}:${key}`);
      const near = (ms: number, expected: number): boolean => ms <= expected && ms > expected - 60_000;

      assert.ok(near(await ttlOf("session:{a}"), IDLE_MS + 3_600_000));
      assert.ok(near(await ttlOf("owner:{ann}"), LIFE_MS + 3_600_000));
      assert.ok(near(await ttlOf("owner:{ann}:all"), LIFE_MS + 3_600_000));
      await store.touch("a", START + LIFE_MS, START);
      assert.ok(near(await ttlOf("session:{a}"), LIFE_MS + 3_600_000));
      await pass(LIFE_MS + 3_600_000);
      assert.deepEqual(await client.keys(`${prefix}:*`), []);
    });

    test("leave the set of their owner once it is an hour since their end", async () => {
      const { client, prefix, store } = await opened();
      await store.create("a", recordOf("ann"), START);
      const later = START + LIFE_MS + 3_600_000;
      await store.create("b", { ...recordOf("ann"), expiresAt: later + LIFE_MS }, later);

      assert.deepEqual(await client.zrange(`${prefix}:owner:{ann}:all`, "0", "-1"), ["b"]);
    });

    test("do not come back by a lost generation, and end where their data are lost", async () => {
      const { client, prefix, store, kindOf } = await opened();
      await store.create("a", recordOf("ann"), START);
      await client.del(`${prefix}:owner:{ann}`);
      await store.create("b", recordOf("ann"), START);

      assert.equal(await kindOf("a"), "unknown");
      assert.equal(await kindOf("b"), "live");
    });

    test("do not add up keys and fields however often they are rotated", async () => {
      const { client, prefix, store, pass } = await opened();
      await store.create("key-0", recordOf("ann"), START);
      for (let n = 0; n < 20; n += 1) {
        const now = START + n * 100_000;
        await store.touch(`key-${n}`, now + 200_000, now);
        await store.rotate(`key-${n}`, `key-${n + 1}`, recordOf("ann"), now);
      }

      await pass(REPLACED_MS + HOUR_MS);
      assert.deepEqual(
        (await client.keys(`${prefix}:session:*`)).sort(),
        [`${prefix}:session:{key-0}`, `${prefix}:session:{key-20}`],
        "the first and the last",
      );
      const fields = await client.hkeys(`${prefix}:session:{key-0}`);
      assert.deepEqual(
        fields.filter((field) => field.length > 2),
        ["rkey-19"],
      );
    });

    test("begin though a failover has lost the end of their owner's generation, which ends again", async () => {
      const { client, store, kindOf, prefix } = await opened();
      await store.create("a", recordOf("ann"), START);
      // As an interrupted destroyAll leaves it: the end is known where the next session will be.
      const generation = (await client.get(`${prefix}:owner:{ann}`)) as string;
      await client.hset(`${prefix}:session:{b}`, "e", generation);
      await store.create("b", recordOf("ann"), START);

      assert.deepEqual([await kindOf("a"), await kindOf("b")], ["unknown", "live"]);
    });

    test("are found after the scripts of the server were flushed", async () => {
      const { client, store, kindOf } = await opened();
      await store.create("a", recordOf("ann"), START);
      await kindOf("a");
      await client.script("FLUSH");

      assert.equal(await kindOf("a"), "live");
    });

    test("are unavailable while the server is away, and work again without a restart of the process", async () => {
      const server = await startRedis(["--appendonly", "yes", "--appendfsync", "always"]);
      const connection = new RedisConnection(redisUrl(server.url, "away"), { timeoutMs: 2000 });
      try {
        const store = new RedisSessions(connection, plainCodec);
        const find = async () => store.find("a", START);
        await store.create("a", recordOf("ann"), START);
        await server.kill();
        await assert.rejects(find, { code: "STORE_UNAVAILABLE" });
        await server.restart();

        await until("the session is found again", async () => {
          const found = await find().catch(() => undefined);
          return found?.kind === "live";
        });
      } finally {
        await connection.close();
        await server.stop();
      }
    });

    test("pass login and data through the codec, and no key shows the owner", async () => {
      const { connection, client, prefix } = await opened();
      const old = new RedisSessions(connection, hookOf("1"));
      const rotated = new RedisSessions(connection, hookOf("2", "1"));
      const record = { ...recordOf("ann-of-ours"), data: { secret: "cart" } };
      await old.create("a", record, START);
      await rotated.create("b", record, START);
      await rotated.update("a", 1, { secret: "other" }, START, record);
      const texts = await Promise.all(
        (await client.keys(`${prefix}:session:*`)).map((key) => client.hgetall(key)),
      );

      assert.doesNotMatch(JSON.stringify([texts, await client.keys("*")]), /secret|ann-of-ours/);
      const found = await rotated.find("a", START);
      assert.deepEqual(found.kind === "live" && found.record.data, { secret: "other" });
      assert.equal(await rotated.destroyAll("ann-of-ours", START), 2, "under each key");
    });
  });
});
