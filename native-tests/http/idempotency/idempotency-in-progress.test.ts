import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework } from "framework";
import { TestApp } from "framework/http";
import { ManualClock } from "framework/runtime";
import { IdempotencyGuard, type IdempotencyOptions, MemoryIdempotency } from "framework/std";
import { codeOf, counting, KEY, turns } from "../../support/idempotent-route.js";

describe("while the first request of a key is served", () => {
  /** A route of two steps, of which the first takes as long as the test says. */
  function slow(options: IdempotencyOptions = {}, route: object = {}) {
    const ran = { times: 0 };
    let finish: (value: unknown) => void = () => {};
    const axon = Axon.start<Uint8Array>("pay")
      .thenFn("charge", () => {
        ran.times += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      })
      .thenFn("note", (charged) => charged);
    const guards = [new IdempotencyGuard(options)];
    const app = new TestApp(Framework.http().post("/pay", axon, { input: bytes(), guards, ...route }));
    const pay = (body = "1") => app.post("/pay", { body, headers: KEY });
    return { app, pay, ran, finish: (value: unknown) => finish(value) };
  }

  test("the same again is 409 with Retry-After, another body 422, and then the answer is there", async () => {
    const { pay, finish, ran } = slow();
    const first = pay();
    await turns();
    const meanwhile = await pay();
    assert.equal(codeOf(meanwhile), "IDEMPOTENCY_IN_PROGRESS");
    assert.equal(meanwhile.status, 409);
    assert.equal(meanwhile.headers["retry-after"], "1");
    assert.equal(codeOf(await pay("2")), "IDEMPOTENCY_MISMATCH");
    finish("paid");

    assert.equal((await first).text, "paid");
    assert.equal((await pay()).text, "paid");
    assert.equal(ran.times, 1);
  });

  test("its run goes on where its client goes away, which then gets the answer", async () => {
    const { app, pay, finish, ran } = slow();
    const gone = new AbortController();
    const first = app.post("/pay", { body: "1", headers: KEY, signal: gone.signal });
    await turns();
    gone.abort();
    await assert.rejects(first);
    assert.equal(codeOf(await pay()), "IDEMPOTENCY_IN_PROGRESS");
    finish("paid");
    await turns();

    const again = await pay();
    assert.equal(again.text, "paid");
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.equal(ran.times, 1);
  });

  test("a client that goes away without a key still aborts its run", async () => {
    const seen: string[] = [];
    const axon = Axon.start<Uint8Array>("pay").thenFn(
      "charge",
      (_, bus) =>
        new Promise<void>((resolve) => {
          bus.signal.addEventListener("abort", () => {
            seen.push("aborted");
            resolve();
          });
        }),
    );
    const app = new TestApp(
      Framework.http().post("/pay", axon, { input: bytes(), guards: [new IdempotencyGuard()] }),
    );
    const gone = new AbortController();
    const first = app.post("/pay", { body: "1", signal: gone.signal });
    await turns();
    gone.abort();

    await assert.rejects(first);
    await turns();
    assert.deepEqual(seen, ["aborted"]);
  });

  test("one that took too long holds its key until its lease is over", async () => {
    const clock = new ManualClock();
    const { pay, ran } = slow({ store: new MemoryIdempotency({ clock }) }, { timeoutMs: 250 });

    assert.equal(codeOf(await pay()), "ROUTE_TIMEOUT");
    await turns();
    assert.equal(codeOf(await pay()), "IDEMPOTENCY_IN_PROGRESS");
    await clock.advance(30_249);
    assert.equal(codeOf(await pay()), "IDEMPOTENCY_IN_PROGRESS");
    await clock.advance(2);
    assert.equal(codeOf(await pay()), "ROUTE_TIMEOUT");
    assert.equal(ran.times, 2);
  });

  test("one that was aborted between two steps holds it too", async () => {
    const clock = new ManualClock();
    const { pay, finish, ran } = slow({ store: new MemoryIdempotency({ clock }) }, { timeoutMs: 250 });
    assert.equal(codeOf(await pay()), "ROUTE_TIMEOUT");
    finish("charged");
    await turns();

    assert.equal(codeOf(await pay()), "IDEMPOTENCY_IN_PROGRESS");
    assert.equal(ran.times, 1);
  });

  test("one that took too long and came to its end all the same is answered so", async () => {
    let finish: (value: unknown) => void = () => {};
    const { pay, ran } = counting(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
      {},
      { timeoutMs: 250 },
    );
    assert.equal(codeOf(await pay()), "ROUTE_TIMEOUT");
    finish("paid");
    await turns();

    assert.equal((await pay()).text, "paid");
    assert.equal(ran.times, 1);
  });
});
