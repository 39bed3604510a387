// Contract of lock providers.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { LockLease, LockProvider } from "#core/ports/lock.js";

export interface OpenedLocks {
  readonly locks: LockProvider;
  /** Advances the provider's time. */
  readonly pass: (ms: number) => Promise<void> | void;
}

/** Tests of a LockProvider. `open` is called once a test: no key is held yet. */
export function lockProviderContract(name: string, open: () => Promise<OpenedLocks> | OpenedLocks): void {
  const held = async (locks: LockProvider, key: string, ttlMs: number): Promise<LockLease> => {
    const lease = await locks.acquire(key, ttlMs);
    assert.ok(lease, `a lease of '${key}'`);
    return lease;
  };

  describe(`locks in ${name}`, () => {
    test("are held by one at a time, each key by itself", async () => {
      const { locks } = await open();
      const lease = await held(locks, "a", 10_000);

      assert.equal(lease.key, "a");
      assert.equal(await locks.acquire("a", 10_000), undefined);
      assert.ok(await locks.acquire("b", 10_000));
    });

    test("are free once they are given back", async () => {
      const { locks } = await open();
      const lease = await held(locks, "a", 10_000);

      assert.equal(await locks.release(lease), true);
      assert.equal(await locks.release(lease), false);
      assert.ok(await locks.acquire("a", 10_000));
    });

    test("are free when their time is up, and not before", async () => {
      const { locks, pass } = await open();
      await held(locks, "a", 10_000);
      await pass(9_000);
      assert.equal(await locks.acquire("a", 10_000), undefined);
      await pass(1_001);

      assert.ok(await locks.acquire("a", 10_000));
    });

    test("are held longer where they are renewed, from then on", async () => {
      const { locks, pass } = await open();
      const lease = await held(locks, "a", 10_000);
      await pass(9_000);
      assert.equal(await locks.renew(lease, 10_000), true);
      await pass(9_000);

      assert.equal(await locks.acquire("a", 10_000), undefined);
      assert.equal(await locks.renew(lease, 10_000), true);
    });

    test("are not renewed once their time is up, even if no other holder has taken them", async () => {
      const { locks, pass } = await open();
      const lease = await held(locks, "a", 10_000);
      await pass(10_001);

      assert.equal(await locks.renew(lease, 10_000), false);
      assert.equal(await locks.release(lease), false);
    });

    test("are neither renewed nor given back by one that held them before", async () => {
      const { locks, pass } = await open();
      const first = await held(locks, "a", 10_000);
      await pass(10_001);
      await held(locks, "a", 10_000);

      assert.equal(await locks.renew(first, 10_000), false);
      assert.equal(await locks.release(first), false);
      assert.equal(await locks.acquire("a", 10_000), undefined);
    });

    test("have tokens that only grow, given back or run out", async () => {
      const { locks, pass } = await open();
      const tokens: number[] = [];
      for (let n = 0; n < 6; n += 1) {
        const lease = await held(locks, "a", 10_000);
        tokens.push(lease.token);
        if (n % 2 === 0) await locks.release(lease);
        else await pass(10_001);
      }

      assert.ok(tokens.every(Number.isSafeInteger), String(tokens));
      assert.ok(
        tokens.every((token, n) => n === 0 || token > (tokens[n - 1] as number)),
        String(tokens),
      );
    });

    test("go to one of many concurrent requests", async () => {
      const { locks } = await open();
      const answers = await Promise.all(Array.from({ length: 20 }, () => locks.acquire("a", 10_000)));

      assert.equal(answers.filter((lease) => lease !== undefined).length, 1);
    });
  });
}
