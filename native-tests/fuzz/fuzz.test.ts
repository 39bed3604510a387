import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, openAudit, openStores, respond, Stores, Type } from "framework";
import type { AnyGuard, RateLimitStore } from "framework/core";
import { type FuzzedApplication, type FuzzOptions, fuzz, replay } from "framework/fuzz";
import { IdempotencyGuard, LoadSession, RateLimitGuard, Sessions } from "framework/std";

import * as faulty from "../support/faulty-app.js";
import * as slowApp from "../support/slow-app.js";

const found = async (route: string, options: FuzzOptions = {}) => {
  const { failures } = await fuzz(faulty, { seed: 1, runs: 60, route, ...options });
  return failures.map(({ message, requests, isReproduced }) => ({ message, requests, isReproduced }));
};

describe("fuzz", () => {
  test("finds a step that throws at a bound of its schema, by the plainest request that does so", async () => {
    assert.deepEqual(await found("POST /at-bound"), [
      {
        message: "500: Step 'price' threw: no price for 100",
        requests: [{ route: "POST /at-bound", json: { sku: "a", qty: 100 } }],
        isReproduced: true,
      },
    ]);
  });

  // FZ2: the plainest request fails too, and not in this way.
  test("tells two failures of a step apart, and keeps each while its requests are made plain", async () => {
    const both = (await found("/twice")).map(({ message, requests }) => [message, requests[0]?.json]);

    assert.deepEqual(both.sort(), [
      ["500: Step 'weigh' threw: too heavy", { sku: "a", qty: 61 }],
      ["500: Step 'weigh' threw: too light", { sku: "a", qty: 1 }],
    ]);
  });

  test("finds a body that is against its schema, with the place in it", async () => {
    const [failure, ...others] = await found("/unfit");

    assert.deepEqual(others, []);
    assert.match(failure?.message ?? "", /^200: .* at '\/qty': at most 50$/);
    assert.deepEqual(failure?.requests, [{ route: "POST /unfit", json: { sku: "a", qty: 51 } }]);
  });

  test("finds a status that is not declared", async () => {
    const [failure, ...others] = await found("/undeclared");

    assert.deepEqual(others, []);
    assert.match(failure?.message ?? "", /^418 TOO_MANY: .*: there are 200, /);
  });

  test("finds an identity that a route lets in though its policy asks for another role", async () => {
    assert.deepEqual(await found("/bosses"), [
      {
        message: `200: the identity 'fake' is let in, where the policy demands role "boss"`,
        requests: [{ route: "GET /bosses", as: "fake" }],
        isReproduced: true,
      },
    ]);
    assert.deepEqual(await found("/bosses", { as: "nobody" }), []);
    assert.deepEqual(await found("/bosses", { as: "clerk" }), []);
  });

  test("finds nothing where responses are as they are declared", async () => {
    const { failures, routes } = await fuzz(faulty, { seed: 3, runs: 60, route: "/orders" });

    assert.deepEqual(failures, []);
    const [{ statuses } = assert.fail()] = routes;
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    assert.equal(total, 60);
    assert.ok((statuses.get(200) ?? 0) > 20 && (statuses.get(422) ?? 0) > 5, JSON.stringify([...statuses]));
  });

  test("finds a message of a WebSocket route at which a step throws", async () => {
    const Bid = Type.Object({ cents: Type.Integer({ minimum: 0 }) });
    const message = Axon.start("bid", Bid).thenFn("halve", ({ cents }) => {
      if (cents === 0) throw new Error("nothing to halve");
      return { cents: cents / 2 };
    });
    const ingress = () => Framework.http().ws("/bids", { message });
    const { failures, routes } = await fuzz({ ingress }, { seed: 1, runs: 40 });

    assert.deepEqual(
      failures.map(({ message: told, requests }) => [told, requests]),
      [["500: Step 'halve' threw: nothing to halve", [{ route: "GET /bids", messages: [{ cents: 0 }] }]]],
    );
    assert.ok((routes[0]?.statuses.get(101) ?? 0) > 20);
  });

  test("finds a response that breaks off", async () => {
    async function* rows() {
      yield "first\n";
      throw new Error("the cursor is gone");
    }
    const stream = Axon.start("rows").thenFn("read", () => respond({ body: rows() }));
    const { failures } = await fuzz({ ingress: () => Framework.http().get("/rows", stream) }, { runs: 2 });

    assert.deepEqual(
      failures.map(({ message }) => message.replace(/:.*:/, ":")),
      ["no whole response: the cursor is gone"],
    );
  });

  test("finds a route that does not answer, and leaves it alone then", async () => {
    const { failures, routes } = await fuzz({ ingress: faulty.waiting }, { seed: 1, patienceMs: 1 });

    assert.deepEqual(
      failures.map(({ message, times }) => [message, times]),
      [["no response within 1 ms", 3]],
    );
    assert.deepEqual(
      routes.map(({ unanswered }) => unanswered),
      [3],
    );
  });

  test("finds a slow response, unless none counts as slow", async () => {
    const slow = (slowMs: number) => fuzz(slowApp, { seed: 1, runs: 3, route: "/late", slowMs });
    const [failure, ...others] = (await slow(20)).failures;

    assert.match(failure?.message ?? "", /^slow: the response took \d+ ms$/);
    assert.deepEqual([failure?.isReproduced, others], [true, []]);
    assert.deepEqual((await slow(0)).failures, []);
    assert.deepEqual((await slow(60_000)).failures, []);
    await assert.rejects(replay(slowApp, failure?.requests ?? [], { slowMs: 20 }), /GET \/late: slow/);
  });

  for (const seed of [1, 2, 3])
    test(`finds what a step compares with constants of its own, with seed ${seed}`, async () => {
      const messages = async (route: string) =>
        (await fuzz(slowApp, { seed, route })).failures.map(({ message }) => message);

      assert.deepEqual(await messages("/coupon"), ["500: Step 'price' threw: no price"]);
      assert.deepEqual(await messages("/kinds"), ["500: Step 'choose' threw: no gold"]);
    });

  test("refuses what is not there, and says what is", async () => {
    const refusal = (options: FuzzOptions, application: FuzzedApplication = faulty) =>
      fuzz(application, options).then(
        () => assert.fail("it was not refused"),
        ({ code, message }) => `${code}: ${message}`,
      );

    assert.match(
      await refusal({ route: "/order" }),
      /^FUZZ_REFUSED: .*no route '\/order': there are POST \/at-bound/,
    );
    assert.match(await refusal({ as: "thief" }), /^FUZZ_REFUSED: .*there are nobody, clerk, boss, fake$/);
    assert.match(await refusal({ seed: -1 }), /^FUZZ_REFUSED: .*seed is not a whole/);
    assert.match(await refusal({ runs: 0 }), /^FUZZ_REFUSED: .*runs is not a whole/);
    assert.match(
      await refusal({}, { ingress: faulty.ingress }),
      /^RESOURCE_MISSING: .*export a function resources\(\) .*\{ Stock \}/,
    );
    assert.match(
      await refusal({}, { ...faulty, identities: { nobody: {} } }),
      /^CONFIG_INVALID: identities are/,
    );
  });
});

