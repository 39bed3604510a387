import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deserialize, serialize } from "node:v8";

import { workerRooms } from "framework/http";
import { roomBusContract } from "framework/testing/contracts";
import {
  isRoomMessage,
  RoomChannel,
  type RoomMessage,
  type SendMessage,
} from "#http/serving/workers/room-channel.js";
import { RoomRelay } from "#http/serving/workers/room-relay.js";
import { WorkerRooms } from "#http/serving/workers/worker-rooms.js";
import { pause, until } from "../../support/patience.js";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { get, talk } from "../../support/wire.js";

const MAX_BYTES = 65_536;

/** Workers with channels to a relay that take a message in a later turn, as bytes. */
function joined(count: number) {
  const reports: string[] = [];
  const relay = new RoomRelay<(typeof ends)[number]>((message) => void reports.push(message));
  let onTheirWay = 0;
  const pipe =
    (arrive: (message: RoomMessage) => void): SendMessage =>
    (message, done) => {
      const bytes = serialize(message);
      onTheirWay += 1;
      setImmediate(() => {
        onTheirWay -= 1;
        done();
        arrive(deserialize(bytes) as RoomMessage);
      });
    };
  const ends = Array.from({ length: count }, () => {
    const listeners = new Set<(message: unknown) => void>();
    const toWorker = new RoomChannel(
      pipe((message) => {
        for (const listener of listeners) listener(message);
      }),
      MAX_BYTES,
    );
    const end = {
      serves: true,
      listeners,
      told: 0,
      tellRoom: (message: RoomMessage) => {
        end.told += 1;
        return toWorker.post(message);
      },
    };
    return end;
  });
  const members = ends.map(
    (end) =>
      new WorkerRooms(
        {
          isOpen: () => true,
          send: pipe((message) => relay.relay(message, end, ends)),
          receive: (listener) => {
            end.listeners.add(listener);
            return () => end.listeners.delete(listener);
          },
        },
        MAX_BYTES,
      ),
  );
  const settled = () => until("all has arrived", () => onTheirWay === 0);
  return { ends, members, settled, reports, relay };
}

roomBusContract("the supervisor of workers", (processes) => ({
  ...joined(processes),
  maxWaitingBytes: MAX_BYTES,
}));

const message = (bytes: number): RoomMessage => ({
  framework: "room",
  topic: "",
  message: new Uint8Array(bytes),
  binary: true,
});

describe("the relay of rooms", () => {
  test("tells nothing to a worker that does not serve yet, for which it would be kept without a bound", () => {
    const { ends, relay } = joined(3);
    const [first, second, third] = ends as [
      (typeof ends)[number],
      (typeof ends)[number],
      (typeof ends)[number],
    ];
    second.serves = false;
    relay.relay(message(1), first, ends);

    assert.deepEqual([first.told, second.told, third.told], [0, 0, 1]);
  });

  test("reports, once, what a worker does not take", () => {
    const { ends, relay, reports } = joined(2);
    const [first] = ends as [(typeof ends)[number]];
    for (let n = 0; n < 3; n += 1) relay.relay(message(MAX_BYTES - 1000), first, ends);

    assert.deepEqual(reports, [
      "Messages to rooms of other processes were lost: 1, the last because a worker does not take what the others publish",
    ]);
  });
});

describe("a channel for rooms", () => {
  test("takes more once the other side has taken what waited", () => {
    const waiting: (() => void)[] = [];
    const channel = new RoomChannel((_, done) => void waiting.push(done), MAX_BYTES);

    assert.equal(channel.post(message(MAX_BYTES / 2)), true);
    assert.equal(channel.post(message(MAX_BYTES / 2)), false);
    waiting.pop()?.();
    assert.equal(channel.post(message(MAX_BYTES / 2)), true);
  });

  test("takes 16 MiB unless it is told otherwise", () => {
    const channel = new RoomChannel(() => {});

    assert.equal(channel.post(message(2 ** 24 - 1000)), true);
    assert.equal(channel.post(message(1000)), false);
  });

  test("counts nothing of what could not be sent", () => {
    let fails = true;
    const channel = new RoomChannel(() => {
      if (fails) throw new Error("broken");
    }, MAX_BYTES);
    assert.throws(() => channel.post(message(MAX_BYTES - 1000)), /broken/);
    fails = false;

    assert.equal(channel.post(message(MAX_BYTES - 1000)), true);
  });

  test("knows its messages from those of others", () => {
    assert.equal(isRoomMessage(message(0)), true);
    for (const other of [null, undefined, 1, "room", {}, { framework: "stop" }])
      assert.equal(isRoomMessage(other), false);
  });
});

describe("workerRooms()", () => {
  test("tells nobody where the process is no worker, and listens to nobody", async () => {
    const rooms = workerRooms();
    const before = process.listenerCount("message");
    const leave = rooms.subscribe({ message: assert.fail, failed: assert.fail });
    rooms.publish("room", "hello", false);

    assert.equal(process.listenerCount("message"), before);
    leave();
    await rooms.dispose();
  });

  test("joins workers: what one publishes all others hear, a worker started later too", async () => {
    const server = await startIngress("rooms-ingress.ts");
    const pids = await pidsOf(server, 3);
    await tellAll(server, "one", pids[0] as number, pids.slice(1));
    process.kill(pids[2] as number, "SIGKILL");
    await until("it is gone", () => /WORKER_ENDED/.test(server.log()));
    const later = await pidsOf(server, 3);
    await tellAll(
      server,
      "two",
      pids[0] as number,
      later.filter((pid) => pid !== pids[0]),
    );

    assert.equal(await server.stop(), 0);
    assert.doesNotMatch(server.log(), /ROOMS_FAILED/);
  });
});

const ask = async (server: ServerProcess, target: string): Promise<number> => {
  const { replies } = await talk(server.address, get(target, "connection: close"), { waitMs: 30_000 });
  return Number(replies[0]?.body ?? 0);
};

/** The workers that serve, once there are as many. */
async function pidsOf(server: ServerProcess, count: number): Promise<readonly number[]> {
  let pids: readonly number[] = [];
  await until(`${count} workers serve`, async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(server, "/pid")));
    pids = [...new Set(answers)].filter((pid) => pid > 0);
    return pids.length === count;
  });
  return pids;
}

/** Has the worker publish: the kernel deals connections out, so others are asked too, and do nothing. */
async function sayFrom(server: ServerProcess, pid: number, what: string): Promise<void> {
  await until(`${pid} was asked`, async () => (await ask(server, `/say/${pid}/${what}`)) === pid);
}

/** Says it until all of these have heard it: the supervisor may not know yet that one serves. */
async function tellAll(
  server: ServerProcess,
  what: string,
  from: number,
  to: readonly number[],
): Promise<void> {
  const hearers = (said: string) =>
    [...server.stdout().matchAll(new RegExp(`^(\\d+) heard ${said}$`, "gm"))].map(([, pid]) => Number(pid));
  let said = "";
  for (let n = 0; hearers(said).length < to.length; n += 1) {
    assert.ok(n < 50, `${to.join(", ")} never heard ${what}`);
    said = `${what}-${n}`;
    await sayFrom(server, from, said);
    const endsAt = performance.now() + 2000;
    while (hearers(said).length < to.length && performance.now() < endsAt) await pause(20);
  }
  assert.deepEqual(hearers(said).sort(), [...to].sort());
}
