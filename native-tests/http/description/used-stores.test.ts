import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, cookie, Framework, IamPolicy, layer, openStores, transition } from "framework";
import type { RateLimitStore } from "framework/core";
import { TestApp } from "framework/http";
import {
  CachedVerifier,
  CreateSession,
  IdempotencyGuard,
  MemoryIdempotency,
  MemoryRateLimits,
  MemorySessions,
  RateLimitGuard,
  Sessions,
} from "framework/std";
import type { StoreSet } from "#core/ports/store-set.js";
import { useStores } from "#http/description/used-stores.js";
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

  test("that fail refuse requests of an ingress without stores, too, while another lends them to its guard", async () => {
    const rates = {
      take: () => {
        throw new Error("away");
      },
    };
    const guard = once();
    await using app = new TestApp(servedBy(undefined, [guard]), {}, { log: "silent" });
    assert.equal((await app.get("/")).status, 200);
    const end = useStores(servedBy({ ...shared(), rates }, [guard]).plan);

    assert.equal((await app.get("/")).status, 503);
    end();
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

  test("look sessions up for a boundary alone, and for a verifier that remembers", async () => {
    for (const remembered of [false, true]) {
      const stores = shared();
      const sessions = new Sessions();
      const verifier = remembered
        ? new CachedVerifier(sessions.verifier(), { maxAgeMs: 60_000 })
        : sessions.verifier();
      const mine = Axon.start<void>("mine")
        .withIam(IamPolicy.requireIdentity(), verifier, { token: cookie("__Host-sid") })
        .thenFn("answer", () => "hello");
      const use = () => useStores(Framework.http().stores(stores).get("/mine", mine).plan);
      // A function that takes them back does so once.
      for (const end of [use(), use()]) {
        assert.equal(sessions.perProcess, undefined);
        end();
        end();
      }
      assert.match(sessions.perProcess ?? "", /in memory/);
    }
  });

  test("reach layers, undo steps, and guards of the ingress before those of its routes", () => {
    const asked: string[] = [];
    const user = <T extends object>(name: string, part: T) => {
      const useStores = () => {
        asked.push(name);
        return () => {};
      };
      return Object.isFrozen(part) ? { ...part, useStores } : Object.assign(part, { useStores });
    };
    const passes = (name: string) => user(name, new RateLimitGuard(9, 1000, { name }));
    const undo = user("undo", transition({ name: "undo", run: () => undefined }));
    const axon = Axon.start<void>("axon").thenCompensated(transition({ name: "step", run: () => 1 }), undo);
    const around = user("layer", layer({ name: "layer", run: (_, next) => next() }));
    const ingress = Framework.http()
      .stores(shared())
      .guard(passes("first"))
      .get("/", axon, { layers: [around], guards: [passes("second")], without: ["first"] });
    useStores(ingress.plan)();

    assert.deepEqual(asked, ["first", "layer", "second", "undo"]);
  });

  test("are taken back from all where one refuses them", async () => {
    const [free, taken] = [new RateLimitGuard(1, 1000), new RateLimitGuard(2, 1000)];
    const server = await servedBy(shared(), [taken]).run();

    await assert.rejects(servedBy(shared(), [free, taken]).run(), { code: "CONFIG_INVALID" });
    assert.match(free.perProcess ?? "", /in memory/);
    await server.close();
  });

  test("are in what is described of routes: a limit that can be unavailable", async () => {
    const described = async (stores: StoreSet | undefined) =>
      JSON.stringify(await exportedDocument(servedBy(stores, [once()]), {}));

    assert.match(await described(shared()), /RATE_LIMIT_UNAVAILABLE/);
    assert.doesNotMatch(await described(undefined), /RATE_LIMIT_UNAVAILABLE/);
  });
});
