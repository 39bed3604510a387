// Random lives of the cache: a server that is told what to do, a clock that is moved by hand,
// requests at any moment, also while a load goes on. What must hold is written down apart from
// how the cache does it.

import assert from "node:assert/strict";
import { KeyObject } from "node:crypto";
import { describe, test } from "node:test";

import fc from "fast-check";
import type { IamError } from "framework/core";

import { JwksCache, type LoadedKeys } from "#identity/jwt/jwks-cache.js";
import { JwksKeySet } from "#identity/jwt/jwks-key-set.js";
import { maxAgeOf } from "#identity/jwt/jwks-max-age.js";

import { ecKey, patient } from "../../support/jwks-server.js";

const MAX_AGE = 600_000;
const COOL_DOWN = 30_000;
const STALE = 3_600_000;
const TIMEOUT = 3000;
const NAMES = ["a", "b", "c"] as const;
const JWKS = NAMES.map((name) => JSON.parse(JSON.stringify(ecKey(name).jwk)));
const setOf = (names: readonly string[]): JwksKeySet => {
  const set = JwksKeySet.of({ keys: JWKS.filter(({ kid }) => names.includes(kid)) });
  assert.ok(set instanceof JwksKeySet);
  return set;
};

type Action =
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "ask"; readonly kid: string }
  | { readonly kind: "look" }
  | { readonly kind: "answer"; readonly names: readonly string[] }
  | { readonly kind: "fail" };

const names = fc.subarray([...NAMES]);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      ms: fc.constantFrom(1, 999, 1000, 2999, 29_999, 30_000, 60_000, 119_999, 480_000, 600_000, 3_600_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("ask" as const), kid: fc.constantFrom(...NAMES, "x") }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "look" as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("answer" as const), names }) },
  { weight: 2, arbitrary: fc.constant({ kind: "fail" as const }) },
);

/** What went over the wire, as whoever stands beside it would note it. */
interface Load {
  readonly begunAt: number;
  endedAt: number | undefined;
  /** Undefined: it failed. */
  names: readonly string[] | undefined;
}

class Life {
  ms = 0;
  readonly loads: Load[] = [];
  settle:
    | { readonly resolve: (loaded: LoadedKeys) => void; readonly reject: (error: Error) => void }
    | undefined;
  reports = 0;
  readonly cache = new JwksCache({
    name: "keys",
    load: () => {
      assert.equal(this.settle, undefined, "one load at a time");
      this.loads.push({ begunAt: this.ms, endedAt: undefined, names: undefined });
      return new Promise((resolve, reject) => {
        this.settle = { resolve, reject };
      });
    },
    now: () => this.ms,
    coolDownMs: COOL_DOWN,
    staleMs: STALE,
    reporter: () => {
      this.reports += 1;
    },
  });
  generation = 0;

  get ended(): readonly Load[] {
    return this.loads.filter(({ endedAt }) => endedAt !== undefined);
  }
  get lastGood(): Load | undefined {
    return this.ended.findLast((load) => load.names !== undefined);
  }
  get failing(): boolean {
    const last = this.ended.at(-1);
    return last !== undefined && last.names === undefined;
  }

  /** A load that takes longer than its time limit has failed. */
  async wait(ms: number): Promise<void> {
    const until = this.ms + ms;
    const limit = (this.loads.at(-1)?.begunAt ?? 0) + TIMEOUT;
    if (this.settle !== undefined && limit <= until) {
      this.ms = limit;
      await this.end(undefined);
    }
    this.ms = until;
  }

  async end(names: readonly string[] | undefined): Promise<void> {
    const { settle } = this;
    if (settle === undefined) return;
    const load = this.loads.at(-1) as Load;
    const before = this.lastGood;
    const generation = this.cache.generation;
    load.endedAt = this.ms;
    load.names = names;
    this.settle = undefined;
    if (names === undefined) settle.reject(new Error("down"));
    else settle.resolve({ keys: setOf(names), maxAgeMs: MAX_AGE });
    await new Promise((resolve) => setImmediate(resolve));
    // Keys that were too old had gone before, and the generation with them.
    const counted = this.ms < (before?.begunAt ?? 0) + MAX_AGE + STALE ? (before?.names ?? []) : [];
    const isGone = counted.some((name) => names !== undefined && !names.includes(name));
    // Read from what is known now, so that the look itself begins no load.
    if (isGone) assert.notEqual(this.cache.generation, generation, "a key was taken out");
    else if (this.ms < (before?.begunAt ?? 0) + MAX_AGE)
      assert.equal(this.cache.generation, generation, "nothing was taken out");
  }

  /** An answer that is given at `this.ms`. */
  check(kid: string, found: KeyObject | IamError | undefined): void {
    const good = this.lastGood;
    if (found instanceof KeyObject && good !== undefined) {
      assert.ok(good.names?.includes(kid), `${kid} is a key of the last set`);
      assert.ok(this.ms < good.begunAt + MAX_AGE + STALE, "and not too old");
      if (this.ms >= good.begunAt + MAX_AGE)
        assert.ok(this.failing, "old ones go on while loading fails alone");
    } else if (found === undefined || found instanceof KeyObject) {
      assert.ok(found === undefined && good !== undefined && !good.names?.includes(kid), `${kid} is no key`);
      assert.ok(!this.failing, "who says so has just answered");
    } else {
      assert.equal(found.kind, "VerifierUnavailable");
      assert.ok(this.failing, "it was asked for in vain");
      if (good?.names?.includes(kid)) assert.ok(this.ms >= good.begunAt + MAX_AGE + STALE);
    }
  }
}