describe("a drawn request", () => {
  /** Bodies as an application gets them. */
  async function bodies(seed: number, route?: string): Promise<readonly string[]> {
    const seen: string[] = [];
    const Body = Type.Object({ text: Type.String(), count: Type.Optional(Type.Number()) });
    const keep = Axon.start("keep", Body).thenFn("keep", (body) => {
      seen.push(JSON.stringify(body));
      return body;
    });
    const other = Axon.start("other", Body).thenFn("other", (body) => body);
    const ingress = () => Framework.http().post("/other", other).post("/kept", keep);
    await fuzz({ ingress }, { seed, runs: 20, ...(route !== undefined && { route }) });
    return seen;
  }

  // FZ1: other routes change nothing either.
  test("is the same for the same seed, with other routes or without them", async () => {
    const first = await bodies(7);

    assert.ok(first.length > 5);
    assert.deepEqual(await bodies(7), first);
    assert.deepEqual(await bodies(7, "POST /kept"), first);
    assert.notDeepEqual(await bodies(8), first);
  });
});

describe("replay", () => {
  test("rejects with what is wrong, and resolves once it is mended", async () => {
    const requests = [{ route: "POST /at-bound", json: { sku: "a", qty: 100 } }];

    await assert.rejects(replay(faulty, requests), /^Error: POST \/at-bound: 500: Step 'price'/);
    await replay(faulty, [{ route: "POST /at-bound", json: { sku: "a", qty: 99 } }]);
  });
});

describe("effects", () => {
  const SQLITE = "sqlite:/nowhere/app.db";
  const kept = Axon.start("kept", Type.Object({}))
    .withPersistenceStore(Stores.mounted)
    .thenFn("do", () => ({}));
  const ok = Axon.start("ok").thenFn("ok", () => "ok");
  const on = (url: string) => ({ ingress: () => Framework.http().stores(openStores(url)).post("/", kept) });
  const guarded = (...guards: AnyGuard[]) => ({ ingress: () => Framework.http().get("/", ok, { guards }) });

  test("of a store that is not in memory are refused unless they are allowed", async () => {
    const { runs, sessions, idempotency } = openStores(SQLITE);
    const elsewhere: RateLimitStore = {
      take: () => ({ kind: "taken", fullInMs: 0, retryAfterMs: 0 }) as never,
    };
    const own = { ingress: () => Framework.http().get("/", ok.withPersistenceStore(runs)) };

    for (const application of [
      on(SQLITE),
      own,
      { ingress: () => Framework.http().get("/", ok.withAuditSink(openAudit("file:/nowhere/audit"))) },
      guarded(new LoadSession(new Sessions({ store: sessions }))),
      guarded(new IdempotencyGuard({ store: idempotency })),
      guarded(new RateLimitGuard(1, 1000, { store: elsewhere, name: "own" })),
    ]) {
      await assert.rejects(fuzz(application), { code: "FUZZ_REFUSED", message: /is not in memory/ });
      await assert.rejects(replay(application, []), { code: "FUZZ_REFUSED" });
    }
    await replay(on(SQLITE), [], { allowEffects: true });
    for (const application of [
      on("memory:"),
      guarded(new LoadSession(new Sessions()), new IdempotencyGuard(), new RateLimitGuard(1, 1000)),
    ])
      assert.deepEqual((await fuzz(application, { runs: 5 })).failures, []);
  });
});
