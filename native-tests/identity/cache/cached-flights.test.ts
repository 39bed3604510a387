import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { IamError, type IamIdentity } from "framework/core";
import { answeredByHand, identity, turn } from "../../support/remembering.js";

describe("cached, where many ask at once", () => {
  test("verifies once for all who wait, and gives all the same", async () => {
    const { ask, begun, verifier } = answeredByHand();
    const answers = Array.from({ length: 50 }, () => ask("t"));
    begun[0]?.settle(identity("alice"));
    const found = await Promise.all(answers);

    assert.equal(verifier.calls, 1);
    assert.equal(new Set(found).size, 1);
  });

  test("tells all who wait of a failure, and begins again with the next", async () => {
    const { ask, begun, verifier } = answeredByHand();
    const answers = [ask("t"), ask("t")].map((answer) =>
      Promise.resolve(answer).catch((error) => error.message),
    );
    begun[0]?.fail(new Error("down"));

    assert.deepEqual(await Promise.all(answers), ["down", "down"]);
    void ask("t");
    assert.equal(verifier.calls, 2);
  });

  test("lets who goes away take it from nobody", async () => {
    const { ask, begun, remembers } = answeredByHand();
    const [first, second] = [new AbortController(), new AbortController()];
    const gone = ask("t", first);
    const staying = ask("t", second);
    first.abort();

    const left = await gone;
    assert.ok(left instanceof IamError && left.kind === "VerifierUnavailable");
    assert.equal(begun[0]?.verification.signal.aborted, false);
    begun[0]?.settle(identity("alice"));
    assert.equal(((await staying) as IamIdentity).subject, "alice");
    assert.ok(remembers("t"));
  });

  test("aborts the verification when the last has gone, and begins anew with the next", async () => {
    const { ask, begun, cache } = answeredByHand();
    const controllers = [new AbortController(), new AbortController()];
    const answers = controllers.map((controller) => ask("t", controller));
    const signal = begun[0]?.verification.signal;
    controllers[0]?.abort();
    assert.equal(signal?.aborted, false);
    controllers[1]?.abort();
    assert.equal(signal?.aborted, true);
    await Promise.all(answers);

    const later = ask("t");
    begun[0]?.settle(identity("alice"));
    await turn();
    assert.equal(cache.size, 0, "nobody waited for it");
    begun[1]?.settle(identity("alice"));
    await later;
    assert.equal(cache.size, 1);
  });

  test("does not keep waiting who was gone before", async () => {
    const { ask, begun } = answeredByHand();
    const controller = new AbortController();
    controller.abort();

    assert.ok((await ask("t", controller)) instanceof IamError);
    assert.equal(begun[0]?.verification.signal.aborted, true);
  });

  test("has nobody wait for a verification that began 5 s ago, or is still to begin", async () => {
    const { ask, begun, cache, clock } = answeredByHand();
    const answers = [ask("t")];
    clock.ms += 4999;
    answers.push(ask("t"));
    assert.equal(begun.length, 1);
    clock.ms += 1;
    answers.push(ask("t"));
    assert.equal(begun.length, 2);
    begun[0]?.settle(identity("alice"));
    await answers[0];
    cache.clear();
    answers.push(ask("t"));
    assert.equal(begun.length, 3);
    clock.ms -= 1;
    answers.push(ask("t"));
    assert.equal(begun.length, 4);
    clock.ms += 1;
    for (const { settle } of begun) settle(identity("alice"));
    await Promise.all(answers);

    assert.equal(cache.size, 1);
    cache.forget("t");
    assert.equal(cache.size, 0);
  });

  test("waits for the verification that runs though an older one has ended", async () => {
    const { ask, begun, clock, cache } = answeredByHand();
    const old = ask("t");
    clock.ms += 5000;
    const fresh = ask("t");
    begun[0]?.fail(new Error("down"));
    await assert.rejects(async () => old);
    const joined = ask("t");
    begun[1]?.settle(identity("alice"));

    assert.equal(await joined, await fresh);
    assert.deepEqual([begun.length, cache.size], [2, 1]);
  });

  test("lets go of the run's signal when it has answered", async () => {
    const { ask, begun } = answeredByHand();
    const { signal } = new AbortController();
    let listening = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: any) => {
      listening += 1;
      (add as any)(...given);
    };
    signal.removeEventListener = (...given: any) => {
      listening -= 1;
      (remove as any)(...given);
    };
    const answer = ask("t", { signal } as AbortController);
    assert.equal(listening, 1);
    begun[0]?.settle(identity("alice"));
    await answer;
    await turn();

    assert.equal(listening, 0);
  });
});
