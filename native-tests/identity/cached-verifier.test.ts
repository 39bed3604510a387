import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { FrameworkError } from "framework";
import { IamError, type IamIdentity, type IamVerifier, type Verification } from "framework/core";
import { type CachedOptions, cached } from "framework/std";
import { heapAfterCollection } from "../support/heap.js";

type Answer = IamIdentity | IamError;
type Wanted = Answer | Promise<Answer>;

const HOUR = 3_600_000;

const identity = (subject: string, more: Partial<IamIdentity> = {}): IamIdentity => ({
  subject,
  roles: [],
  claims: {},
  ...more,
});

const asked = (controller = new AbortController()): Verification => ({ signal: controller.signal });

/** A cache on a clock moved by hand, over a verifier whose calls are counted. */
function remembering(answer: (token: string, verification: Verification) => Wanted, options?: CachedOptions) {
  const clock = { ms: 1_000_000 };
  const verifier = {
    generation: 0,
    calls: 0,
    verify(token: string, verification: Verification): Wanted {
      verifier.calls += 1;
      return answer(token, verification);
    },
  };
  const cache = cached(verifier, { now: () => clock.ms, ...options });
  const ask = (token: string, controller?: AbortController) => cache.verify(token, asked(controller));
  /** Whether the token is remembered, as the verifier not asked shows. */
  const remembers = (token: string): boolean => {
    const before = verifier.calls;
    ask(token);
    return verifier.calls === before;
  };
  return { cache, clock, verifier, ask, remembers };
}

/** By the token "alice.1": the subject, and which of its tokens. */
const bySubject = (token: string): IamIdentity => identity(token.split(".")[0] as string);

/** A promise that the test settles. */
function pending() {
  let settle: (answer: Answer) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const promise = new Promise<Answer>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  return { promise, settle, fail };
}

