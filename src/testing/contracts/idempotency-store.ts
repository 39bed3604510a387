// Contract of stores of responses under idempotency keys.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { IdempotencyLease, IdempotencyStore, KeptAnswer } from "#core/ports/idempotency-store.js";

export interface OpenedIdempotency {
  readonly store: IdempotencyStore;
  /** Advances the store's time. */
  readonly pass: (ms: number) => Promise<void> | void;
}

const CREATED: KeptAnswer = {
  status: 201,
  headers: "\r\ncontent-type: application/json\r\nlocation: /orders/1",
  body: new Uint8Array([0x7b, 0x7d, 0, 0xff, 0x0d, 0x0a]),
};

/** Tests of an IdempotencyStore. `open` is called once a test: each store begins empty. */
export function idempotencyStoreContract(
  name: string,
  open: () => Promise<OpenedIdempotency> | OpenedIdempotency,
): void {
  const first = async (store: IdempotencyStore, key: string, leaseMs = 10_000): Promise<IdempotencyLease> => {
    const claim = await store.claim(key, "f", leaseMs);
    assert.ok(claim.kind === "first", `${key}: ${claim.kind}`);
    assert.equal(claim.lease.key, key);
    return claim.lease;
  };
  const kindOf = async (store: IdempotencyStore, key: string): Promise<string> =>
    (await store.claim(key, "other", 10_000)).kind;

  describe(`idempotency keys in ${name}`, () => {
    test("have one holder each, and tell other claims its fingerprint", async () => {
      const { store } = await open();
      await first(store, "a");

      assert.deepEqual(await store.claim("a", "other", 10_000), { kind: "running", fingerprint: "f" });
      await first(store, "b");
    });

    test("go to one of many concurrent claims", async () => {
      const { store } = await open();
      const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim("a", "f", 10_000)));

      assert.equal(claims.filter(({ kind }) => kind === "first").length, 1);
      assert.equal(claims.filter(({ kind }) => kind === "running").length, 19);
    });

    test("keep an answer byte for byte, as often as it is asked for", async () => {
      const { store } = await open();
      assert.equal(await store.keep(await first(store, "a"), CREATED, 50_000), true);

      for (let n = 0; n < 2; n += 1) {
        const claim = await store.claim("a", "other", 10_000);
        assert.ok(claim.kind === "kept");
        assert.equal(claim.fingerprint, "f");
        assert.equal(claim.answer?.status, CREATED.status);
        assert.equal(claim.answer?.headers, CREATED.headers);
        assert.deepEqual([...(claim.answer?.body ?? [])], [...(CREATED.body ?? [])]);
      }
    });

    test("keep an answer without a body, one with an empty body, and that there was one", async () => {
      const { store } = await open();
      const empty = { status: 200, headers: "", body: new Uint8Array() };
      await store.keep(await first(store, "a"), { status: 204, headers: "", body: undefined }, 50_000);
      await store.keep(await first(store, "b"), empty, 50_000);
      await store.keep(await first(store, "c"), undefined, 50_000);

      const answerOf = async (key: string) => {
        const claim = await store.claim(key, "f", 10_000);
        assert.ok(claim.kind === "kept");
        return claim.answer;
      };
      assert.deepEqual(await answerOf("a"), { status: 204, headers: "", body: undefined });
      assert.equal((await answerOf("b"))?.body?.length, 0);
      assert.equal(await answerOf("c"), undefined);
    });

    test("keep it for its time and no longer, whatever the lease was", async () => {
      const { store, pass } = await open();
      await store.keep(await first(store, "a"), CREATED, 50_000);
      await pass(49_000);
      assert.equal(await kindOf(store, "a"), "kept");
      await pass(1_001);

      assert.equal(await kindOf(store, "a"), "first");
    });

    test("are free once they are released, which is so once", async () => {
      const { store } = await open();
      const lease = await first(store, "a");

      assert.equal(await store.release(lease), true);
      assert.equal(await store.release(lease), false);
      await first(store, "a");
    });

    test("are free when their lease is over, and not before", async () => {
      const { store, pass } = await open();
      await first(store, "a", 10_000);
      await pass(9_000);
      assert.equal(await kindOf(store, "a"), "running");
      await pass(1_001);

      assert.equal(await kindOf(store, "a"), "first");
    });

    test("are not free before their lease is over if their host is not known to have had one", async () => {
      const { store } = await open();
      await store.claim("a", "f", 10_000, undefined, "unknown");

      assert.equal(await kindOf(store, "a"), "running");
    });

    test("are neither answered nor released by one that held them before", async () => {
      const { store, pass } = await open();
      const former = await first(store, "a", 10_000);
      await pass(10_001);
      const holder = await first(store, "a", 10_000);

      assert.equal(await store.keep(former, CREATED, 50_000), false);
      assert.equal(await store.release(former), false);
      assert.equal(await kindOf(store, "a"), "running");
      assert.equal(await store.keep(holder, undefined, 50_000), true);
      assert.equal(await store.keep(former, CREATED, 50_000), false);
      assert.equal(await store.release(former), false);
      assert.deepEqual(await store.claim("a", "f", 10_000), {
        kind: "kept",
        fingerprint: "f",
        answer: undefined,
      });
    });

    test("keep the response of a run with an expired lease, if no other run has claimed them since", async () => {
      const { store, pass } = await open();
      const lease = await first(store, "a", 10_000);
      await pass(10_001);

      assert.equal(await store.keep(lease, CREATED, 50_000), true);
      assert.equal(await kindOf(store, "a"), "kept");
    });

    test("are answered once", async () => {
      const { store } = await open();
      const lease = await first(store, "a");
      await store.keep(lease, CREATED, 50_000);

      assert.equal(await store.keep(lease, undefined, 50_000), false);
      assert.equal(await store.release(lease), false);
      const claim = await store.claim("a", "f", 10_000);
      assert.ok(claim.kind === "kept" && claim.answer !== undefined);
    });
  });
}
