import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework, respond } from "framework";
import type { IdempotencyClaim, IdempotencyLease, IdempotencyStore } from "framework/core";
import { TestApp } from "framework/http";
import { IdempotencyGuard, MemoryIdempotency } from "framework/std";
import { codeOf, counting, KEY, storeWith, turns } from "../../support/idempotent-route.js";

describe("where the store of keys fails", () => {
  const claims: Readonly<Record<string, () => never | IdempotencyClaim | Promise<IdempotencyClaim>>> = {
    "it throws": () => {
      throw new Error("store");
    },
    "it rejects": () => Promise.reject(new Error("store")),
    "it never answers": () => new Promise(() => {}),
    "it is full": () => ({ kind: "full" }),
    "it answers nothing": () => undefined as never,
    "it answers something else": () => Promise.resolve({ kind: "maybe" } as never),
  };
  for (const [name, claim] of Object.entries(claims)) {
    test(`nothing is run, and it is reported: ${name}`, async () => {
      const { pay, ran, codes } = counting(() => "paid", { store: storeWith({ claim }), storeTimeoutMs: 20 });
      const answer = await pay();

      assert.equal(answer.status, 503);
      assert.equal(codeOf(answer), "IDEMPOTENCY_UNAVAILABLE");
      assert.equal(answer.headers["retry-after"], "1");
      assert.equal(ran.times, 0);
      assert.deepEqual(codes(), ["IDEMPOTENCY_FAILED"]);
    });
  }

  test("a claim that comes too late is given back", async () => {
    const memory = new MemoryIdempotency();
    let isSlow = true;
    let arrive: () => void = () => {};
    const store = storeWith(
      {
        claim: (...args) => {
          const claim = memory.claim(...args);
          if (!isSlow) return claim;
          isSlow = false;
          return new Promise((resolve) => {
            arrive = () => resolve(claim);
          });
        },
      },
      memory,
    );
    const { pay, ran } = counting(() => "paid", { store, storeTimeoutMs: 20 });
    assert.equal((await pay()).status, 503);
    assert.equal(codeOf(await pay()), "IDEMPOTENCY_IN_PROGRESS");
    arrive();
    await turns();

    assert.equal((await pay()).text, "paid");
    assert.equal(ran.times, 1);
  });

  test("a claim whose client has gone away meanwhile is given back, and nothing is run", async () => {
    const memory = new MemoryIdempotency();
    let arrive: () => void = () => {};
    const store = storeWith(
      {
        claim: (...args) =>
          new Promise((resolve) => {
            arrive = () => resolve(memory.claim(...args));
          }),
      },
      memory,
    );
    const { app, ran } = counting(() => "paid", { store });
    const gone = new AbortController();
    const first = app.post("/pay", { body: "1", headers: KEY, signal: gone.signal });
    await turns();
    gone.abort();
    await assert.rejects(first);
    arrive();
    await turns();

    assert.equal(ran.times, 0);
    assert.equal(memory.size, 0);
  });

  for (const [name, keep] of Object.entries({
    "it throws": () => {
      throw new Error("store");
    },
    "it rejects": () => Promise.reject(new Error("store")),
    "it never answers": () => new Promise<boolean>(() => {}),
    "another has the key": () => false,
    "another has the key, as it says later": () => Promise.resolve(false),
  } satisfies Record<string, IdempotencyStore["keep"]>)) {
    test(`the answer goes out, and it is reported: ${name}`, async () => {
      const { app, pay, ran, codes } = counting(() => "paid", {
        store: storeWith({ keep }),
        storeTimeoutMs: 20,
      });

      assert.equal((await pay()).text, "paid");
      // Stopping waits for what is on its way.
      await app.close();
      assert.equal(ran.times, 1);
      assert.deepEqual(codes(), ["IDEMPOTENCY_FAILED"]);
    });
  }

  test("a key that cannot be freed is reported", async () => {
    const release = () => Promise.reject(new Error("store"));
    const { app, pay, codes } = counting(() => respond({ status: 503, body: "down" }), {
      store: storeWith({ release }),
    });
    await pay();
    await app.close();

    assert.deepEqual(codes(), ["IDEMPOTENCY_FAILED"]);
  });

  test("a body outlives its wait for a store that takes time", async () => {
    const memory = new MemoryIdempotency();
    const later = <T>(value: T): Promise<T> => new Promise((resolve) => setTimeout(resolve, 5, value));
    const store: IdempotencyStore = {
      claim: (...args) => later(memory.claim(...args)),
      keep: (...args) => later(memory.keep(...args)),
      release: (lease: IdempotencyLease) => later(memory.release(lease)),
    };
    const axon = Axon.start<Uint8Array>("echo").thenFn("echo", (body) => body);
    const app = new TestApp(
      Framework.http().post("/echo", axon, { input: bytes(), guards: [new IdempotencyGuard({ store })] }),
    );
    const send = () => app.post("/echo", { body: "the body", headers: KEY });

    assert.equal((await send()).text, "the body");
    await app.close();
    assert.equal(memory.size, 1);
  });
});
