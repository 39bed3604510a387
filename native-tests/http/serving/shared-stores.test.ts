import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { Axon, busKey, cookie, Framework, IamPolicy, openStores, Rooms, transition } from "framework";
import { CreateSession, IdempotencyGuard, MemoryRooms, RateLimitGuard, Sessions } from "framework/std";
import { loaded } from "../../support/config-folder.js";
import { freePort } from "../../support/free-port.js";
import { until } from "../../support/patience.js";
import { skipWithoutRedis, startRedis } from "../../support/redis-server.js";
import { oneRedis } from "../../support/redis-stores.js";
import { WebSocketClient } from "../../support/websocket-client.js";

const folder = mkdtempSync(join(tmpdir(), "shared-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const probe = async (url: string, path: string) => {
  const response = await fetch(url + path);
  const { status, checks } = (await response.json()) as {
    readonly status: string;
    readonly checks: readonly { readonly name: string; readonly status: string }[];
  };
  return [response.status, status, ...checks.map((check) => `${check.name} ${check.status}`)];
};

const publish = transition({
  name: "publish",
  reads: [Rooms],
  run: (_: void, bus) => bus.get(Rooms).publish("news", "hello"),
});

const Missing = busKey<string>()("Missing");

let orders = 0;

/** As one process of a service has it: nothing of it names a store. */
function shop(redis: string) {
  const sessions = new Sessions();
  const token = cookie("__Host-sid");
  const identityOf = () => ({ subject: "ada", roles: [], claims: {} });
  const hello = Axon.start<void>("hello").thenFn("answer", () => "hello");
  const login = Axon.start<void>("login").then(new CreateSession(sessions, { identityOf }));
  const mine = Axon.start<void>("mine")
    .withIam(IamPolicy.requireIdentity(), sessions.verifier(), { token })
    .thenFn("answer", () => "hello");
  const leave = Axon.start<void>("leave").thenFn("end", async () => sessions.endAll({ subject: "ada" }));
  const order = Axon.start<void>("order").thenFn("count", () => ++orders);
  const keyed = new IdempotencyGuard({ scope: () => "all" });
  return Framework.http({ processGuards: false, reporter: () => {} })
    .config(loaded("logging.level = 'fatal'"))
    .stores(openStores({ sql: `sqlite:${join(folder, "shop.db")}`, redis }, { service: "shop" }))
    .get("/limited", hello, { guards: [new RateLimitGuard(5, 3_600_000)] })
    .get("/admitted", hello, {
      guards: [new RateLimitGuard(5, 3_600_000, { name: "admitting", onStoreFailure: "admit" })],
    })
    .post("/login", login)
    .get("/mine", mine)
    .post("/leave", leave)
    .post("/orders", order, { guards: [keyed] })
    .post("/tell", Axon.start<void>("tell").then(publish))
    .ws("/room", { open: (_, connection) => void connection.subscribe("news"), message: () => {} })
    .bind("127.0.0.1:0")
    .run();
}

describe("two servers with a database and Redis, without a store of their own in any guard", {
  skip: skipWithoutRedis,
}, () => {
  const redis = oneRedis();
  const started = async () => {
    const { url } = await redis();
    const servers = [await shop(url), await shop(url)] as const;
    const close = async () => void (await Promise.all(servers.map((server) => server.close())));
    return { at: [servers[0].url, servers[1].url] as const, close };
  };

  test("admit together what one limit says", async () => {
    const { at, close } = await started();
    const asked = Array.from({ length: 30 }, (_, n) => fetch(`${at[n % 2]}/limited`));
    const admitted = (await Promise.all(asked)).filter(({ status }) => status === 200);

    assert.equal(admitted.length, 5);
    await close();
  });

  test("know the sessions of each other, and end them everywhere", async () => {
    const { at, close } = await started();
    const login = async (): Promise<{ readonly cookie: string }> => {
      const { headers } = await fetch(`${at[0]}/login`, { method: "POST" });
      return { cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
    };
    const sessions = [await login(), await login()];
    const statuses = async (url: string) =>
      Promise.all(sessions.map(async (headers) => (await fetch(`${url}/mine`, { headers })).status));
    assert.deepEqual(await statuses(at[1]), [200, 200]);

    await fetch(`${at[1]}/leave`, { method: "POST" });
    assert.deepEqual(await statuses(at[0]), [401, 401]);
    await close();
  });

  test("have one room", async () => {
    const { at, close } = await started();
    const member = await WebSocketClient.open(at[1].slice("http://".length), { path: "/room" });
    await until("a message of the other server arrives", async () => {
      await fetch(`${at[0]}/tell`, { method: "POST" });
      return member.reads.length > 0;
    });

    assert.equal(await member.nextText(), "hello");
    member.destroy();
    await close();
  });

  test("run a request with a key once, and answer it on both", async () => {
    const { at, close } = await started();
    const asked = [];
    for (const url of [...at, ...at]) {
      const response = await fetch(`${url}/orders`, { method: "POST", headers: { "idempotency-key": "k" } });
      asked.push(await response.json());
    }

    assert.deepEqual([asked, orders], [[1, 1, 1, 1], 1]);
    await close();
  });
});

describe("rooms of the stores of an ingress", () => {
  const counted = () => {
    const hub = new MemoryRooms();
    const events: string[] = [];
    const rooms = () => {
      events.push("joined");
      const member = hub.join();
      const dispose = () => {
        events.push("left");
        return member.dispose();
      };
      return { publish: member.publish, subscribe: member.subscribe, dispose };
    };
    return { hub, events, stores: { ...openStores("memory:"), rooms } as never };
  };

  test("are joined where an Axon uses rooms and the ingress has no bus of its own, and left", async () => {
    const { hub, events, stores } = counted();
    const told = Axon.start<void>("tell").then(publish);
    const silent = Axon.start<void>("silent").thenFn("answer", () => true);
    const served = async (axon: typeof told, own?: MemoryRooms) => {
      const options = { processGuards: false, ...(own && { rooms: own.join() }) };
      return Framework.http(options).stores(stores).get("/", axon).bind("127.0.0.1:0").run();
    };
    for (const server of [await served(silent), await served(told, new MemoryRooms())]) await server.close();
    assert.equal(events.length, 0);

    const server = await served(told);
    const listener = hub.join();
    listener.subscribe({ message: (topic) => events.push(topic), failed: () => {} });
    await fetch(server.url);
    await until("the message arrives", () => events.length === 2);
    await server.close();
    await listener.dispose();
    assert.deepEqual(events, ["joined", "news", "left"]);
  });

  test("are left where the server does not begin", async () => {
    const { events, stores } = counted();
    const ingress = Framework.http({ processGuards: false, resources: [Missing] })
      .stores(stores)
      .ws("/room", { message: () => {} })
      .bind("127.0.0.1:0");

    await assert.rejects(ingress.run({} as never), { code: "RESOURCE_MISSING" });
    assert.deepEqual(events, ["joined", "left"]);
  });
});

describe("an ingress with a database and Redis", { skip: skipWithoutRedis }, () => {
  test("names a failing Redis in its readiness, and is ready without it unless it must have it", async () => {
    const redis = await startRedis();
    const served = (readyNeedsRedis: boolean) =>
      Framework.http({ processGuards: false, reporter: () => {} })
        .stores(openStores({ sql: "memory:", redis: redis.url }, { readyNeedsRedis }))
        .healthEndpoint("/health")
        .readinessLivenessDefault()
        .bind("127.0.0.1:0")
        .run();
    const [free, bound] = [await served(false), await served(true)];
    await redis.kill();

    assert.deepEqual(await probe(free.url, "/ready"), [200, "ready", "stores ok", "redis error"]);
    assert.deepEqual(await probe(free.url, "/health"), [200, "degraded", "stores ok", "redis error"]);
    assert.deepEqual(await probe(bound.url, "/ready"), [503, "error", "stores ok", "redis error"]);
    await redis.restart();
    await until("it is ready again", async () => (await probe(bound.url, "/ready"))[0] === 200);
    await Promise.all([free.close(), bound.close()]);
    await redis.stop();
  });

  test("answers as each guard says while Redis is away, and as before when it is back", async () => {
    const redis = await startRedis();
    const server = await shop(redis.url);
    const asked = async () => {
      const headers = { cookie: `__Host-sid=${"s".repeat(43)}`, "idempotency-key": "away" };
      const paths = [
        ["GET", "/limited"],
        ["GET", "/admitted"],
        ["GET", "/mine"],
        ["POST", "/orders"],
      ] as const;
      const answers = paths.map(async ([method, path]) => fetch(server.url + path, { method, headers }));
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    const before = await asked();
    await redis.kill();
    const away = await asked();
    await redis.restart();
    await until("its guards have their stores again", async () => `${await asked()}` === `${before}`);

    assert.deepEqual(
      [before, away],
      [
        [200, 200, 401, 200],
        [503, 200, 503, 503],
      ],
    );
    await server.close();
    await redis.stop();
  });

  test("does not begin where Redis is away, and names it", async () => {
    const redis = `redis://:hunter22@127.0.0.1:${await freePort()}`;
    const ingress = Framework.http({ processGuards: false })
      .stores(openStores({ sql: "memory:", redis }))
      .bind("127.0.0.1:0");

    await assert.rejects(ingress.run(), ({ code, message }) => {
      assert.match(message, /redis:\/\/\[redacted\]@127\.0\.0\.1.*ECONNREFUSED/);
      return code === "STORE_UNAVAILABLE";
    });
  });
});
