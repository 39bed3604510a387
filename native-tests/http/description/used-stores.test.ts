import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, cookie, Framework, IamPolicy, openStores } from "framework";
import type { RateLimitStore } from "framework/core";
import { TestApp } from "framework/http";
import {
  CreateSession,
  IdempotencyGuard,
  MemoryIdempotency,
  MemoryRateLimits,
  MemorySessions,
  RateLimitGuard,
  Sessions,
} from "framework/std";
import type { StoreSet } from "#core/ports/store-set.js";
import { exportedDocument } from "#openapi/exported-document.js";

/** As stores of several processes are, but in memory. */
function shared(): StoreSet & { readonly taken: string[] } {
  const taken: string[] = [];
  const rates = new MemoryRateLimits();
  const take: RateLimitStore["take"] = (key, limit, now) => {
    taken.push(key);
    return rates.take(key, limit, now);
  };
  const all = <S extends object>(store: S): S => Object.assign(store, { perProcess: undefined });
  const set = openStores("memory:");
  return {
    ...set,
    ...{
      rates: { take },
      sessions: all(new MemorySessions()),
      idempotency: all(new MemoryIdempotency()),
      taken,
    },
  } as never;
}

const plain = Axon.start<void>("plain").thenFn("answer", () => "hello");

const once = () => new RateLimitGuard(1, 3_600_000);

const servedBy = (stores: StoreSet | undefined, guards: readonly RateLimitGuard[]) => {
  const ingress = Framework.http({ processGuards: false }).get("/", plain, { guards }).bind("127.0.0.1:0");
  return stores === undefined ? ingress : ingress.stores(stores);
};

const status = async (url: string, options: RequestInit = {}) => (await fetch(url, options)).status;

describe("the stores of an ingress", () => {
  test("count the rates of guards without a store of their own, while a server runs", async () => {
    const stores = shared();
    const guard = once();
    const [one, other] = await Promise.all([1, 2].map(() => servedBy(stores, [guard]).run()));

    assert.deepEqual([await status(one?.url ?? ""), await status(other?.url ?? "")], [200, 429]);
    assert.equal(guard.perProcess, undefined);
    await one?.close();
    assert.equal(await status(other?.url ?? ""), 429);
    assert.equal(stores.taken.length, 3);
    await other?.close();
    assert.match(guard.perProcess ?? "", /in memory/);
  });

  test("tell guards without a name apart by their order, which a new start keeps", async () => {
    const stores = shared();
    const guards = [new RateLimitGuard(9, 3_600_000), new RateLimitGuard(9, 3_600_000)];
    for (let n = 0; n < 2; n += 1) {
      const server = await servedBy(stores, guards).run();
      assert.equal(await status(server.url), 200);
      await server.close();
    }

    assert.deepEqual(
      stores.taken.map((key) => key.split(":")[0]),
      ["#1", "#2", "#1", "#2"],
    );
  });

  test("leave a guard its own store", async () => {
    const [stores, own] = [shared(), shared()];
    const server = await servedBy(stores, [new RateLimitGuard(9, 1000, { store: own.rates as never })]).run();
    await status(server.url);
    await server.close();

    assert.deepEqual([stores.taken.length, own.taken.length], [0, 1]);
  });

  test("refuse a guard that another ingress serves with other stores", async () => {
    const guard = once();
    const server = await servedBy(shared(), [guard]).run();

    await assert.rejects(servedBy(shared(), [guard]).run(), {
      code: "CONFIG_INVALID",
      message: /RateLimitGuard\(1, 3600000\) is served by two ingresses .*make one for each/,
    });
    await server.close();
    await (await servedBy(shared(), [guard]).run()).close();
  });

  test("are not used in a TestApp", async () => {
    const stores = shared();
    await using app = new TestApp(servedBy(stores, [once()]), {}, { log: "silent" });

    assert.equal((await app.get("/")).status, 200);
    assert.equal(stores.taken.length, 0);
  });

  test("give nothing where they are in memory", async () => {
    const guard = once();
    const server = await servedBy(openStores("memory:"), [guard]).run();

    assert.match(guard.perProcess ?? "", /in memory/);
    await server.close();
  });

  test("keep sessions, for steps and for verifiers", async () => {
    const stores = shared();
    const sessions = new Sessions();
    const login = Axon.start<void>("login").then(
      new CreateSession(sessions, { identityOf: () => ({ subject: "ada", roles: [], claims: {} }) }),
    );
    const mine = Axon.start<void>("mine")
      .withIam(IamPolicy.requireIdentity(), sessions.verifier(), { token: cookie("__Host-sid") })
      .thenFn("answer", () => "hello");
    const server = await Framework.http({ processGuards: false })
      .stores(stores)
      .post("/login", login)
      .get("/mine", mine)
      .bind("127.0.0.1:0")
      .run();
    const { headers } = await fetch(`${server.url}/login`, { method: "POST" });
    const [sid = ""] = (headers.get("set-cookie") ?? "").split(";");

    assert.equal(await status(`${server.url}/mine`, { headers: { cookie: sid } }), 200);
    assert.equal((stores.sessions as MemorySessions).size, 1);
    await server.close();
  });

  test("keep responses under idempotency keys", async () => {
    const stores = shared();
    let runs = 0;
    const order = Axon.start<void>("order").thenFn("count", () => ++runs);
    const guard = new IdempotencyGuard({ scope: () => "all" });
    const ingress = () =>
      Framework.http({ processGuards: false })
        .stores(stores)
        .post("/orders", order, { guards: [guard] })
        .bind("127.0.0.1:0");
    for (let n = 0; n < 2; n += 1) {
      const server = await ingress().run();
      await fetch(`${server.url}/orders`, { method: "POST", headers: { "idempotency-key": "k" } });
      await server.close();
    }

    assert.equal(runs, 1);
  });

  test("are in what is described of routes: a limit that can be unavailable", async () => {
    const described = async (stores: StoreSet | undefined) =>
      JSON.stringify(await exportedDocument(servedBy(stores, [once()]), {}));

    assert.match(await described(shared()), /RATE_LIMIT_UNAVAILABLE/);
    assert.doesNotMatch(await described(undefined), /RATE_LIMIT_UNAVAILABLE/);
  });
});
