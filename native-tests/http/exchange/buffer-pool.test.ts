import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BufferPool } from "#http/exchange/buffer-pool.js";
import { ByteCollector } from "#http/exchange/byte-collector.js";

const MIB = 1_048_576;

describe("the buffers of bodies", () => {
  test("are reused, for any length of the same size", () => {
    const pool = new BufferPool();
    const first = pool.take(900_000);
    const second = pool.take(600_000);
    pool.give(first);

    assert.equal(first.length, MIB);
    assert.equal(pool.freeBytes, MIB);
    assert.equal(pool.take(524_289), first);
    assert.notEqual(second, first);
    assert.equal(pool.freeBytes, 0);
  });

  test("are left to V8 where they are small, and where 32 MiB are free", () => {
    const pool = new BufferPool();
    const inUse = pool.take(1);
    pool.give(pool.take(16_383));
    assert.equal(pool.freeBytes, 0);
    const taken = Array.from({ length: 40 }, () => pool.take(MIB));
    for (const buffer of taken) pool.give(buffer);
    assert.equal(pool.freeBytes, 32 * MIB);
    pool.give(inUse);

    assert.equal(pool.freeBytes, 0, "none is in use");
  });

  test("of a collector that grew go back with those before them, with their bytes only once", () => {
    const pool = new BufferPool();
    const inUse = pool.take(1);
    const collector = new ByteCollector(20_000, pool);
    for (let n = 0; n < 10; n += 1) collector.add(Buffer.alloc(10_000, n));

    assert.equal(collector.bytes().length, 100_000);
    assert.deepEqual([...new Set(collector.bytes())], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.equal(pool.freeBytes, 32_768 + 65_536);
    collector.release();
    assert.equal(pool.freeBytes, 32_768 + 65_536 + 131_072);
    pool.give(inUse);
  });
});
