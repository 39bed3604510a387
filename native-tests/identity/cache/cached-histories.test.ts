import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import type { IamIdentity } from "framework/core";
import { cached } from "framework/std";
import {
  type Answer,
  asked,
  HOUR,
  identity,
  pending,
  remembering,
  turn,
  type Wanted,
} from "../../support/remembering.js";

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
