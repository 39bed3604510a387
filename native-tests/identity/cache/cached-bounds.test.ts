import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { IamError } from "framework/core";
import { heapAfterCollection } from "../../support/heap.js";
import { bySubject, HOUR, identity, remembering } from "../../support/remembering.js";

describe("cached, where there are more than it remembers", () => {
  test("never remembers more than it may", () => {
    const { cache, ask } = remembering(bySubject, { maxEntries: 3 });
    for (let i = 0; i < 100; i += 1) {
      void ask(`user${i}.1`);
      assert.ok(cache.size <= 3);
    }
  });

  test("lets one subject take its share of places from itself alone", () => {
    const { cache, ask, remembers } = remembering(bySubject, { maxEntries: 100, maxPerSubject: 5 });
    const others = Array.from({ length: 95 }, (_, i) => `user${i}.1`);
    for (const token of others) void ask(token);
    for (let i = 0; i < 1000; i += 1) void ask(`mallory.${i}`);

    assert.equal(cache.size, 100);
    assert.ok(others.every(remembers));
    const own = [999, 998, 997, 996, 995, 994].map((i) => remembers(`mallory.${i}`));
    assert.deepEqual(own, [true, true, true, true, true, false]);
  });

  test("does not count another issuer's subject of the same name", () => {
    const { ask, remembers } = remembering((token) => identity("alice", { issuer: token.slice(0, 1) }), {
      maxPerSubject: 1,
    });
    void ask("a1");
    void ask("b1");
    void ask("b2");

    assert.ok(remembers("a1") && remembers("b2"));
  });

  test("keeps who is asked for while others come once", () => {
    const { ask, verifier } = remembering(bySubject, { maxEntries: 20 });
    const regulars = Array.from({ length: 10 }, (_, i) => `regular${i}.1`);
    for (const token of regulars) void ask(token);
    const before = verifier.calls;
    for (let i = 0; i < 500; i += 1) {
      void ask(`passing${i}.1`);
      for (const token of regulars) void ask(token);
    }

    assert.equal(verifier.calls - before, 500, "not one regular was verified again");
  });

  test("lets the first go of those who are asked for, rather than look at all", () => {
    const { ask, remembers } = remembering(bySubject, { maxEntries: 200 });
    const regulars = Array.from({ length: 200 }, (_, i) => `regular${i}.1`);
    for (const token of [...regulars, ...regulars]) void ask(token);
    void ask("newcomer.1");

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
    void ask("newcomer");

    assert.deepEqual(["newcomer", "a", "b"].map(remembers), [true, true, true]);
  });

  test("keeps nothing of those whom it has forgotten", () => {
    const { cache, ask, clock, verifier } = remembering(bySubject, { maxEntries: 10 });
    for (let i = 0; i < 1000; i += 1) void ask(`warm${i}.1`);
    const before = heapAfterCollection();
    const { signal } = new AbortController();
    for (let i = 0; i < 100_000; i += 1) void cache.verify(`user${i}.1`, { signal });
    const grew = heapAfterCollection() - before;

    assert.ok(grew < 4_000_000, `${grew} bytes`);

    verifier.verify = () => IamError.expired();
    clock.ms += HOUR;
    void ask("user99999.1");
    assert.equal(cache.size, 9, "what is over goes when it is asked for");
  });

  test("lets newcomers stay long enough to be asked for again", () => {
    const { ask, remembers } = remembering(bySubject, { maxEntries: 20 });
    for (let i = 0; i < 20; i += 1) void ask(`old${i}.1`);
    const newcomers = Array.from({ length: 15 }, (_, i) => `new${i}.1`);
    for (const token of newcomers) void ask(token);

    assert.ok(newcomers.every(remembers));
  });

  test("is not moved by refused tokens, however many", () => {
    const { cache, ask, remembers } = remembering(
      (token) => (token.startsWith("forged") ? IamError.invalidToken("forged") : bySubject(token)),
      { maxEntries: 2 },
    );
    void ask("alice.1");
    void ask("bob.1");
    for (let i = 0; i < 1000; i += 1) void ask(`forged ${i}`);

    assert.ok(remembers("alice.1") && remembers("bob.1"));
    assert.equal(cache.size, 2);
  });
});
