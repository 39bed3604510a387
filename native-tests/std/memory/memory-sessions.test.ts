import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { REPLACED_MS, type SessionRecord } from "framework/core";
import { MemorySessions } from "framework/std";
import { sessionStoreContract } from "framework/testing/contracts";

const START = 1_700_000_000_000;

sessionStoreContract("memory", () => {
  const clock = { now: START };
  return {
    store: new MemorySessions(),
    now: () => clock.now,
    pass: (ms) => {
      clock.now += ms;
    },
  };
});

// As a store elsewhere answers: calls that are begun at once are done in any order.
sessionStoreContract("memory that is far away", () => {
  const clock = { now: START };
  const store = new MemorySessions();
  let turns = 1;
  const far =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    async (...args: A): Promise<R> => {
      turns = (turns * 5 + 3) % 16;
      for (let n = turns; n > 0; n -= 1) await new Promise(setImmediate);
      return call(...args);
    };
  const { create, find, touch, update, rotate, destroy, destroyAll, cleanUp } = store;
  return {
    store: {
      create: far(create),
      find: far(find),
      touch: far(touch),
      update: far(update),
      rotate: far(rotate),
      destroy: far(destroy),
      destroyAll: far(destroyAll),
      cleanUp: far(cleanUp),
    },
    now: () => clock.now,
    pass: (ms) => {
      clock.now += ms;
    },
  };
});

const recordOf = (owner: string, endsAt: number): SessionRecord => ({
  owner,
  identity: { subject: owner, roles: [], claims: {} },
  data: {},
  version: 1,
  csrfSecret: "",
  createdAt: 0,
  expiresAt: 1_000_000,
  idleUntil: endsAt,
});

describe("MemorySessions", () => {
  test("refuses a new session at its bound while all are live, and takes it when one's time is up", () => {
    const store = new MemorySessions({ maxSessions: 3 });
    for (const [key, end] of [
      ["a", 300],
      ["b", 100],
      ["c", 200],
    ] as const)
      assert.equal(store.create(key, recordOf("ann", end), 0), "created");

    assert.equal(store.create("d", recordOf("ann", 900), 99), "full");
    assert.equal(store.create("d", recordOf("ann", 900), 100), "created");
    assert.deepEqual(
      ["a", "b", "c", "d"].map((key) => store.find(key, 100).kind),
      ["live", "unknown", "live", "live"],
    );
    assert.equal(store.size, 3);
    assert.equal(store.destroyAll("ann", 100), 3);
    assert.equal(store.size, 0);
  });

  test("has room at its bound for what takes another's place", () => {
    const store = new MemorySessions({ maxSessions: 2 });
    store.create("a", recordOf("ann", 900), 0);
    store.create("b", recordOf("ann", 900), 0);

    assert.equal(store.create("c", recordOf("ben", 900), 0, "nobody's"), "full");
    assert.equal(store.create("c", recordOf("ben", 900), 0, "a"), "created");
    assert.ok(store.rotate("b", "d", recordOf("ann", 900), 0));
    assert.deepEqual(
      ["a", "b", "c", "d"].map((key) => store.find(key, 0).kind),
      ["replaced", "replaced", "live", "live"],
    );
  });

  test("knows of a replaced key for a minute, of as many as it may have sessions", () => {
    const store = new MemorySessions({ maxSessions: 2 });
    store.create("k0", recordOf("ann", 900_000), 0);
    for (let n = 0; n < 4; n += 1) store.rotate(`k${n}`, `k${n + 1}`, recordOf("ann", 0), n);
    const kinds = (now: number) => ["k0", "k1", "k2", "k3", "k4"].map((key) => store.find(key, now).kind);

    assert.deepEqual(kinds(REPLACED_MS + 1), ["unknown", "unknown", "replaced", "replaced", "live"]);
    assert.deepEqual(kinds(REPLACED_MS + 2), ["unknown", "unknown", "unknown", "replaced", "live"]);
    assert.deepEqual(kinds(REPLACED_MS + 3), ["unknown", "unknown", "unknown", "unknown", "live"]);
  });

  test("forgets those first that end first, whatever was touched, destroyed and rotated before", () => {
    const step = fc.record({
      what: fc.constantFrom("create", "touch", "destroy", "rotate", "clean", "all"),
      key: fc.integer({ min: 0, max: 15 }),
      owner: fc.constantFrom("ann", "ben"),
      ms: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const store = new MemorySessions({ maxSessions: 6 });
        const model = new Map<string, { owner: string; endsAt: number }>();
        let now = 0;
        let made = 0;
        for (const { what, key, owner, ms } of steps) {
          now += ms >> 3;
          const name = [...model.keys()][key % Math.max(model.size, 1)] ?? "none";
          const known = model.get(name);
          const isLive = known !== undefined && known.endsAt > now;
          if (what === "create") {
            made += 1;
            const ended = [...model].filter(([, { endsAt }]) => endsAt <= now);
            const answer = store.create(`n${made}`, recordOf(owner, now + ms), now);
            assert.equal(answer, model.size < 6 || ended.length > 0 ? "created" : "full");
            if (answer === "full") continue;
            const [first] = ended.toSorted((a, b) => a[1].endsAt - b[1].endsAt);
            if (model.size === 6 && first !== undefined) {
              // Of several that end at once it may be any.
              const gone = ended.filter(([other]) => store.find(other, now).kind === "unknown");
              assert.equal(gone.length, 1);
              assert.equal(gone[0]?.[1].endsAt, first[1].endsAt);
              model.delete(gone[0]?.[0] as string);
            }
            model.set(`n${made}`, { owner, endsAt: now + ms });
          } else if (what === "touch") {
            assert.equal(store.touch(name, now + ms, now), isLive);
            if (isLive) known.endsAt = Math.max(known.endsAt, now + ms);
          } else if (what === "destroy") {
            assert.equal(store.destroy(name, now), isLive);
            model.delete(name);
          } else if (what === "rotate") {
            made += 1;
            assert.equal(store.rotate(name, `n${made}`, recordOf("", 0), now) !== undefined, isLive);
            if (!isLive) continue;
            model.delete(name);
            model.set(`n${made}`, known);
          } else if (what === "all") {
            const mine = [...model].filter(([, other]) => other.owner === owner);
            const live = mine.filter(([, { endsAt }]) => endsAt > now);
            assert.equal(store.destroyAll(owner, now), live.length);
            for (const [other] of mine) model.delete(other);
          } else {
            const ended = [...model].filter(([, { endsAt }]) => endsAt <= now);
            assert.equal(store.cleanUp(2, now), Math.min(2, ended.length));
            for (const [other] of ended) if (store.find(other, now).kind === "unknown") model.delete(other);
          }
          assert.equal(store.size, model.size);
          for (const [other, { endsAt }] of model)
            assert.equal(store.find(other, now).kind, endsAt > now ? "live" : "expired");
        }
      }),
      { numRuns: 300 },
    );
  });

  test("refuses a bound that is none, and options that it does not know", () => {
    for (const maxSessions of [0, -1, 1.5, Number.NaN, 10_000_001, "9"])
      assert.throws(() => new MemorySessions({ maxSessions: maxSessions as number }), {
        code: "CONFIG_INVALID",
        message: /^MemorySessions: maxSessions .* from 1 to 10000000$/,
      });
    assert.throws(() => new MemorySessions({ max: 1 } as object), {
      code: "CONFIG_INVALID",
      message: /^MemorySessions: 'max' .*; there are maxSessions$/,
    });
  });
});
