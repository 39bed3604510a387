import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { roomBusContract } from "framework/testing/contracts";
import type { RoomBus } from "#core/ports/room-bus.js";
import { RedisConnection } from "#store/redis/redis-connection.js";
import { RedisRooms, type RedisRoomsOptions } from "#store/redis/redis-rooms.js";
import { redisUrl } from "#store/redis/redis-url.js";
import { until } from "../../support/patience.js";
import { type RedisServer, skipWithoutRedis, startRedis } from "../../support/redis-server.js";
import { silentProxy } from "../../support/silent-proxy.js";

let server: RedisServer;
const connections: RedisConnection[] = [];
let services = 0;

/** Members of the rooms of one service, each with connections of its own. */
function members(
  count: number,
  options?: RedisRoomsOptions,
  at: { readonly port?: number; readonly service?: number } = {},
): readonly RedisRooms[] {
  services += 1;
  const { port = server.port, service = services } = at;
  const url = redisUrl(`redis://127.0.0.1:${port}`, `rooms-${service}`);
  return Array.from({ length: count }, () => {
    const connection = new RedisConnection(url, { timeoutMs: 5000 });
    connections.push(connection);
    return new RedisRooms(connection, options);
  });
}

const settled = async (rooms: readonly RedisRooms[]): Promise<void> => {
  for (const room of rooms) await room.beat();
  for (const room of rooms) await room.beat();
};

/** Notes what one process hears and misses. */
function heard(bus: RoomBus) {
  const texts: string[] = [];
  const missed: (number | undefined)[] = [];
  const failures: string[] = [];
  bus.subscribe({
    message: (_, message) => void texts.push(Buffer.from(message as Uint8Array).toString()),
    failed: (message) => void failures.push(message),
    missed: (_, count) => void missed.push(count),
  });
  return { texts, missed, failures };
}

describe("rooms in Redis", { skip: skipWithoutRedis }, () => {
  before(async () => {
    server = await startRedis();
  });
  after(async () => {
    for (const connection of connections) await connection.close();
    await server.stop();
  });

  roomBusContract("Redis", async (processes) => {
    const maxWaitingBytes = 65_536;
    const joined = members(processes, { maxWaitingBytes });
    // A listener of its own: the contract's may come later than the first message.
    for (const bus of joined) bus.subscribe({ message: () => {}, failed: () => {} });
    await settled(joined);
    return { members: joined, maxWaitingBytes, settled: () => settled(joined) };
  });

  test("count the messages that a process missed while its connection was killed", async () => {
    const [here, there] = members(2, { beatMs: 3_600_000 }) as [RedisRooms, RedisRooms];
    const at = heard(there);
    await settled([there]);
    there.watch("room");
    there.watch("other");
    await settled([there]);
    here.publish("room", "1", false);
    await until("the message arrives", () => at.texts.length === 1);
    // RR1: both rooms are marked behind the messages of the gap.
    await server.client.call("CLIENT", "KILL", "TYPE", "pubsub");
    for (const text of ["2", "3", "4"]) here.publish("room", text, false);
    there.publish("room", "own", false);
    await until("the gap is known", () => at.missed.length === 1);
    here.publish("room", "5", false);
    await until("messages arrive again", () => at.texts.includes("5"));

    assert.deepEqual([at.texts, at.missed, at.failures], [["1", "5"], [3], []]);
  });

  test("report an unknown number of missed messages when Redis has lost its data", async () => {
    const [here, there] = members(2) as [RedisRooms, RedisRooms];
    const at = heard(there);
    await settled([there]);
    there.watch("room");
    await settled([there]);
    here.publish("room", "1", false);
    here.publish("room", "2", false);
    await until("the messages arrive", () => at.texts.length === 2);
    await server.client.flushall();
    here.publish("room", "3", false);
    await until("a message arrives again", () => at.texts.length === 3);

    assert.deepEqual(at.missed, [undefined]);
  });

  test("report what they lose while Redis is away, and work when it is back", async () => {
    const [here, there] = members(2) as [RedisRooms, RedisRooms];
    const [at, of] = [heard(there), heard(here)];
    await settled([there, here]);
    there.watch("room");
    await settled([there]);
    here.publish("room", "1", false);
    await until("the message arrives", () => at.texts.length === 1);
    await server.kill();
    here.publish("room", "lost", false);
    await until("the loss is reported", () => of.failures.length === 1);
    await server.restart();
    await until("the gap is known", () => at.missed.length === 1);
    await until("messages arrive again", async () => {
      here.publish("room", "2", false);
      await here.beat().catch(() => {});
      return at.texts.includes("2");
    });

    assert.deepEqual([at.missed, at.texts.includes("lost")], [[undefined], false]);
    assert.match(
      String(of.failures[0]),
      /^Messages to rooms of other processes were lost: 1, .*Redis did not take them$/,
    );
  });

  // RR2: the server keeps the connection open, and no message comes by it.
  test("replace a connection on which no message arrives any more", async () => {
    const proxy = await silentProxy(server.port);
    const [here] = members(1) as [RedisRooms];
    const [there] = members(1, { beatMs: 20 }, { port: proxy.port, service: services }) as [RedisRooms];
    const at = heard(there);
    await settled([there]);
    there.watch("room");
    await settled([there]);
    assert.equal(proxy.silence(/subscribe/i), 1);
    here.publish("room", "1", false);
    await until("messages arrive again", async () => {
      here.publish("room", "2", false);
      return at.texts.includes("2");
    });
    await there.dispose();
    proxy.stop();

    assert.deepEqual([at.texts.includes("1"), (at.missed[0] ?? 0) > 0], [false, true]);
  });

  test("send what waits, in order, before they leave", async () => {
    const [here, there] = members(2) as [RedisRooms, RedisRooms];
    const at = heard(there);
    await settled([there]);
    const texts = ["1", "2", "3", "4"].map((text) => text.repeat(2_000_000));
    for (const text of texts) here.publish("room", text, false);
    await here.dispose();
    await until("all have arrived", () => at.texts.length === 4);

    assert.ok(at.texts.every((text, n) => text === texts[n]));
  });
});
