import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { FrameworkError } from "framework";
import { IamError, type IamIdentity, type IamVerifier } from "framework/core";
import { CachedVerifier, cached } from "framework/std";
import { recallOf } from "#core/iam/iam-verifier.js";
import {
  type Answer,
  answeredByHand,
  asked,
  bySubject,
  HOUR,
  identity,
  remembering,
} from "../../support/remembering.js";

/** What a boundary asks before it verifies a token. */
const recalled = ({ verify }: IamVerifier, token: string) => recallOf(verify)?.(token);

describe("cached", () => {
  test("verifies a token once, and answers at once from then on", () => {
    const { ask, verifier } = remembering(bySubject);

    const first = ask("alice.1");
    const second = ask("alice.1");

    assert.deepEqual(first, second);
    assert.equal((second as IamIdentity).subject, "alice");
    assert.equal(verifier.calls, 1);
  });

  test("answers at once where the verifier took its time", async () => {
    const { ask, verifier } = remembering(async (token) => bySubject(token));

    const first = ask("alice.1");
    assert.ok(first instanceof Promise);

    assert.equal(await first, ask("alice.1"));
    assert.equal(verifier.calls, 1);
  });

  test("says whom it remembers without asking the verifier, and of nobody else", () => {
    const { ask, cache, clock, verifier } = remembering(bySubject);
    assert.equal(recalled(cache, "alice.1"), undefined);
    const found = ask("alice.1");

    assert.equal(recalled(cache, "alice.1"), found);
    assert.equal(recalled(cache, "alice.2"), undefined);
    assert.equal(verifier.calls, 1);
    clock.ms += 60_000;
    assert.equal(recalled(cache, "alice.1"), undefined);
  });

  test("remembers nobody any more as soon as the verifier's keys were rotated", () => {
    const { ask, cache, verifier } = remembering(bySubject);
    void ask("alice.1");
    verifier.generation += 1;

    assert.equal(recalled(cache, "alice.1"), undefined);
  });

  test("says of half a surrogate pair nothing that was found of the character in its place", () => {
    const { ask, cache } = remembering(bySubject);
    void ask("alice.\ufffd");

    assert.ok(recalled(cache, "alice.\ufffd"));
    assert.equal(recalled(cache, "alice.\ud800"), undefined);
  });

  test("is asked by nobody past a verifier that stands around it, or in its place", () => {
    const { ask, cache } = remembering(bySubject);
    void ask("alice.1");
    class Checking extends CachedVerifier {
      override readonly verify = () => IamError.invalidToken("revoked");
    }
    const around = { ...cache, verify: () => IamError.invalidToken("revoked") };
    assert.ok(recalled(cache, "alice.1"));
    Object.assign(cache, { verify: around.verify });

    for (const one of [around, new Checking({ verify: bySubject }), cache])
      assert.equal(recalled(one, "alice.1"), undefined);
  });

  test("knows nobody where its clock or its verifier throws, which is for `verify` to tell", () => {
    const clock = { isBroken: false };
    const now = () => (clock.isBroken ? assert.fail("no time") : 1000);
    const cache = cached({ verify: bySubject }, { now });
    void cache.verify("alice.1", asked());
    assert.ok(recalled(cache, "alice.1"));
    clock.isBroken = true;

    assert.equal(recalled(cache, "alice.1"), undefined);
    assert.throws(() => cache.verify("alice.1", asked()));
  });

  test("forgets at the millisecond at which the identity ends, or its time in memory", () => {
    const cases: readonly (readonly [number | undefined, number])[] = [
      [undefined, 60_000],
      [1_000_000 + 500, 500],
      [1_000_000 + HOUR, 60_000],
    ];
    for (const [expiresAt, lives] of cases) {
      const { ask, clock, remembers } = remembering(() =>
        identity("alice", expiresAt === undefined ? {} : { expiresAt }),
      );
      void ask("t");
      clock.ms += lives - 1;
      assert.ok(remembers("t"));
      clock.ms += 1;
      assert.ok(!remembers("t"));
    }
  });

  test("remembers nothing that has ended, and nothing that a clock which says NaN has seen", () => {
    const { clock, remembers, cache } = remembering(() => identity("alice", { expiresAt: 1_000_000 }));
    assert.ok(!remembers("t") && !remembers("t"));
    clock.ms = Number.NaN;
    assert.ok(!remembers("t") && !remembers("t"));
    assert.equal(cache.size, 0);
  });

  test("counts the age from the beginning of a verification", async () => {
    const { ask, begun, clock, remembers } = answeredByHand({ maxAgeMs: 1000 });
    const answer = ask("t");
    clock.ms += 900;
    begun[0]?.settle(identity("alice"));
    await answer;

    clock.ms += 99;
    assert.ok(remembers("t"));
    clock.ms += 1;
    assert.ok(!remembers("t"));
  });

  test("forgets what it remembered at a time that is still to come", () => {
    const { ask, clock, remembers } = remembering(bySubject);
    void ask("alice.1");
    clock.ms -= 1;

    assert.ok(!remembers("alice.1"));
  });

  test("remembers no refusal, no failure and no nonsense", async () => {
    const nonsense = [
      IamError.invalidToken("forged"),
      undefined,
      null,
      "alice",
      {},
      { subject: 1, roles: [], claims: {} },
      { subject: "a", roles: ["x", 1], claims: {} },
      { subject: "a", roles: [], claims: [] },
      { subject: "", roles: [], claims: {} },
      { subject: "a", roles: [], claims: {}, issuer: 1 },
      { subject: "a", roles: [], claims: {}, expiresAt: Number.NaN },
    ] as unknown as readonly Answer[];
    for (const answer of nonsense) {
      const sync = remembering(() => answer);
      assert.equal(sync.ask("t"), answer, "it goes on as it is");
      assert.ok(!sync.remembers("t"));
      const late = remembering(async () => answer);
      assert.equal(await late.ask("t"), answer);
      assert.ok(!late.remembers("t"));
    }
    const thrown = new Error("down");
    const throwing = remembering(() => {
      throw thrown;
    });
    assert.throws(() => throwing.ask("t"), thrown);
    assert.throws(() => throwing.ask("t"), thrown);
    const rejecting = remembering(() => Promise.reject(thrown));
    await assert.rejects(async () => rejecting.ask("t"), thrown);
    await assert.rejects(async () => rejecting.ask("t"), thrown);
    assert.deepEqual([throwing.verifier.calls, rejecting.verifier.calls], [2, 2]);
  });

  test("shares an identity that no step can change", () => {
    const own = {
      subject: "alice",
      roles: ["user"],
      claims: JSON.parse('{"org":{"ids":[1,{"a":2}]},"__proto__":{"admin":true}}'),
    };
    const { ask } = remembering(() => own);
    const found = ask("t") as any;

    assert.throws(() => found.roles.push("admin"), TypeError);
    assert.throws(() => Object.assign(found, { subject: "root" }), TypeError);
    assert.throws(() => Object.assign(found.claims.org, { x: 1 }), TypeError);
    assert.throws(() => found.claims.org.ids.push(1), TypeError);
    assert.throws(() => Object.assign(found.claims.org.ids[1], { a: 3 }), TypeError);
    assert.equal(found.claims.admin, undefined);
    assert.deepEqual(Object.keys(found.claims), ["org", "__proto__"]);
    assert.equal(ask("t"), found);
  });

  test("lets go of an identity that cannot be frozen", () => {
    const { cache, ask } = remembering(() =>
      identity("alice", { claims: { bytes: new Uint8Array(1) as never } }),
    );

    assert.throws(() => ask("t"), TypeError);
    assert.throws(() => ask("t"), TypeError);
    cache.forgetSubject("bob");
    assert.equal(cache.size, 0);
  });

  test("keeps tokens apart whose bytes are the same", () => {
    const { ask, verifier } = remembering((token) =>
      token === "a\ud800" ? identity("alice") : IamError.invalidToken("unknown"),
    );
    void ask("a\ud800");

    assert.ok(ask("a\udfff") instanceof IamError);
    assert.ok(ask("a\ufffd") instanceof IamError);
    assert.equal(verifier.calls, 3);
  });

  test("holds no token", () => {
    const { cache, ask } = remembering(() => identity("alice"));
    void ask("a-secret-token");

    // The stores are private: what can be reached of them is in a snapshot of their Maps.
    const shown = JSON.stringify(cache) + Object.keys(cache).join();
    assert.ok(!shown.includes("a-secret-token"));
  });

  test("follows a rotation: what was verified before, or is being verified, is not remembered", async () => {
    const { ask, begun, verifier, remembers } = answeredByHand();
    const before = ask("t");
    verifier.generation += 1;
    const after = ask("t");
    begun[0]?.settle(identity("alice", { claims: { key: 1 } }));
    assert.equal(((await before) as IamIdentity).claims["key"], 1);
    assert.ok(!remembers("u"));
    begun[1]?.settle(identity("alice", { claims: { key: 2 } }));
    assert.equal(
      ((await after) as IamIdentity).claims["key"],
      2,
      "who came later does not wait for the old key",
    );

    assert.ok(remembers("t"));
    verifier.generation += 1;
    assert.ok(!remembers("t"));
  });

  test("forgets what a rotation during its own verification made old", async () => {
    const { ask, begun, verifier, cache } = answeredByHand();
    const answer = ask("t");
    verifier.generation += 1;
    begun[0]?.settle(identity("alice"));
    await answer;

    assert.equal(cache.size, 0);
  });

  test("hands on the generation, the state in memory and whose it is, and never a token", () => {
    const inner: IamVerifier = {
      description: "JWT ES256",
      perProcess: "keys",
      generation: 3,
      verify: () => identity("a"),
    };
    const cache = cached(cached(inner));

    assert.equal(cache.generation, 3);
    assert.equal(cache.perProcess, "keys");
    assert.equal(cache.description, "JWT ES256, remembered for 60000 ms, remembered for 60000 ms");
    assert.equal(cached({ verify: () => identity("a") }).perProcess, undefined);
  });

  test("refuses options that it cannot work with", () => {
    const verifier = { verify: () => identity("a") };
    const wrong: readonly any[] = [
      { maxEntries: 0 },
      { maxEntries: 1.5 },
      { maxEntries: 10_000_001 },
      { maxAgeMs: 0 },
      { maxAgeMs: Number.NaN },
      { maxAgeMs: 86_400_001 },
      { maxPerSubject: 0 },
      { maxPerSubject: 10_001 },
      { now: 5 },
      { ttl: 5 },
      [],
      null,
    ];
    for (const options of wrong)
      assert.throws(
        () => cached(verifier, options),
        (error) => error instanceof FrameworkError && error.code === "CONFIG_INVALID",
      );
    assert.throws(() => cached({} as any), FrameworkError);
    assert.throws(() => cached(undefined as any), FrameworkError);
  });
});
