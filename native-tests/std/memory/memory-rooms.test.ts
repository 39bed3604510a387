import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MemoryRooms } from "framework/std";
import { roomBusContract } from "framework/testing/contracts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

roomBusContract("memory", (processes) => {
  const maxWaitingBytes = 65_536;
  const rooms = new MemoryRooms({ maxWaitingBytes });
  const members = Array.from({ length: processes }, () => rooms.join());
  return { members, maxWaitingBytes, settled: nextTurn };
});

describe("MemoryRooms", () => {
  test("lets nothing arrive within the call that publishes", async () => {
    const rooms = new MemoryRooms();
    const [here, there] = [rooms.join(), rooms.join()];
    const told: string[] = [];
    there.subscribe({ message: (topic) => void told.push(topic), failed: () => {} });
    here.publish("room", "hello", false);

    assert.deepEqual(told, []);
    await nextTurn();
    assert.deepEqual(told, ["room"]);
  });

  test("keeps nothing of a member that has left", async () => {
    const rooms = new MemoryRooms({ maxWaitingBytes: 1024 });
    const [here, there] = [rooms.join(), rooms.join()];
    const failures: string[] = [];
    here.subscribe({ message: () => {}, failed: (message) => void failures.push(message) });
    await there.dispose();
    here.publish("room", new Uint8Array(4096), true);

    assert.deepEqual(failures, [], "nobody is left who would not have got it");
  });

  test("refuses a bound that is none, and options that it does not know", () => {
    for (const maxWaitingBytes of [0, 1023, 1024.5, Number.NaN, 2 ** 31 + 1, "9"])
      assert.throws(() => new MemoryRooms({ maxWaitingBytes: maxWaitingBytes as number }), {
        code: "CONFIG_INVALID",
        message: /^MemoryRooms: maxWaitingBytes .* from 1024 to 2147483648$/,
      });
    assert.throws(() => new MemoryRooms({ max: 1 } as object), {
      code: "CONFIG_INVALID",
      message: /^MemoryRooms: 'max' .*; there are maxWaitingBytes$/,
    });
  });
});
