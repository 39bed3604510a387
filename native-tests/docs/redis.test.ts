// docs/operations/redis.md gives rights that suffice, and memory as it is.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import {
  idempotencyStoreContract,
  lockProviderContract,
  rateLimitStoreContract,
  roomBusContract,
  sessionStoreContract,
} from "framework/testing/contracts";
import { eraseSubject } from "#compliance/erasure/erase-subject.js";
import { erasureSubject } from "#compliance/erasure/erasure-subject.js";
import { plainCodec } from "#core/ports/codec.js";
import { RedisChannels } from "#store/redis/redis-channels.js";
import { hashed, RedisConnection } from "#store/redis/redis-connection.js";
import { RedisIdempotency } from "#store/redis/redis-idempotency.js";
import { RedisLocks } from "#store/redis/redis-locks.js";
import { RedisRates } from "#store/redis/redis-rates.js";
import { RedisRooms } from "#store/redis/redis-rooms.js";
import { RedisSessions } from "#store/redis/redis-sessions.js";
import { redisUrl } from "#store/redis/redis-url.js";
import { redisErasureSinks } from "#store/subjects/redis-erasure.js";
import { certificateFolder } from "../support/certificate-folder.js";
import { freePort } from "../support/free-port.js";
import { issue } from "../support/issued-certificate.js";
import { redisConnections } from "../support/opened-redis.js";
import { until } from "../support/patience.js";
import { type RedisCluster, startRedisCluster, startSentinel } from "../support/redis-cluster.js";
import { type RedisServer, skipWithoutRedis, startRedis } from "../support/redis-server.js";
import { stoppedClock } from "../support/redis-stores.js";
import { pageAt } from "./page.js";

