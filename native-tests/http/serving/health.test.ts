import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, Framework } from "framework";
import { guard, layer } from "framework/core";
import { TestApp } from "framework/http";
import { pause } from "../../support/patience.js";
import { startIngress } from "../../support/server-process.js";
import { get, talk } from "../../support/wire.js";

const Db = busKey<{ readonly isUp: boolean }>()("Db");
const quiet = () => {};
const hello = Axon.start("hello").thenFn("hello", () => "hello");
/** An ingress whose database check is critical, and whose cache check is not. */
const checked = (cache: () => unknown = () => {}) =>
  Framework.http({ resources: [Db], reporter: quiet })
    .healthEndpoint("/health")
    .readinessLivenessDefault()
    .healthCheck("db", ({ Db: db }) => db.isUp, { cacheMs: 0 })
    .healthCheck("cache", cache, { critical: false, cacheMs: 0 });

const down = () => {
  throw new Error("no cache");
};

/** Durations aside. */
const shown = (body: any) => ({
  ...body,
  checks: body.checks?.map(({ duration_ms, ...rest }: { duration_ms: number }) => {
    assert.ok(Number.isInteger(duration_ms));
    return rest;
  }),
});

describe("healthEndpoint", () => {
  test("says ok, degraded or error, with each check in its order", async () => {
    const ok = { name: "db", status: "ok" };
    const cacheDown = { name: "cache", status: "error", error: "no cache" };
    const dbDown = { name: "db", status: "error", error: "It answered false" };
    const cases = [
      [true, undefined, 200, "ok", [ok, { name: "cache", status: "ok" }]],
      [true, down, 200, "degraded", [ok, cacheDown]],
      [false, down, 503, "error", [dbDown, cacheDown]],
    ] as const;
    for (const [isUp, cache, status, text, checks] of cases) {
      const response = await new TestApp(checked(cache), { Db: { isUp } }).get("/health");

      assert.equal(response.status, status);
      assert.deepEqual(shown(response.json), { status: text, probe: "health", checks });
      assert.equal(response.headers["cache-control"], "no-store");
      assert.equal(response.headers["content-type"], "application/json");
    }
  });

  test("is ok where there is nothing to check", async () => {
    const response = await new TestApp(Framework.http().healthEndpoint("/h")).get("/h");

    assert.deepEqual(response.json, { status: "ok", probe: "health", checks: [] });
  });

  test("runs its checks at once, and each once for all who ask meanwhile", async () => {
    const began: string[] = [];
    const check = (name: string) => () => {
      began.push(name);
      return new Promise((resolve) => setTimeout(resolve, 20));
    };
    const app = new TestApp(
      Framework.http().healthEndpoint("/health").healthCheck("a", check("a")).healthCheck("b", check("b")),
    );
    const first = app.get("/health");
    await pause(0);
    assert.deepEqual(began, ["a", "b"]);
    const answers = await Promise.all([first, app.get("/health"), app.get("/health")]);

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.deepEqual(began, ["a", "b"]);
  });
});