/** From a failure's end until the next load, at least. */
const pauseMs = (failures: number): number => Math.min(1000 * 2 ** (failures - 1), COOL_DOWN);

describe("the cache of a URL's keys", () => {
  test("keeps its promises in every order of requests, answers, failures and time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const life = new Life();
        const waiting: Promise<PromiseSettledResult<void>[]>[] = [];
        for (const step of actions) {
          if (step.kind === "wait") await life.wait(step.ms);
          else if (step.kind === "look") void life.cache.generation;
          else if (step.kind === "fail") await life.end(undefined);
          else if (step.kind === "answer") await life.end(step.names);
          else {
            const { kid } = step;
            const good = life.lastGood;
            const isKnown = good?.names?.includes(kid) && life.ms < good.begunAt + MAX_AGE;
            const found = life.cache.find({ alg: "ES256", kid }, patient);
            if (found instanceof Promise) {
              assert.ok(!isKnown, "nobody waits for a good key");
              assert.ok(life.settle !== undefined, "what is waited for goes on");
              // Settled, and thrown at the end: nobody awaits it before.
              waiting.push(Promise.allSettled([found.then((answer) => life.check(kid, answer))]));
            } else life.check(kid, found);
          }
        }
        await life.end(["a"]);
        for (const [checked] of await Promise.all(waiting))
          if (checked?.status === "rejected") throw checked.reason;

        let failures = 0;
        for (const [at, load] of life.loads.entries()) {
          const next = life.loads[at + 1];
          failures = load.names === undefined ? failures + 1 : 0;
          if (next === undefined) break;
          const earliest =
            failures === 0 ? load.begunAt + COOL_DOWN : (load.endedAt as number) + pauseMs(failures);
          assert.ok(next.begunAt >= earliest, `load ${at + 1} began at ${next.begunAt}, before ${earliest}`);
        }
      }),
      { numRuns: 600 },
    );
  });

  test("reports each time that loading begins to fail, and not each failure", async () => {
    const life = new Life();
    for (const names of [undefined, undefined, ["a"], undefined, undefined] as const) {
      life.ms += 10 * MAX_AGE;
      void life.cache.find({ alg: "ES256", kid: "a" }, patient);
      await life.end(names);
    }

    assert.equal(life.loads.length, 5);
    assert.equal(life.reports, 2);
  });

  test("has nobody go on with old keys for a failure that is long past", async () => {
    const life = new Life();
    const found = () => life.cache.find({ alg: "ES256", kid: "a" }, patient);
    void found();
    await life.end(["a"]);
    life.ms = MAX_AGE - 1;
    void found();
    await life.end(undefined);
    life.ms += 2 * COOL_DOWN - 1;
    assert.ok(found() instanceof KeyObject, "the server has just failed");
    await life.end(undefined);
    life.ms += 2 * COOL_DOWN;

    const waited = found();
    assert.ok(waited instanceof Promise, "it may be well again");
    await life.end(["b"]);
    assert.equal(await waited, undefined);
  });

  test("says that remembered tokens count no more when old keys have gone on for their time", async () => {
    const life = new Life();
    void life.cache.find({ alg: "ES256", kid: "a" }, patient);
    await life.end(["a"]);
    life.ms = MAX_AGE - 1;
    void life.cache.generation;
    await life.end(undefined);
    const before = life.cache.generation;
    life.ms = MAX_AGE + 1000;
    assert.equal(life.cache.generation, before, "they go on");
    await life.end(undefined);
    life.ms = MAX_AGE + STALE;

    assert.notEqual(life.cache.generation, before);
  });
});

describe("the time that keys are good", () => {
  const maxAge = (headers: Record<string, string>): number =>
    maxAgeOf(new Headers(headers), { minMs: 30_000, maxMs: 600_000 });

  test("is what the server says, and never longer or shorter than the bounds", () => {
    for (const [control, age, expected] of [
      ["max-age=60", "", 60_000],
      ["MAX-AGE=60", "", 60_000],
      ['private, max-age="60", must-revalidate', "", 60_000],
      ["public,max-age=60", "", 60_000],
      ["max-age=60", "10", 50_000],
      ["max-age=60", "100", 30_000],
      ["max-age=60", "x", 60_000],
      ["max-age=60", "-10", 60_000],
      ["max-age=0", "", 30_000],
      ["max-age=60, no-cache", "", 30_000],
      ["no-store", "", 30_000],
      ["max-age=99999999999999999999", "", 600_000],
      ["max-age=-1", "", 600_000],
      ["x-max-age=60", "", 600_000],
      ["s-maxage=60", "", 600_000],
      ["no-storage, max-age=60", "", 60_000],
      ["", "", 600_000],
    ] as const)
      assert.equal(maxAge({ "cache-control": control, age }), expected, `${control} ${age}`);
    assert.equal(maxAge({}), 600_000);
  });

  test("is within the bounds whatever the header says", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[\x20-\x7e]*$/),
        fc.stringMatching(/^[\x20-\x7e]*$/),
        (control, age) => {
          const ms = maxAge({ "cache-control": `max-age=${control}`, age });

          assert.ok(ms >= 30_000 && ms <= 600_000);
        },
      ),
    );
  });
});
