import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { idempotencyStoreContract } from "framework/testing/contracts";
import { EncryptionHook } from "#compliance/encryption/encryption-hook.js";
import { type Codec, plainCodec } from "#core/ports/codec.js";
import { RedisIdempotency } from "#store/redis/redis-idempotency.js";
import { redisConnections } from "../../support/opened-redis.js";
import { skipWithoutRedis } from "../../support/redis-server.js";

const hook = () =>
  new EncryptionHook({ keys: () => ({ current: "1", keys: { 1: new Uint8Array(32).fill(1) } }) });
const ANSWER = { status: 200, headers: "", body: Buffer.from('"secret"') };

describe("Redis", { skip: skipWithoutRedis }, () => {
  const open = redisConnections();
  const contract = (name: string, codecOf: () => Codec): void =>
    idempotencyStoreContract(name, async () => {
      const { connection, pass } = await open();
      return {
        store: new RedisIdempotency(connection, codecOf()),
        pass: (ms) => pass(ms, ["u"]),
      };
    });
  contract("Redis", () => plainCodec);
  contract("Redis, encrypted", hook);

  describe("idempotency keys in Redis", () => {
    const opened = async (codec: Codec = plainCodec) => {
      const { connection, server, prefix, pass } = await open();
      const store = new RedisIdempotency(connection, codec);
      return { connection, store, client: server.client, prefix, pass: (ms: number) => pass(ms, ["u"]) };
    };

    test("go to one of many processes that claim at once, be they new, released or out of time", async () => {
      const { prefix } = await opened();
      const processes = await Promise.all([open(prefix), open(prefix)]);
      const stores = processes.map(({ connection }) => new RedisIdempotency(connection, plainCodec));
      for (let round = 0; round < 12; round += 1) {
        const claims = await Promise.all(
          stores.flatMap((store) => Array.from({ length: 4 }, () => store.claim("a", "f", 60_000, "ann"))),
        );
        const first = claims.filter((claim) => claim.kind === "first");

        assert.equal(first.length, 1);
        assert.equal(claims.filter(({ kind }) => kind === "running").length, 7);
        const { lease } = first[0] as (typeof first)[0] & {};
        if (round % 2 === 0) assert.equal(await stores[1]?.release(lease), true);
        else await processes[0]?.pass(60_001, ["u"]);
      }
    });

    // RK1: a key is in the set of its subject before it is claimed, and again before its response is kept.
    test("are in the set of their subject for longer than they are there", async () => {
      const { store, client, prefix } = await opened();
      const set = `${prefix}:subject:{ann}`;
      const lasts = async (): Promise<boolean> => {
        const [serverTime] = await client.time();
        const left = await client.pttl(`${prefix}:key:{a}`);
        const until = Number(await client.zscore(set, "a")) - Number(serverTime) * 1000;
        return until > left && (await client.pttl(set)) > left;
      };
      const claim = await store.claim("a", "f", 10_000, "ann");
      assert.ok(claim.kind === "first");

      assert.ok(await lasts());
      await store.keep(claim.lease, ANSWER, 99_000_000);
      assert.ok(await lasts());
    });

    // RK1
    test("are neither claimed nor answered where their subject cannot be noted", async () => {
      const { store, client, prefix } = await opened();
      const claim = await store.claim("a", "f", 10_000, "ann");
      assert.ok(claim.kind === "first");
      await client.del(`${prefix}:subject:{ann}`);
      await client.set(`${prefix}:subject:{ann}`, "of another type");

      await assert.rejects(async () => store.claim("b", "f", 10_000, "ann"), { code: "STORE_UNAVAILABLE" });
      await assert.rejects(async () => store.keep(claim.lease, ANSWER, 10_000), {
        code: "STORE_UNAVAILABLE",
      });
      assert.equal((await store.claim("a", "f", 10_000)).kind, "running");
      assert.equal((await store.claim("b", "f", 10_000)).kind, "first");
    });

    test("leave nothing when their time is over", async () => {
      const { store, client, prefix, pass } = await opened();
      const claim = await store.claim("a", "f", 10_000, "ann");
      await store.claim("b", "f", 10_000, "ann");
      assert.ok(claim.kind === "first");
      await store.keep(claim.lease, ANSWER, 10_000_000);
      await pass(10_000_000 + 2 * 3_600_000);

      assert.deepEqual(await client.keys(`${prefix}:*`), []);
    });

    test("have answers that passed the codec, and no key shows the subject", async () => {
      const { store, client, prefix } = await opened(hook());
      const claim = await store.claim("a", "f", 10_000, "ann-of-ours");
      assert.ok(claim.kind === "first");
      await store.keep(claim.lease, ANSWER, 10_000);
      const kept = await client.hgetall(`${prefix}:key:{a}`);

      assert.doesNotMatch(JSON.stringify([kept, await client.keys("*")]), /secret|ann-of-ours/);
    });
  });
});