describe("readinessLiveness", () => {
  test("is ready while its critical checks are well, whatever the others say", async () => {
    const ready = await new TestApp(checked(down), { Db: { isUp: true } }).get("/ready");
    const unready = await new TestApp(checked(), { Db: { isUp: false } }).get("/ready");

    assert.equal(ready.status, 200);
    assert.deepEqual(shown(ready.json), {
      status: "ready",
      probe: "readiness",
      checks: [{ name: "db", status: "ok" }],
    });
    assert.equal(unready.status, 503);
    assert.equal((unready.json as { status: string }).status, "error");
  });

  test("is alive whatever the checks say", async () => {
    const app = new TestApp(
      Framework.http({ reporter: quiet }).readinessLiveness("/r", "/l").healthCheck("x", down),
    );
    const [ready, live] = await Promise.all([app.get("/r"), app.get("/l")]);

    assert.deepEqual([ready.status, live.status], [503, 200]);
    assert.deepEqual(live.json, { status: "ok", probe: "liveness" });
    assert.equal(live.headers["cache-control"], "no-store");
  });

  test("is starting while hooks of onReady run, and ready then", async () => {
    const seen: unknown[] = [];
    const probe = async (address: string) => {
      const response = await fetch(`http://${address}/ready`);
      seen.push([response.status, await response.json()]);
    };
    const server = await Framework.http({ processGuards: false })
      .bind("127.0.0.1:0")
      .readinessLivenessDefault()
      .onReady((_, address) => probe(address))
      .run();
    await probe(server.address);
    await server.close();

    assert.deepEqual(seen, [
      [503, { status: "starting", probe: "readiness" }],
      [200, { status: "ready", probe: "readiness" }],
    ]);
  });

  test("is draining from the signal on, while the rest is served", async () => {
    const server = await startIngress("lifecycle-ingress.ts", { delayMs: 1000 });
    const stopped = server.stop("SIGTERM");
    const ask = () => talk(server.address, [get("/ready"), get("/"), get("/live")], { until: 3 });
    let { replies } = await ask();
    while (replies[0]?.status === 200) ({ replies } = await ask());

    assert.deepEqual(
      replies.map(({ status, body }) => [status, body]),
      [
        [503, '{"status":"draining","probe":"readiness"}'],
        [200, "hello"],
        [200, '{"status":"ok","probe":"liveness"}'],
      ],
    );
    assert.equal(await stopped, 0);
  });
});

describe("probes", () => {
  test("are routes: listed, answering HEAD, and in conflict with others", async () => {
    const ingress = Framework.http().get("/", hello).healthEndpoint("/health").readinessLivenessDefault();
    const app = new TestApp(ingress);

    assert.deepEqual(
      ingress.routes().map(({ method, path, axon }) => `${method} ${path} ${axon}`),
      ["GET / hello", "GET /health health", "GET /ready readiness", "GET /live liveness"],
    );
    assert.deepEqual([(await app.head("/live")).status, (await app.head("/live")).text], [200, ""]);
    assert.equal((await app.post("/ready")).status, 405);
    assert.throws(() => Framework.http().get("/ready", hello).readinessLivenessDefault(), {
      code: "ROUTE_CONFLICT",
    });
    assert.throws(() => Framework.http().healthEndpoint("/h").get("/h", hello), { code: "ROUTE_CONFLICT" });
  });

  test("have no guard and no layer before them", async () => {
    const refuse = () => {
      throw new Error("refused");
    };
    const ingress = Framework.http({ reporter: quiet })
      .guard(guard({ name: "nobody", run: refuse }))
      .layer(layer({ name: "never", run: refuse }))
      .get("/", hello)
      .readinessLivenessDefault();
    const app = new TestApp(ingress);
    const [route] = ingress.routes().filter(({ path }) => path === "/live");

    assert.deepEqual([(await app.get("/")).status, (await app.get("/live")).status], [500, 200]);
    assert.deepEqual([route?.guards, route?.layers], [[], []]);
  });

  test("are answered where no further request is to be begun", async () => {
    const forever = Axon.start("forever").thenFn("wait", () => new Promise<void>(() => {}));
    const app = new TestApp(
      Framework.http({ maxInFlight: 1 }).get("/", hello).get("/forever", forever).readinessLivenessDefault(),
    );
    void app.get("/forever");

    assert.deepEqual([(await app.get("/")).status, (await app.get("/live")).status], [503, 200]);
  });

  test("refuse checks without a name of their own, or with impossible times", () => {
    const check = (name: string, options: object) => () =>
      Framework.http()
        .healthCheck("db", () => {})
        .healthCheck(name, () => {}, options);

    for (const wrong of [
      check("db", {}),
      check("", {}),
      check("x", { timeoutMs: 0 }),
      check("x", { cacheMs: -1 }),
    ])
      assert.throws(wrong, { code: "CONFIG_INVALID" });
  });
});
