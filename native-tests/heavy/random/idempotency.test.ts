// Many requests at once, of few keys, to a store that takes its time and sometimes fails.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { Axon, bytes, Framework, fault, ProblemDetail } from "framework";
import type { IdempotencyStore } from "framework/core";
import { TestApp } from "framework/http";
import { IdempotencyGuard, MemoryIdempotency } from "framework/std";

interface Sent {
  readonly key: "a" | "b";
  readonly body: "1" | "2";
  /** How many turns it comes after the first one. */
  readonly comesAfter: number;
  /** Whether its client goes away, and after how many turns. */
  readonly leavesAfter: number | undefined;
}

interface World {
  readonly requests: readonly Sent[];
  /** In turns, of each call of the store; 0 answers at once. */
  readonly latencies: readonly number[];
  /** Of each claim, whether it fails: before it has an effect, or behind it. */
  readonly failures: readonly ("never" | "before" | "behind")[];
  /** Of each run, how long its step takes, and whether it faults. */
  readonly runs: readonly { readonly turns: number; readonly fails: boolean }[];
}

const world: fc.Arbitrary<World> = fc.record({
  requests: fc.array(
    fc.record({
      key: fc.constantFrom("a" as const, "b" as const),
      body: fc.constantFrom("1" as const, "1" as const, "2" as const),
      comesAfter: fc.nat(20),
      leavesAfter: fc.option(fc.nat(6), { nil: undefined, freq: 4 }),
    }),
    { minLength: 2, maxLength: 12 },
  ),
  latencies: fc.array(fc.nat(3), { minLength: 5, maxLength: 5 }),
  failures: fc.array(fc.constantFrom("never", "never", "never", "before", "behind"), {
    minLength: 7,
    maxLength: 7,
  }),
  runs: fc.array(fc.record({ turns: fc.nat(5), fails: fc.boolean() }), { minLength: 3, maxLength: 3 }),
});

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

const cycled = <T>(values: readonly T[]): (() => T) => {
  let n = 0;
  return () => {
    n += 1;
    return values[n % values.length] as T;
  };
};

function storeOf({ latencies, failures }: World): IdempotencyStore {
  const memory = new MemoryIdempotency();
  const latency = cycled(latencies);
  const failure = cycled(failures);
  const later = <T>(act: () => T): T | Promise<T> => {
    const count = latency();
    return count === 0 ? act() : turns(count).then(act);
  };
  return {
    claim(...args) {
      const fails = failure();
      if (fails === "before") throw new Error("the store is away");
      return later(() => {
        const claim = memory.claim(...args);
        if (fails === "behind") throw new Error("the answer was lost");
        return claim;
      });
    },
    keep: (...args) => later(() => memory.keep(...args)),
    release: (lease) => later(() => memory.release(lease)),
  };
}

describe("requests with idempotency keys, whatever comes together", () => {
  test("are run to an answer once for each key, and all that are answered are answered that", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const paid = new Map<string, string[]>();
        const nextRun = cycled(given.runs);
        let order = 0;
        const axon = Axon.start<Uint8Array>("pay").thenFn("charge", async (body) => {
          const { turns: count, fails } = nextRun();
          await turns(count);
          if (fails) return fault(new ProblemDetail({ status: 503, code: "DOWN", title: "Down" }));
          order += 1;
          // It begins with the key that it came with, for the model alone.
          const text = Buffer.from(body).toString();
          const key = text.slice(0, 1);
          paid.set(key, [...(paid.get(key) ?? []), `${text} ${order}`]);
          return `${text} ${order}`;
        });
        const app = new TestApp(
          Framework.http({ reporter: () => {} }).post("/pay", axon, {
            input: bytes(),
            guards: [new IdempotencyGuard({ store: storeOf(given) })],
          }),
        );
        const send = async ({ key, body, comesAfter, leavesAfter }: Sent) => {
          await turns(comesAfter);
          const gone = new AbortController();
          if (leavesAfter !== undefined) void turns(leavesAfter).then(() => gone.abort());
          const answer = await app
            .post("/pay", { body: key + body, headers: { "idempotency-key": key }, signal: gone.signal })
            .catch(() => undefined);
          return { key, body, answer };
        };
        const answers = await Promise.all(given.requests.map(send));
        await turns(30);
        const later = { body: "1", comesAfter: 0, leavesAfter: undefined } as const;
        const last = [await send({ ...later, key: "a" }), await send({ ...later, key: "b" })];
        await app.close();

        // Where no claim was lost, no key is held by nobody.
        for (const { answer } of given.failures.includes("behind") ? [] : last)
          assert.ok(answer?.status === 200 || answer?.problem.code !== "IDEMPOTENCY_IN_PROGRESS");

        for (const [key, runs] of paid) assert.equal(runs.length, 1, `${key} was paid ${runs.length} times`);
        for (const { key, body, answer } of [...answers, ...last]) {
          if (answer === undefined) continue;
          const isPaid = answer.status === 200;
          seen.add(isPaid ? `200 ${answer.headers["idempotent-replayed"]}` : answer.problem.code);
          if (!isPaid) continue;
          assert.equal(answer.text, paid.get(key)?.[0]);
          assert.ok(answer.text.startsWith(`${key}${body} `), `${key}${body} was answered ${answer.text}`);
        }
      }),
      { numRuns: 300 },
    );

    assert.deepEqual([...seen].sort(), [
      "200 true",
      "200 undefined",
      "DOWN",
      "IDEMPOTENCY_IN_PROGRESS",
      "IDEMPOTENCY_MISMATCH",
      "IDEMPOTENCY_UNAVAILABLE",
    ]);
  });
});
