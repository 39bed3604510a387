import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { KeptAnswer } from "framework/core";
import { ManualClock } from "framework/runtime";
import { MemoryIdempotency, type MemoryIdempotencyOptions } from "framework/std";
import { idempotencyStoreContract } from "framework/testing/contracts";

idempotencyStoreContract("memory", () => {
  const clock = new ManualClock();
  return { store: new MemoryIdempotency({ clock }), pass: (ms) => clock.advance(ms) };
});

const answerOf = (bytes: number): KeptAnswer => ({ status: 200, headers: "", body: new Uint8Array(bytes) });

function opened(options: MemoryIdempotencyOptions) {
  const clock = new ManualClock();
  const store = new MemoryIdempotency({ clock, ...options });
  const claim = (key: string, leaseMs = 1000) => store.claim(key, "f", leaseMs);
  const keep = (key: string, bytes = 1, ttlMs = 5000) => {
    const claimed = claim(key);
    assert.ok(claimed.kind === "first", `${key}: ${claimed.kind}`);
    return store.keep(claimed.lease, answerOf(bytes), ttlMs);
  };
  /** What is kept, without a claim that would change it. */
  const isKept = (key: string) => {
    const claimed = claim(key);
    if (claimed.kind === "first") store.release(claimed.lease);
    return claimed.kind === "kept";
  };
  return { clock, store, claim, keep, isKept };
}

describe("MemoryIdempotency", () => {
  test("gives up its oldest answer for a new key at its bound of entries", () => {
    const { claim, keep, isKept } = opened({ maxEntries: 3 });
    for (const key of ["a", "b", "c"]) keep(key);

    assert.equal(claim("d").kind, "first");
    assert.deepEqual(["b", "c"].map(isKept), [true, true]);
    assert.equal(isKept("a"), false);
  });

  test("refuses a new key where all are being served, and takes one when a lease is over", async () => {
    const { clock, claim } = opened({ maxEntries: 2 });
    claim("a", 1000);
    claim("b", 2000);

    assert.equal(claim("c").kind, "full");
    assert.equal(claim("a").kind, "running");
    await clock.advance(1001);
    assert.equal(claim("c").kind, "first");
    assert.equal(claim("b").kind, "running");
    assert.equal(claim("a").kind, "full");
  });

  test("gives up old answers until a new one has room in its bound of bytes", () => {
    const { keep, isKept } = opened({ maxBytes: 100 });
    keep("a", 40);
    keep("b", 40);
    keep("c", 20);
    assert.deepEqual(["a", "b", "c"].map(isKept), [true, true, true]);
    keep("d", 50);

    assert.deepEqual(["a", "b", "c", "d"].map(isKept), [false, false, true, true]);
  });

  test("counts the head of an answer and keeps none that is larger than all its room", () => {
    const { store, claim, keep, isKept } = opened({ maxBytes: 10 });
    keep("a", 5);
    const claimed = claim("b");
    assert.ok(claimed.kind === "first");

    assert.throws(
      () => store.keep(claimed.lease, { status: 200, headers: "123456", body: new Uint8Array(5) }, 5000),
      RangeError,
    );
    assert.equal(isKept("a"), true);
    assert.equal(claim("b").kind, "running");
  });

  test("has the room of answers again whose time is up", async () => {
    const { clock, keep, isKept } = opened({ maxBytes: 100 });
    keep("a", 40, 9000);
    keep("b", 60, 1000);
    await clock.advance(1001);
    assert.equal(isKept("b"), false);
    keep("c", 60);

    assert.deepEqual(["a", "c"].map(isKept), [true, true]);
  });

  test("lets go of answers whose time is up as new keys come", async () => {
    const { clock, store, keep } = opened({});
    for (const key of ["a", "b", "c"]) keep(key, 1, 1000);
    keep("d", 1, 2000);
    assert.equal(store.size, 4);
    await clock.advance(1001);
    keep("e");

    assert.equal(store.size, 2);
  });

  test("is not made of bounds that are none", () => {
    assert.throws(() => new MemoryIdempotency({ maxKeys: 5 } as never), {
      code: "CONFIG_INVALID",
      message: /'maxKeys' .*; there are /,
    });
    for (const value of [0, -1, 1.5, Number.NaN]) {
      assert.throws(() => new MemoryIdempotency({ maxEntries: value }), {
        code: "CONFIG_INVALID",
        message: /maxEntries/,
      });
      assert.throws(() => new MemoryIdempotency({ maxBytes: value }), {
        code: "CONFIG_INVALID",
        message: /maxBytes/,
      });
    }
  });
});
