import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import { Axon, Framework, type Report } from "framework";
import { http, type RouteOptions, TestApp } from "framework/http";
import { BodyLimitGuard } from "framework/std";
import { keys } from "#config/keys.js";
import { MAX_BODY_LIMIT, MAX_ROUTE_TIMEOUT_MS } from "#core/flow/guard.js";
import { bodyMemoryOf } from "#http/exchange/body-memory.js";
import { settings } from "#http/ingress/configured-plan.js";
import { shutdownTimes } from "#http/serving/shutdown-times.js";
import { DEFAULT_POOL } from "#pool/process-pool.js";
import { loaded } from "../../support/config-folder.js";
import { startServer } from "../../support/server-process.js";
import { get, talk } from "../../support/wire.js";

const silent = () => {};
const hello = Axon.start("hello").thenFn("greet", () => "hello");

describe("an ingress with a configuration", () => {
  test("takes what some layer sets", () => {
    const { plan } = Framework.http().config(
      loaded("server.body_limit_bytes = 10\nserver.process_guards = false", {
        FRAMEWORK_SERVER_HOST: "::1",
        FRAMEWORK_SERVER_PORT: "8080",
        FRAMEWORK_SERVER_BODY_TIMEOUT_MS: "100",
        FRAMEWORK_SERVER_SHUTDOWN_TIMEOUT_SECS: "2",
        FRAMEWORK_SERVER_SHUTDOWN_DELAY_SECS: "1",
        FRAMEWORK_SERVER_WORKERS: "auto",
        FRAMEWORK_SERVER_DRAIN_IDLE_SECS: "3",
        FRAMEWORK_SERVER_HEAD_LIMIT_BYTES: "4096",
      }),
    );

    assert.deepEqual(plan.address, { kind: "tcp", host: "::1", port: 8080 });
    assert.deepEqual(
      [plan.bodyLimit, plan.bodyTimeoutMs, plan.shutdownTimeoutMs, plan.headLimit, plan.processGuards],
      [10, 100, 2000, 4096, false],
    );
    assert.deepEqual([plan.shutdownDelayMs, plan.drainIdleMs, plan.workers], [1000, 3000, "auto"]);
  });

  test("is what it was where nothing is set", () => {
    const ingress = Framework.http({ bodyTimeoutMs: 50 }).bind("127.0.0.1:0").gracefulShutdown(1);
    const { plan } = ingress;

    const { log, reporter, ...configured } = ingress.config(loaded()).plan;
    assert.deepEqual({ ...plan, ...configured }, plan);
    assert.equal(reporter, log.reporter);
  });

  test("has the same defaults as the configuration", () => {
    const { plan } = Framework.http();
    const config = loaded();
    const { delayMs, idleMs } = shutdownTimes({ ...plan, production: config.mode.production });
    // The plan says "what the process has": the engine's default is asked for in binding.ts.
    // A server without [pool] says nothing of it, because another of the process may.
    const { maxBodyBytesInFlight } = config.server;
    assert.equal(bodyMemoryOf(plan), maxBodyBytesInFlight);
    const ours = { headLimit: 16_384, pool: DEFAULT_POOL, maxBodyBytesInFlight };
    const defaults = { ...plan, ...ours, shutdownDelayMs: delayMs, drainIdleMs: idleMs };

    for (const [path, apply] of settings)
      assert.deepEqual({ ...defaults, ...apply(config, plan) }, defaults, path);
  });

  test("takes the same bodies and times as the configuration, and no larger ones", () => {
    const largest = MAX_BODY_LIMIT;
    const byConfig = (setting: string) => () => Framework.http().config(loaded(`server.${setting}`));
    const byRoute = (options: RouteOptions<void>) => () => Framework.http().get("/", hello, options);

    assert.equal(byConfig(`body_limit_bytes = ${largest}`)().plan.bodyLimit, largest);
    assert.equal(Framework.http().bodyLimit(largest).plan.bodyLimit, largest);
    byRoute({ bodyLimit: largest })();
    assert.throws(byConfig(`body_limit_bytes = ${largest + 1}`), { code: "CONFIG_INVALID" });
    assert.throws(() => Framework.http().bodyLimit(largest + 1), { code: "CONFIG_INVALID" });
    assert.throws(byRoute({ bodyLimit: largest + 1 }), { code: "CONFIG_INVALID" });
    assert.throws(() => new BodyLimitGuard(largest + 1), { code: "CONFIG_INVALID" });

    byConfig(`route_timeout_ms = ${MAX_ROUTE_TIMEOUT_MS}`)();
    assert.throws(byConfig(`route_timeout_ms = ${MAX_ROUTE_TIMEOUT_MS + 1}`), { code: "CONFIG_INVALID" });
  });

  test("is overridden by what follows, and overrides what stands before", () => {
    const config = loaded("server.port = 1\nserver.body_limit_bytes = 1");

    assert.equal(Framework.http().config(config).bodyLimit(2).plan.bodyLimit, 2);
    assert.equal(Framework.http().bodyLimit(2).config(config).plan.bodyLimit, 1);
    assert.deepEqual(Framework.http().config(config).bind("[::1]:2").plan.address, {
      kind: "tcp",
      host: "::1",
      port: 2,
    });
  });

  test("takes host and port each by itself", () => {
    const bound = (toml: string, address = "0.0.0.0:7") =>
      Framework.http().bind(address).config(loaded(toml)).plan.address;

    assert.deepEqual(bound("server.port = 1"), { kind: "tcp", host: "0.0.0.0", port: 1 });
    assert.deepEqual(bound("server.host = 'localhost'"), { kind: "tcp", host: "localhost", port: 7 });
    assert.deepEqual(bound("server.host = 'unix:/a.sock'\nserver.port = 1"), {
      kind: "unix",
      path: "/a.sock",
    });
    assert.deepEqual(bound("server.port = 1", "unix:/a.sock"), { kind: "tcp", host: "127.0.0.1", port: 1 });
  });

  test("names only keys that there are", () => {
    const known = keys.map((key) => key.path);

    assert.deepEqual(
      [...settings.keys()].filter((path) => !known.includes(path)),
      [],
    );
  });

  test("reports what is set and read by nothing, with its place", () => {
    const reports: Report[] = [];
    http({ reporter: (report) => reports.push(report) }).config(
      loaded("[server]\nport = 1\n[redis]\nurl = 'redis://:hunter22@cache'"),
    );

    assert.equal(reports.length, 1);
    assert.equal(reports[0]?.code, "CONFIG_UNREAD");
    assert.match(reports[0]?.message ?? "", /redis\.url \(framework\.toml:4\)/);
  });

  test("reads the addresses of all stores where it has an Inspector", () => {
    const told: string[] = [];
    const stores = "persistence.url = 'memory:'\nredis.url = 'redis://cache'\naudit.url = 'memory:'";
    Framework.http({ reporter: ({ message = "" }) => told.push(message) }).config(loaded(stores));

    assert.deepEqual(told, []);
  });

  test("serves TLS where the configuration says so, and leaves it where it says nothing", () => {
    const files = "tls.cert_path = 'a.crt'\ntls.key_path = 'a.key'\ntls.passphrase = 'open'";
    const { tls } = Framework.http().config(loaded(`tls.enabled = true\n${files}`)).plan;
    const own = Framework.http().tls("b.crt", "b.key");

    const [pair] = tls?.pairs ?? [];
    assert.deepEqual([pair?.cert, pair?.key], [resolve("a.crt"), resolve("a.key")]);
    assert.equal(pair?.passphrase?.reveal(), "open");
    assert.equal(inspect(tls, { depth: 9 }).includes("open"), false);
    assert.equal(own.config(loaded(files)).plan.tls?.pairs[0].cert, resolve("b.crt"));
    assert.equal(own.config(loaded("tls.min_version = '1.2'")).plan.tls?.pairs[0].cert, resolve("b.crt"));
    assert.equal(own.config(loaded("tls.enabled = false")).plan.tls, undefined);
  });

  test("refuses TLS 1.3 alone, which it cannot serve, with the remedy", () => {
    assert.throws(() => Framework.http().config(loaded("tls.min_version = '1.3'")), {
      code: "TLS_UNSUPPORTED",
      message: /^tls\.min_version \(framework\.toml:1\) is "1\.3", .* put a proxy/,
    });
  });

  test("refuses what FrameworkConfig.load() did not make", () => {
    for (const config of [undefined, {}, { server: { port: 1 } }]) {
      assert.throws(() => Framework.http().config(config as never), {
        code: "CONFIG_INVALID",
        message: /takes what FrameworkConfig\.load\(\) answers/,
      });
    }
  });

  test("holds bodies to the configured limit", async () => {
    const echo = Axon.start("hello").thenFn("hello", () => "hello");
    const ingress = Framework.http({ reporter: silent })
      .config(loaded("server.body_limit_bytes = 3"))
      .post("/", echo);

    assert.equal((await new TestApp(ingress).post("/", { body: "1234" })).status, 413);
    assert.equal((await new TestApp(ingress).post("/", { body: "123" })).status, 200);
  });
});

describe("a configured server", () => {
  test("listens where its variables say, with the head limit that they say", async () => {
    const server = await startServer("configured-server.ts", {
      FRAMEWORK_SERVER_HOST: "localhost",
      FRAMEWORK_SERVER_PORT: "0",
      FRAMEWORK_SERVER_HEAD_LIMIT_BYTES: "2048",
    });
    const withHead = (bytes: number) =>
      talk(server.address, get("/", `x-long: ${"x".repeat(bytes)}`), { until: 1 });

    assert.match(server.address, /^(127\.0\.0\.1|\[::1\]):\d+$/);
    assert.equal((await withHead(1000)).replies[0]?.status, 200);
    assert.equal((await withHead(3000)).replies[0]?.status, 431);
    assert.equal(await server.stop(), 0);
  });
});