/** Verifications that the test answers, the first first. */
function answeredByHand(options?: CachedOptions) {
  const begun: (ReturnType<typeof pending> & { readonly verification: Verification })[] = [];
  const made = remembering((_token, verification) => {
    const answer = { ...pending(), verification };
    begun.push(answer);
    return answer.promise;
  }, options);
  return { ...made, begun };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
      ask("t");
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
    ask("alice.1");
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
    ask("a\ud800");

    assert.ok(ask("a\udfff") instanceof IamError);
    assert.ok(ask("a\ufffd") instanceof IamError);
    assert.equal(verifier.calls, 3);
  });

  test("holds no token", () => {
    const { cache, ask } = remembering(() => identity("alice"));
    ask("a-secret-token");

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

describe("cached, where something is revoked", () => {
  test("forgets a token, and no other", () => {
    const { cache, ask, remembers } = remembering(bySubject);
    ask("alice.1");
    ask("alice.2");
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
    for (const token of all) ask(token);
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

describe("cached, where there are more than it remembers", () => {
  test("never remembers more than it may", () => {
    const { cache, ask } = remembering(bySubject, { maxEntries: 3 });
    for (let i = 0; i < 100; i += 1) {
      ask(`user${i}.1`);
      assert.ok(cache.size <= 3);
    }
  });

  test("lets one subject take its share of places from itself alone", () => {
    const { cache, ask, remembers } = remembering(bySubject, { maxEntries: 100, maxPerSubject: 5 });
    const others = Array.from({ length: 95 }, (_, i) => `user${i}.1`);
    for (const token of others) ask(token);
    for (let i = 0; i < 1000; i += 1) ask(`mallory.${i}`);

    assert.equal(cache.size, 100);
    assert.ok(others.every(remembers));
    const own = [999, 998, 997, 996, 995, 994].map((i) => remembers(`mallory.${i}`));
    assert.deepEqual(own, [true, true, true, true, true, false]);
  });

  test("does not count another issuer's subject of the same name", () => {
    const { ask, remembers } = remembering((token) => identity("alice", { issuer: token.slice(0, 1) }), {
      maxPerSubject: 1,
    });
    ask("a1");
    ask("b1");
    ask("b2");

    assert.ok(remembers("a1") && remembers("b2"));
  });

  test("keeps who is asked for while others come once", () => {
    const { ask, verifier } = remembering(bySubject, { maxEntries: 20 });
    const regulars = Array.from({ length: 10 }, (_, i) => `regular${i}.1`);
    for (const token of regulars) ask(token);
    const before = verifier.calls;
    for (let i = 0; i < 500; i += 1) {
      ask(`passing${i}.1`);
      for (const token of regulars) ask(token);
    }

    assert.equal(verifier.calls - before, 500, "not one regular was verified again");
  });

  test("lets the first go of those who are asked for, rather than look at all", () => {
    const { ask, remembers } = remembering(bySubject, { maxEntries: 200 });
    const regulars = Array.from({ length: 200 }, (_, i) => `regular${i}.1`);
    for (const token of [...regulars, ...regulars]) ask(token);
    ask("newcomer.1");

    assert.deepEqual([remembers("regular0.1"), remembers("regular63.1")], [true, true]);
    assert.ok(!remembers("regular64.1"));
  });

  test("lets go who has ended before who has not", () => {
    const { ask, clock, remembers } = remembering(
      (token) => identity(token, token === "short" ? { expiresAt: 1_000_010 } : {}),
      { maxEntries: 3 },
    );
    for (const token of ["a", "short", "b"]) assert.ok(!remembers(token) && remembers(token));
    clock.ms += 10;
    ask("newcomer");

    assert.deepEqual(["newcomer", "a", "b"].map(remembers), [true, true, true]);
  });

  test("keeps nothing of those whom it has forgotten", async () => {
    const { cache, ask, clock, verifier } = remembering(bySubject, { maxEntries: 10 });
    for (let i = 0; i < 1000; i += 1) ask(`warm${i}.1`);
    const before = heapAfterCollection();
    for (let i = 0; i < 100_000; i += 1) ask(`user${i}.1`);
    assert.ok(heapAfterCollection() - before < 2_000_000);

    verifier.verify = () => IamError.expired();
    clock.ms += HOUR;
    ask("user99999.1");
    assert.equal(cache.size, 9, "what is over goes when it is asked for");
  });

  test("lets newcomers stay long enough to be asked for again", () => {
    const { ask, remembers } = remembering(bySubject, { maxEntries: 20 });
    for (let i = 0; i < 20; i += 1) ask(`old${i}.1`);
    const newcomers = Array.from({ length: 15 }, (_, i) => `new${i}.1`);
    for (const token of newcomers) ask(token);

    assert.ok(newcomers.every(remembers));
  });

  test("is not moved by refused tokens, however many", () => {
    const { cache, ask, remembers } = remembering(
      (token) => (token.startsWith("forged") ? IamError.invalidToken("forged") : bySubject(token)),
      { maxEntries: 2 },
    );
    ask("alice.1");
    ask("bob.1");
    for (let i = 0; i < 1000; i += 1) ask(`forged ${i}`);

    assert.ok(remembers("alice.1") && remembers("bob.1"));
    assert.equal(cache.size, 2);
  });
});

type Step =
  | { readonly do: "ask"; readonly token: number; readonly late: boolean }
  | { readonly do: "answer"; readonly nth: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "forget"; readonly token: number }
  | { readonly do: "forgetSubject"; readonly subject: number; readonly issuer: number | undefined }
  | { readonly do: "clear" }
  | { readonly do: "rotate" };

const TOKENS = 9;
const subjectOf = (token: number): number => token % 4;
const issuerOf = (token: number): number => token % 2;
/** Some never end. */
const LIVES = [50, 150, undefined, 400, undefined, 90, 1000, undefined, 10] as const;

const token = fc.integer({ min: 0, max: TOKENS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant("ask" as const), token, late: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("answer" as const), nth: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: -60, max: 120 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("forget" as const), token }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("forgetSubject" as const),
      subject: fc.nat(3),
      issuer: fc.option(fc.nat(1), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "clear" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "rotate" as const }) },
);

/** What a verification found, and when it began: by the steps counted, and by the clock. */
interface Found {
  readonly token: number;
  readonly step: number;
  readonly from: number;
}

/**
 * The oracle: of each answer it is known which verification it is from. The rules are said
 * over the history of steps, without a store.
 */
class History {
  readonly #maxAgeMs: number;
  readonly #revoked: { readonly step: number; readonly hits: (token: number) => boolean }[] = [];

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  revoke(step: number, hits: (token: number) => boolean): void {
    this.#revoked.push({ step, hits });
  }

  /** Whether who asked at a step may be told this. */
  allows(found: Found, step: number): boolean {
    return !this.#revoked.some(
      (revoked) => revoked.step > found.step && revoked.step < step && revoked.hits(found.token),
    );
  }

  /** Whether it may come from memory at a step. */
  isGood(found: Found, step: number, now: number): boolean {
    const expires = found.from + (LIVES[found.token] ?? Number.POSITIVE_INFINITY);
    return (
      this.allows(found, step) && found.from <= now && now < found.from + this.#maxAgeMs && now < expires
    );
  }
}

describe("cached, in any order of events", () => {
  for (const bounds of [
    { maxEntries: 1000, maxPerSubject: 100 },
    { maxEntries: 3, maxPerSubject: 2 },
  ])
    test(`tells nobody what was revoked, rotated or over before he asked, of ${bounds.maxEntries} places`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 60 }),
          fc.constantFrom(100, 200, HOUR),
          async (steps, maxAgeMs) => {
            const roomy = bounds.maxEntries > TOKENS;
            const history = new History(maxAgeMs);
            const clock = { ms: 5000 };
            const verified: Found[] = [];
            const running: { readonly found: Found; readonly settle: () => void }[] = [];
            let at = 0;
            let late = false;
            const verifier = {
              generation: 0,
              verify(text: string): Wanted {
                const found: Found = { token: Number(text), step: at, from: clock.ms };
                const serial = verified.push(found) - 1;
                const life = LIVES[found.token];
                const answer = identity(`s${subjectOf(found.token)}`, {
                  issuer: `i${issuerOf(found.token)}`,
                  claims: { serial },
                  ...(life !== undefined && { expiresAt: found.from + life }),
                });
                if (!late) return answer;
                const { promise, settle } = pending();
                running.push({ found, settle: () => settle(answer) });
                return promise;
              },
            };
            const cache = cached(verifier, { ...bounds, maxAgeMs, now: () => clock.ms });
            const told: Promise<void>[] = [];
            const serialOf = (answer: Answer): Found =>
              verified[Number((answer as IamIdentity).claims["serial"])] as Found;

            for (const next of steps) {
              at += 1;
              const asking = at;
              switch (next.do) {
                case "ask": {
                  late = next.late;
                  const calls = verified.length;
                  const answer = cache.verify(`${next.token}`, asked());
                  const hit = verified.length === calls;
                  if (answer instanceof Promise) {
                    told.push(
                      answer.then((later) => {
                        const found = serialOf(later);
                        assert.equal(found.token, next.token);
                        assert.ok(history.allows(found, asking), "a verification from before a revocation");
                      }),
                    );
                    break;
                  }
                  const found = serialOf(answer);
                  assert.equal(found.token, next.token, "another token's identity");
                  if (hit) assert.ok(history.isGood(found, asking, clock.ms), "from memory, and not good");
                  break;
                }
                case "answer": {
                  const [one] = running.splice(next.nth % Math.max(running.length, 1), 1);
                  if (one === undefined) break;
                  one.settle();
                  await turn();
                  // Good when it came, and nothing in between: it is there without being asked for.
                  if (roomy && history.isGood(one.found, at, clock.ms)) {
                    const calls = verified.length;
                    late = false;
                    assert.ok(!(cache.verify(`${one.found.token}`, asked()) instanceof Promise));
                    assert.equal(verified.length, calls, "it was not remembered");
                  }
                  break;
                }
                case "wait":
                  clock.ms += next.ms;
                  break;
                case "forget":
                  history.revoke(at, (token) => token === next.token);
                  cache.forget(`${next.token}`);
                  break;
                case "forgetSubject":
                  history.revoke(
                    at,
                    (token) =>
                      subjectOf(token) === next.subject &&
                      (next.issuer === undefined || issuerOf(token) === next.issuer),
                  );
                  cache.forgetSubject(
                    `s${next.subject}`,
                    ...(next.issuer === undefined ? [] : [`i${next.issuer}`]),
                  );
                  break;
                case "clear":
                  history.revoke(at, () => true);
                  cache.clear();
                  break;
                case "rotate":
                  history.revoke(at, () => true);
                  verifier.generation += 1;
                  break;
              }
              assert.ok(cache.size <= bounds.maxEntries);
            }
            for (const { settle } of running) settle();
            await Promise.all(told);
          },
        ),
        { numRuns: 300 },
      );
    });

  test("verifies again only where it has to, with room for all", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.constantFrom(100, HOUR), (steps, maxAgeMs) => {
        // The same rules once more, over a Map and synchronously: hit exactly where the Map has it.
        const clock = { ms: 5000 };
        const model = new Map<number, { readonly from: number; readonly until: number }>();
        const made = remembering(
          (text) => {
            const life = LIVES[Number(text)];
            return identity(`s${subjectOf(Number(text))}`, {
              issuer: `i${issuerOf(Number(text))}`,
              ...(life !== undefined && { expiresAt: clock.ms + life }),
            });
          },
          { maxAgeMs, now: () => clock.ms },
        );
        for (const next of steps) {
          if (next.do === "ask") {
            const kept = model.get(next.token);
            const hit = kept !== undefined && kept.from <= clock.ms && clock.ms < kept.until;
            assert.equal(made.remembers(`${next.token}`), hit);
            if (!hit) {
              const life = Math.min(maxAgeMs, LIVES[next.token] ?? Number.POSITIVE_INFINITY);
              model.set(next.token, { from: clock.ms, until: clock.ms + life });
            }
          } else if (next.do === "wait") clock.ms += next.ms;
          else if (next.do === "forget") {
            model.delete(next.token);
            made.cache.forget(`${next.token}`);
          } else if (next.do === "forgetSubject") {
            for (const token of model.keys())
              if (subjectOf(token) === next.subject && (next.issuer ?? issuerOf(token)) === issuerOf(token))
                model.delete(token);
            made.cache.forgetSubject(
              `s${next.subject}`,
              ...(next.issuer === undefined ? [] : [`i${next.issuer}`]),
            );
          } else if (next.do === "clear") {
            model.clear();
            made.cache.clear();
          } else if (next.do === "rotate") {
            model.clear();
            made.verifier.generation += 1;
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
