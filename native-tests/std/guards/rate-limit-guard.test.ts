import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, ClientIdentity, isFault, type LogWriter } from "framework";
import { type RateLimit, RateLimitHeaders, type RateLimitStore } from "framework/core";
import { AxonTestKit } from "framework/runtime";
import { GuardFault, MemoryRateLimits, RateLimitGuard, type RateLimitOptions } from "framework/std";
import { FailureLog } from "#core/bus/log.js";
import { processStateOf } from "#runtime/run/process-state.js";
import { assertSaid } from "../../support/said.js";

/** What a client that asks is answered. */
async function ask(guard: RateLimitGuard, client = "alice") {
  const axon = Axon.start<string>("limited").then(guard);
  const { outcome, bus } = await new AxonTestKit().set(ClientIdentity, client).run(axon, "input");
  assert.ok(
    outcome === "input" || (isFault(outcome) && outcome.error instanceof GuardFault),
    String(outcome),
  );
  return { fault: outcome === "input" ? undefined : (outcome.error as GuardFault<"RATE_LIMITED">), bus };
}

const admits = async (guard: RateLimitGuard, client?: string) =>
  (await ask(guard, client)).fault === undefined;

/** Two requests per second on a clock the test moves by hand. */
function twoPerSecond(options: RateLimitOptions = {}) {
  const clock = { ms: 0 };
  return { clock, guard: new RateLimitGuard(2, 1000, { now: () => clock.ms, ...options }) };
}

/** The value of a header that the guard declares, by what it wrote. */
async function told(guard: RateLimitGuard, client?: string): Promise<string | undefined> {
  const { bus } = await ask(guard, client);
  const [written] = guard.responseHeaders.written ?? [];
  assert.deepEqual([written?.name, written?.key], ["ratelimit", RateLimitHeaders]);
  return written?.textOf(bus.find(RateLimitHeaders) as never);
}

