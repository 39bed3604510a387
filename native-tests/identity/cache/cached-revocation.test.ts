import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { IamError } from "framework/core";
import type { cached } from "framework/std";
import { answeredByHand, bySubject, identity, pending, remembering } from "../../support/remembering.js";

describe("cached, where something is revoked", () => {
  test("forgets a token, and no other", () => {
    const { cache, ask, remembers } = remembering(bySubject);
    void ask("alice.1");
    void ask("alice.2");
    cache.forget("alice.1");

    assert.ok(remembers("alice.2"));
    assert.ok(!remembers("alice.1"));
  });

  test("forgets all tokens of a subject: of one issuer, or of all", () => {
    const { cache, ask, remembers } = remembering((token) => {
      const [subject, issuer] = token.split("@") as [string, string];
      return identity(subject, { issuer });
    });
    const all = ["alice@a", "alice@b", "bob@a"];
    for (const token of all) void ask(token);
    cache.forgetSubject("alice", "a");
    assert.deepEqual(all.map(remembers), [false, true, true]);
    cache.forgetSubject("alice");
    assert.deepEqual(all.map(remembers), [false, false, true]);
    cache.clear();
    assert.deepEqual(all.map(remembers), [false, false, false]);
  });

  for (const [how, revoke] of [
    ["forget", (cache: ReturnType<typeof cached>) => cache.forget("t")],
    ["forgetSubject", (cache: ReturnType<typeof cached>) => cache.forgetSubject("alice")],
    ["forgetSubject by its issuer", (cache: ReturnType<typeof cached>) => cache.forgetSubject("alice", "a")],
    ["clear", (cache: ReturnType<typeof cached>) => cache.clear()],
  ] as const)
    test(`remembers nothing after ${how} that was being verified, and nobody later waits for it`, async () => {
      const { cache, ask, begun } = answeredByHand();
      const before = ask("t");
      revoke(cache);
      const after = ask("t");
      assert.equal(begun.length, 2);
      begun[0]?.settle(identity("alice", { issuer: "a" }));
      await before;
      assert.equal(cache.size, 0);
      begun[1]?.settle(IamError.invalidToken("revoked"));

      assert.ok((await after) instanceof IamError);
      assert.equal(cache.size, 0);
    });

  test("remembers what is being verified while others are forgotten", async () => {
    const { cache, ask, begun } = answeredByHand();
    const answer = ask("t");
    cache.forget("u");
    cache.forgetSubject("bob");
    cache.forgetSubject("alice", "another");
    begun[0]?.settle(identity("alice", { issuer: "a" }));
    await answer;

    assert.equal(cache.size, 1);
  });

  test("remembers what began after its subject was forgotten, while others run", async () => {
    const { cache, ask, begun } = answeredByHand();
    void ask("u");
    cache.forgetSubject("alice");
    const answer = ask("t");
    begun[1]?.settle(identity("alice"));
    await answer;

    assert.equal(cache.size, 1);
  });

  test("remembers nothing that was verified while more were forgotten than it keeps count of", async () => {
    const { cache, ask, begun } = answeredByHand();
    for (let i = 0; i < 1000; i += 1) cache.forgetSubject(`nobody ${i}`);
    const answers = [ask("t")];
    for (let i = 0; i < 1000; i += 1) cache.forgetSubject(`user ${i}`);
    answers.push(ask("u"));
    begun[1]?.settle(identity("bob"));
    await answers[1];
    assert.equal(cache.size, 1, "1000 are counted");

    cache.forgetSubject("one more");
    answers.push(ask("v"));
    cache.forgetSubject("another");
    begun[0]?.settle(identity("alice"));
    begun[2]?.settle(identity("carol"));
    await Promise.all(answers);
    assert.equal(cache.size, 2, "who began afterwards is remembered");
  });

  test("counts those alone that were forgotten since something runs", async () => {
    const thousand = () => {
      for (let i = 0; i < 1000; i += 1) cache.forgetSubject(`user ${i}`);
    };
    const { cache, ask, begun, verifier } = answeredByHand();
    const verify = verifier.verify;
    verifier.verify = () => {
      throw new Error("down");
    };
    assert.throws(() => ask("s"));
    verifier.verify = verify;
    thousand();
    const answer = ask("t");
    thousand();
    begun[0]?.settle(identity("alice"));
    await answer;
    const later = ask("u");
    cache.forgetSubject("bob");
    begun[1]?.settle(identity("carol"));
    await later;

    assert.equal(cache.size, 2);
  });

  test("has nobody wait for a verification whose verifier forgot before it had answered", () => {
    const made = remembering(() => {
      made.cache.clear();
      return pending().promise;
    });
    void made.ask("t");
    void made.ask("t");

    assert.equal(made.verifier.calls, 2);
  });

  test("is not talked into remembering by a verifier that forgets while it verifies", async () => {
    const made = remembering((token) => {
      made.cache.forgetSubject("alice");
      return token === "late" ? Promise.resolve(identity("alice")) : identity("alice");
    });
    await made.ask("t");
    await made.ask("late");

    assert.equal(made.cache.size, 0);
  });
});
