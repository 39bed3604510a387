import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";

import { inspectorFault } from "#inspector/api/fault.js";
import { type Run, spread } from "#inspector/peers/across.js";
import { Peers } from "#inspector/peers/peers.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";

interface Listed {
  readonly items: readonly number[];
  readonly workers_silent: number;
}

const schema = Type.Object({ items: Type.Array(Type.Number()), workers_silent: Type.Number() });
const caller = { role: "viewer", tokenId: "t", origin: undefined, requestId: "r" } as const;

describe("a list of several processes", () => {
  test("counts a process as silent whose own answer is a fault", async () => {
    const rooms = new MemoryRooms();
    const listing = (pid: number, run: Run<undefined, Listed>) =>
      spread<undefined, Listed>(
        { about: "GET /list", schema, steers: false, run },
        { merged: (own, others) => ({ ...own, items: [own, ...others].flatMap(({ items }) => items) }) },
        new Peers({ bus: rooms.join(), expected: 2, pid }),
      );
    const list = listing(1, () => ({ items: [1], workers_silent: 0 }));
    listing(2, () => ({ items: [2], workers_silent: 0 }));
    listing(3, () => inspectorFault("TRACE_UNKNOWN", { detail: "none" }));

    assert.deepEqual(await list(undefined, caller), { items: [1, 2], workers_silent: 1 });
  });
});