describe("RateLimitGuard", () => {
  test("lets each client pass as often as it may, and writes what is left", async () => {
    const { guard } = twoPerSecond();

    assert.deepEqual((await ask(guard)).bus.find(RateLimitHeaders), {
      limit: 2,
      remaining: 1,
      resetSeconds: 1,
    });
    assert.equal(await admits(guard), true);
    assert.equal(await admits(guard), false);
    assert.equal(await admits(guard, "bob"), true);
  });

  test("admits again exactly when the client has a token", async () => {
    const { guard, clock } = twoPerSecond();
    await ask(guard);
    await ask(guard);

    clock.ms = 499;
    assert.equal(await admits(guard), false);
    clock.ms = 500;
    assert.equal(await admits(guard), true);
  });

  test("tells each client its policy and what it has left", async () => {
    const guard = new RateLimitGuard(100, 60_000, { now: () => 0 });

    assert.deepEqual(guard.responseHeaders.always, { "ratelimit-policy": '"default";q=100;w=60' });
    assert.equal(await told(guard), '"default";r=99;t=1');
    for (let n = 0; n < 49; n += 1) await ask(guard, "bob");
    assert.equal(await told(guard, "bob"), '"default";r=50;t=30');
  });

  test("tells it in requests and whole seconds, and promises no more than is given", async () => {
    const guard = new RateLimitGuard(10, 1500, { cost: 3, name: "uploads", now: () => 0 });

    assert.equal(guard.responseHeaders.always?.["ratelimit-policy"], '"uploads";q=3;w=2');
    assert.equal(await told(guard), '"uploads";r=2;t=1');
  });

  test("refuses by 429 with the seconds to wait, rounded up and at least one, and nothing left", async () => {
    const { guard, clock } = twoPerSecond();
    await ask(guard);
    await ask(guard);
    clock.ms = 499;
    const { fault } = await ask(guard);
    const reply = fault?.toReply();

    assert.equal(fault?.code, "RATE_LIMITED");
    assert.equal(reply?.status, 429);
    assert.deepEqual(Object.entries(reply?.headers ?? {}), [
      ["retry-after", ["1"]],
      ["ratelimit-policy", ['"default";q=2;w=1']],
      ["ratelimit", ['"default";r=0;t=1']],
    ]);
    const slow = new RateLimitGuard(1, 90_500, { now: () => 0 });
    await ask(slow);
    assert.deepEqual((await ask(slow)).fault?.headers["retry-after"], "91");
  });

  test("counts what a request costs, and nothing of one that is refused", async () => {
    const store = new MemoryRateLimits();
    const costing = (cost: number) => new RateLimitGuard(10, 1000, { cost, store, name: "a", now: () => 0 });

    assert.deepEqual(
      [await admits(costing(4)), await admits(costing(4)), await admits(costing(4))],
      [true, true, false],
    );
    assert.deepEqual([await admits(costing(2)), await admits(costing(1))], [true, false]);
  });

  test("bounds the clients it remembers, as it is told to", async () => {
    const { guard } = twoPerSecond({ maxClients: 1 });
    const sharing = twoPerSecond({ maxClients: 1, onFull: "share" }).guard;
    await ask(guard);
    await ask(sharing);

    assert.equal(await admits(guard, "bob"), false);
    assert.equal(await admits(sharing, "bob"), true);
  });

  test("shares a store with other guards, but no bucket, unless both have one name and limit", async () => {
    const store = new MemoryRateLimits();
    const once = (options: RateLimitOptions = {}) =>
      new RateLimitGuard(1, 1000, { store, now: () => 0, ...options });
    const guards = [
      once(),
      once(),
      once({ name: "a" }),
      new RateLimitGuard(1, 2000, { store, name: "a", now: () => 0 }),
    ];
    for (const guard of guards) assert.equal(await admits(guard), true);

    assert.equal(await admits(once({ name: "a" })), false);
    assert.equal(await admits(once({ name: "b" })), true);
  });

  test("gives the store short keys, whatever the identity, and no two identities one key", async () => {
    const keys: string[] = [];
    const store: RateLimitStore = {
      take: (key) => {
        keys.push(key);
        return { allowed: true, remaining: 1, retryAfterMs: 0, resetMs: 1 };
      },
    };
    const guard = new RateLimitGuard(1, 1000, { store, name: "a" });
    for (const client of ["alice", "x".repeat(128), "x".repeat(129), "x".repeat(16_000)])
      await ask(guard, client);
    await ask(guard, (keys[2] as string).slice("a:1/1000:".length));

    assert.equal(keys[0], "a:1/1000:alice");
    assert.equal(new Set(keys).size, 5);
    assert.ok(keys.every((key) => key.length <= "a:1/1000:".length + 129));
  });

  test("says that it keeps something in memory, where its store does", () => {
    const store: RateLimitStore = { take: () => new Promise(() => {}) };

    const limited = Axon.start("limited").then(new RateLimitGuard(1, 1000));
    assertSaid([...processStateOf(limited.definition)], [/^'RateLimitGuard' keeps .*client.* in memory/]);
    assert.match(String(new RateLimitGuard(1, 1000, { store: new MemoryRateLimits() }).perProcess), /memory/);
    assert.equal(new RateLimitGuard(1, 1000, { store }).perProcess, undefined);
  });

  test("lets its store take several at once, and does not where it has none", async () => {
    const asked: RateLimit[] = [];
    const take: RateLimitStore["take"] = (_, limit) => {
      asked.push(limit);
      return { allowed: true, remaining: 1, retryAfterMs: 0, resetMs: 0 };
    };
    for (const options of [{}, { chunk: 3 }])
      await admits(new RateLimitGuard(5, 1000, { ...options, store: { take } }));
    const { guard } = twoPerSecond({ chunk: 2 });

    assert.deepEqual(
      asked.map(({ chunk }) => chunk),
      [undefined, 3],
    );
    assert.deepEqual([await admits(guard), await admits(guard), await admits(guard)], [true, true, false]);
  });

  test("waits for a store that takes time", async () => {
    const memory = new MemoryRateLimits();
    const store: RateLimitStore = { take: async (...asked) => memory.take(...asked) };
    const { guard } = twoPerSecond({ store });

    assert.deepEqual([await admits(guard), await admits(guard), await admits(guard)], [true, true, false]);
  });

  const verdict = { allowed: true, remaining: 1, retryAfterMs: 0, resetMs: 0 };
  const broken: Readonly<Record<string, () => unknown>> = {
    throws: () => {
      throw new Error("down");
    },
    rejects: () => Promise.reject(new Error("down")),
    hangs: () => new Promise(() => {}),
    "answers nothing": () => undefined,
    "answers a truth": () => true,
    "answers no number": () => ({ ...verdict, remaining: Number.NaN }),
    "answers less than nothing": async () => ({ ...verdict, resetMs: -1 }),
    "answers without end": () => ({ ...verdict, allowed: false, retryAfterMs: Number.POSITIVE_INFINITY }),
    "answers text": () => ({ ...verdict, allowed: "yes" }),
  };

  for (const [does, take] of Object.entries(broken)) {
    test(`refuses by 503 where its store ${does}, or admits, as it is told to`, async () => {
      const store = { take } as RateLimitStore;
      const { guard } = twoPerSecond({ store, storeTimeoutMs: 5 });
      const { fault } = await ask(guard);
      const reply = fault?.toReply();

      assert.deepEqual(
        [fault?.code, reply?.status, reply?.headers["retry-after"]],
        ["RATE_LIMIT_UNAVAILABLE", 503, ["1"]],
      );
      assert.ok(fault?.cause instanceof Error);

      const lenient = twoPerSecond({ store, storeTimeoutMs: 5, onStoreFailure: "admit" }).guard;
      assert.equal(await told(lenient), undefined);
      assert.equal(await admits(lenient), true);
    });
  }

  test("logs why its store failed, whether it refuses or admits then", async () => {
    const down = new Error("The store is down");
    const store: RateLimitStore = { take: () => Promise.reject(down) };
    const lines: unknown[][] = [];
    const log = { error: (...line: unknown[]) => lines.push(line) } as unknown as LogWriter;
    for (const onStoreFailure of ["refuse", "admit"] as const) {
      const axon = Axon.start("limited").then(
        new RateLimitGuard(2, 1000, { store, onStoreFailure, name: "orders" }),
      );
      await new AxonTestKit().set(ClientIdentity, "alice").set(FailureLog, log).run(axon, undefined);
    }

    assert.deepEqual(
      lines.map(([fields, , name, became]) => [fields, name, became]),
      [
        [{ err: down }, "orders", "refused"],
        [{ err: down }, "orders", "let in uncounted"],
      ],
    );
  });

  test("refuses limits and options that make no sense, and says what would", () => {
    const store = new MemoryRateLimits();
    const made: readonly (readonly [number, number, object, RegExp])[] = [
      [0, 1000, {}, /maxRequests must be/],
      [1.5, 1000, {}, /maxRequests must be/],
      [Number.POSITIVE_INFINITY, 1000, {}, /maxRequests must be/],
      [1, 0, {}, /windowMs must be/],
      [1, Number.NaN, {}, /windowMs must be/],
      [1_000_003, 60_000, {}, /cannot be counted exactly: use/],
      [1, 1e14, {}, /cannot be counted exactly: use/],
      [2, 1000, { cost: 3 }, /cost must be/],
      [2, 1000, { cost: 0 }, /cost must be/],
      [2, 1000, { chunk: 3 }, /chunk must be/],
      [2, 1000, { chunk: 0.5 }, /chunk must be/],
      [2, 1000, { maxClients: 0 }, /maxClients must be/],
      [2, 1000, { onFull: "drop" }, /onFull must be/],
      [2, 1000, { now: 5 }, /now must be/],
      [2, 1000, { store: {} }, /store must have/],
      [2, 1000, { store: null }, /store must have/],
      [2, 1000, { store, maxClients: 5 }, /give them to the store/],
      [2, 1000, { storeTimeoutMs: 0 }, /storeTimeoutMs must be/],
      [2, 1000, { onStoreFailure: "ignore" }, /onStoreFailure must be/],
      [2, 1000, { name: 'a"b' }, /name must have/],
      [2, 1000, { name: "" }, /name must have/],
      [2, 1000, { onStoreFailures: "admit" }, /'onStoreFailures' .*; there are cost, /],
    ];

    for (const [maxRequests, windowMs, options, message] of made) {
      const make = () => new RateLimitGuard(maxRequests, windowMs, options);
      assert.throws(make, { code: "CONFIG_INVALID", message });
      assert.throws(make, { message: /^RateLimitGuard\(.*\): / });
    }
    assert.doesNotThrow(() => new RateLimitGuard(1_000_000, 60_000));
  });
});
