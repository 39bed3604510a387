import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  bytes,
  ExecutionMode,
  Framework,
  fault,
  json,
  MemoryLocks,
  ProblemDetail,
  respond,
  Type,
} from "framework";
import { TestApp } from "framework/http";
import { IdempotencyGuard } from "framework/std";
import { codeOf, counting, KEY } from "../../support/idempotent-route.js";

describe("a key is free again", () => {
  const Amount = Type.Object({ amount: Type.Integer() });
  const failing: Readonly<Record<string, () => unknown>> = {
    "a fault of 5xx": () => fault(new ProblemDetail({ status: 503, code: "DOWN", title: "Down" })),
    "a reply of 5xx": () => respond({ status: 500, body: "no" }),
    "a fault without a status": () => fault("what?"),
    "an exception": () => {
      throw new Error("boom");
    },
    "a promise that is rejected": () => Promise.reject(new Error("boom")),
    "what cannot be written": () => ({ big: 1n }),
    "a 429": () => respond({ status: 429, body: "slow down" }),
    "a 425": () => respond({ status: 425, body: "too early" }),
    "a 408": () => respond({ status: 408, body: "too late" }),
  };
  for (const [name, answer] of Object.entries(failing)) {
    test(`after ${name}`, async () => {
      const { pay, ran } = counting((n) => (n === 1 ? answer() : "paid"));
      assert.notEqual((await pay()).text, "paid");

      assert.equal((await pay()).text, "paid");
      assert.equal(ran.times, 2);
    });
  }

  test("after an input that was refused, for another body too", async () => {
    let ran = 0;
    const axon = Axon.start("pay", Amount).thenFn("charge", () => {
      ran += 1;
      return "paid";
    });
    const app = new TestApp(
      Framework.http().post("/pay", axon, { input: json(Amount), guards: [new IdempotencyGuard()] }),
    );
    const send = (amount: unknown) => app.post("/pay", { json: { amount }, headers: KEY });

    assert.equal((await send("much")).status, 422);
    assert.equal((await send(5)).text, "paid");
    assert.equal(ran, 1);
  });

  test("after a run that could not begin because a lock was taken", async () => {
    const provider = new MemoryLocks();
    const held = provider.acquire("pay", 60_000);
    const axon = Axon.start<Uint8Array>("pay")
      .thenFn("charge", () => "paid")
      .withExecutionMode(ExecutionMode.singleton("pay", 60_000, provider));
    const app = new TestApp(
      Framework.http().post("/pay", axon, { input: bytes(), guards: [new IdempotencyGuard()] }),
    );
    const send = () => app.post("/pay", { body: "1", headers: KEY });

    assert.equal(codeOf(await send()), "LOCK_TAKEN");
    provider.release(held as never);
    assert.equal((await send()).text, "paid");
  });
});