const PAGE = pageAt("docs/operations/redis.md").text;
const [, RIGHTS = ""] = /^user (shop on .*)$/m.exec(PAGE) ?? [];
const [, OF_CLUSTERS = ""] = /A cluster needs `([^`]*)` as well/.exec(PAGE) ?? [];
const START = Date.now();

const recordOf = (owner: string) => ({
  ...{
    owner,
    identity: { subject: "ann", roles: [], claims: {} },
    data: { cart: "x".repeat(188) },
    version: 1,
  },
  ...{
    csrfSecret: "s".repeat(43),
    createdAt: START,
    expiresAt: START + 86_400_000,
    idleUntil: START + 3_600_000,
  },
});

const commandsIn = (rights: string): readonly string[] =>
  [...rights.matchAll(/ ?\+(\S+)/g)].map(([, name = ""]) => name).sort();

/** Adds the commands of all clients but the test's own, and of scripts. */
async function watch({ client }: RedisServer, seen: Set<string>): Promise<() => void> {
  const own = /addr=(\S+)/.exec(String(await client.call("CLIENT", "INFO")))?.[1];
  const monitor = await client.monitor();
  monitor.on("monitor", (_, [name = "", part = ""]: readonly string[], source: string) => {
    const command = name.toLowerCase();
    // Allowed to every user.
    if (source === own || command === "hello" || command === "auth") return;
    seen.add(command === "cluster" || command === "client" ? `${command}|${part.toLowerCase()}` : command);
  });
  return () => monitor.disconnect();
}

/** The URL of the page's user, who gets these rights. */
async function shopOf({ client, url }: RedisServer, rights: string): Promise<string> {
  await client.call("ACL", "SETUSER", ...rights.split(" "));
  return url.replace("//", "//shop:PASSWORD@");
}

describe("the user of Redis that docs/operations/redis.md gives rights", { skip: skipWithoutRedis }, () => {
  const seen = new Set<string>();
  let rooms = 0;
  const begin = async (): Promise<RedisServer> => {
    const server = await startRedis();
    const end = await watch(server, seen);
    const stop = async (): Promise<void> => {
      end();
      await server.stop();
    };
    return { ...server, stop, url: await shopOf(server, RIGHTS) };
  };
  const open = redisConnections(begin, "shop:t");

  rateLimitStoreContract("Redis", async () => {
    const { redis, ...clock } = stoppedClock((await open()).connection);
    return { ...clock, store: new RedisRates(redis) };
  });
  lockProviderContract("Redis", async () => {
    const { connection, pass } = await open();
    return { locks: new RedisLocks(connection), pass };
  });
  sessionStoreContract("Redis", async () => {
    const clock = { now: START };
    const { connection, pass } = await open();
    return {
      store: new RedisSessions(connection, plainCodec),
      now: () => clock.now,
      pass: async (ms) => {
        clock.now += ms;
        await pass(ms);
      },
    };
  });
  idempotencyStoreContract("Redis", async () => {
    const { connection, pass } = await open();
    return { store: new RedisIdempotency(connection, plainCodec), pass: (ms) => pass(ms, ["u"]) };
  });

  roomBusContract("Redis", async (processes) => {
    const { server } = await open();
    rooms += 1;
    const url = redisUrl(server.url, `shop:rooms-${rooms}`);
    const members = Array.from({ length: processes }, () => {
      const connection = new RedisConnection(url, { timeoutMs: 5000 });
      after(connection.close);
      return new RedisRooms(connection, { maxWaitingBytes: 65_536 });
    });
    for (const bus of members) {
      bus.subscribe({ message: () => {}, failed: () => {} });
      bus.watch("watched");
    }
    const settled = async (): Promise<void> => {
      for (const bus of [...members, ...members]) await bus.beat();
    };
    await settled();
    return { members, maxWaitingBytes: 65_536, settled };
  });

  test("can do what no contract asks for, and has no right that is not needed", async () => {
    const { connection, server } = await open();
    const sessions = new RedisSessions(connection, plainCodec);
    const keys = new RedisIdempotency(connection, plainCodec);
    const { hash } = erasureSubject("test", "ann", undefined);
    await sessions.create("a", recordOf(hash), START);
    const claim = await keys.claim("a", "print", 60_000, hash);
    assert.ok(claim.kind === "first");
    await keys.keep(claim.lease, undefined, 60_000);
    const request = { subject: "ann", reason: "asked by letter" };
    const sinks = redisErasureSinks({ sessions, keys });
    const erased = await eraseSubject(request, { sinks });
    const again = await eraseSubject(request, { sinks });
    const channels = new RedisChannels(connection);
    const texts: string[] = [];
    channels.follow("news", 10, {
      begun: (_, kept) => void texts.push(...kept.map(({ event }) => event.text)),
      event: ({ event }) => void texts.push(event.text),
      failed: () => {},
    });
    channels.publish("news", { id: undefined, event: "message", topic: "", text: "an event" }, 10);
    await until("the event arrives", () => texts.length === 1);
    await channels.dispose();
    await connection.check();
    await connection.replicated(0);
    await until("the last call is seen", () => seen.has("wait"));

    assert.deepEqual(
      [erased, again].map(({ state, sinks: [one, other] }) => [state, one?.erased, other?.erased]),
      [
        ["done", 1, 1],
        ["done", 0, 0],
      ],
    );
    assert.deepEqual(connection.warnings(), []);
    assert.deepEqual(await server.client.call("ACL", "LOG"), []);
    assert.deepEqual([...seen].sort(), commandsIn(RIGHTS));
  });

  test("needs few more in a cluster", async () => {
    const cluster = await startRedisCluster();
    const shown = new Set<string>();
    const ends = await Promise.all(cluster.masters.map((master) => watch(master, shown)));
    for (const master of cluster.masters) await shopOf(master, `${RIGHTS} ${OF_CLUSTERS}`);
    const url = redisUrl(cluster.url.replace("//", "//shop:PASSWORD@"), "shop");
    const connection = new RedisConnection(url, { timeoutMs: 5000 });
    try {
      const rates = new RedisRates(connection);
      const limit = { capacity: 1, windowMs: 60_000, cost: 1 };
      await connection.check();
      for (const name of ["a", "b", "c", "d"]) assert.ok((await rates.take(name, limit, 0)).allowed);
      await move(cluster, connection.keyOf("rate", hashed("e")));

      assert.ok((await rates.take("e", limit, 0)).allowed);
      await until("the last call is seen", () => shown.has("asking"));
      for (const { client } of cluster.masters) assert.deepEqual(await client.call("ACL", "LOG"), []);
      const more = [...shown].filter((name) => !commandsIn(RIGHTS).includes(name));
      assert.deepEqual(more.sort(), commandsIn(OF_CLUSTERS));
    } finally {
      await connection.close();
      for (const end of ends) end();
      await cluster.stop();
    }
  });
});

describe("a connection as docs/operations/redis.md has it", { skip: skipWithoutRedis }, () => {
  const canWrite = async (url: string): Promise<unknown> => {
    const connection = new RedisConnection(redisUrl(url, "shop"), { timeoutMs: 5000 });
    try {
      await connection.open();
      await connection.check();
      return connection.warnings();
    } finally {
      await connection.close();
    }
  };

  test("is encrypted, and verifies the server by the authority of ca", async () => {
    const { put } = certificateFolder();
    const authority = issue({ subject: "authority" });
    const server = issue({ subject: "redis", names: ["127.0.0.1", "localhost"], issuer: authority });
    const port = await freePort();
    const files = ["--tls-cert-file", put("cert", server.cert), "--tls-key-file", put("key", server.key)];
    const redis = await startRedis([
      ...["--tls-port", `${port}`, "--tls-auth-clients", "no", ...files],
      ...["--tls-ca-cert-file", put("ca", authority.cert)],
    ]);
    try {
      const url = `rediss://127.0.0.1:${port}`;

      assert.deepEqual(await canWrite(`${url}?ca=${put("ca", authority.cert)}`), []);
      assert.deepEqual(await canWrite(`${url}?tls=no-verify`), []);
      await assert.rejects(canWrite(url), /certificate/);
    } finally {
      await redis.stop();
    }
  });

  test("finds the master by a sentinel, with a user of the data servers", async () => {
    const { url, master, replica, stop } = await startSentinel();
    try {
      for (const server of [master, replica]) await shopOf(server, RIGHTS);

      assert.deepEqual(await canWrite(url.replace("//", "//shop:PASSWORD@")), []);
      assert.deepEqual(await master.client.call("ACL", "LOG"), []);
    } finally {
      await stop();
    }
  });

  test("has a server that is set up as the page says", async () => {
    const [, lines = ""] = /```text\n(maxmemory [^`]*)```/.exec(PAGE) ?? [];
    const flags = lines
      .trim()
      .split("\n")
      .flatMap((line) => `--${line}`.split(" "));
    assert.ok(flags.length > 4);
    const redis = await startRedis(flags);
    try {
      assert.deepEqual(await canWrite(redis.url), []);
      await redis.restart();
      assert.equal(await redis.client.get("shop:probe:{probe}"), "1");
    } finally {
      await redis.stop();
    }
  });
});

/** Begins to move the slot of the key, which is not there yet, to another master. */
async function move({ masters, masterOf }: RedisCluster, key: string): Promise<void> {
  const from = await masterOf(key);
  const to = masters.find((master) => master !== from) as RedisServer;
  const idOf = async ({ client }: RedisServer) => String(await client.call("CLUSTER", "MYID"));
  const slot = String(await from.client.call("CLUSTER", "KEYSLOT", key));
  await to.client.call("CLUSTER", "SETSLOT", slot, "IMPORTING", await idOf(from));
  await from.client.call("CLUSTER", "SETSLOT", slot, "MIGRATING", await idOf(to));
}
