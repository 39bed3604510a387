import assert from "node:assert/strict";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import fc from "fast-check";

import { mode } from "framework/core";
import { FrameworkConfig } from "#config/config.js";
import { keyByPath, keys, type NamedKey } from "#config/keys.js";
import { bodyMemoryFor } from "#core/ports/body-memory.js";
import { folderWith, loaded, mistaken } from "../support/config-folder.js";

/** Two right values of a key that are no default, in TOML and as a variable has them. */
type Samples = readonly (readonly [toml: string, variable: string, value: unknown])[];
const same = (...texts: readonly string[]): Samples => texts.map((text) => [text, text, JSON.parse(text)]);
const quoted = (...texts: readonly string[]): Samples => texts.map((text) => [`"${text}"`, text, text]);

const samplesByPath: Readonly<Record<string, Samples>> = {
  "server.workers": [
    ["3", "3", 3],
    ['"auto"', "auto", "auto"],
    ["7", "7", 7],
  ],
  "server.port": same("81", "82", "83"),
  "server.body_timeout_ms": same("1", "2", "3"),
  "server.trusted_proxies": [
    ['["10.0.0.0/8"]', "10.0.0.0/8", ["10.0.0.0/8"]],
    ['["::1", "192.0.2.1"]', "::1, 192.0.2.1", ["::1", "192.0.2.1"]],
    ["[]", " ", []],
  ],
  "server.process_guards": same("false", "true", "false"),
  "tls.cert_path": quoted("a.pem", "b.pem", "c.pem"),
  "logging.level": quoted("warn", "debug", "trace"),
  "logging.module_levels": [
    ['{ http = "debug" }', "http=debug", { http: "debug" }],
    [
      '{ "a.b" = "warn", __proto__ = "info" }',
      "a.b=warn,__proto__=info",
      JSON.parse('{"a.b":"warn","__proto__":"info"}'),
    ],
    ["{}", " ", {}],
  ],
  "telemetry.sample_ratio": same("0.5", "0.25", "0"),
  "telemetry.service_name": quoted("orders", "stock", "mail"),
  "telemetry.resource_attributes": [
    ['{ "host.name" = "a%41" }', "host.name=a%2541", { "host.name": "a%41" }],
    [
      '{ "host.name" = "a b", __proto__ = "c=d" }',
      "host.name=a%20b, __proto__ = c=d",
      JSON.parse('{"host.name":"a b","__proto__":"c=d"}'),
    ],
    ['{ "host.name" = "", team = "x" }', "host.name=,team=x", { "host.name": "", team: "x" }],
  ],
};

const LAYERS = ["file", "profile", "otel", "variable"] as const;

describe("FrameworkConfig.load", () => {
  test("takes each key from the last layer that has it", () => {
    const chosen = fc.record(
      Object.fromEntries(Object.keys(samplesByPath).map((path) => [path, fc.subarray([...LAYERS])])),
    );
    const defaults = loaded();

    fc.assert(
      fc.property(chosen, (layersByPath) => {
        const file: string[] = [];
        const profile: string[] = [];
        const env: Record<string, string> = { FRAMEWORK_PROFILE: "staging" };
        const expected = new Map<string, readonly [unknown, string]>();
        for (const [path, layers] of Object.entries(layersByPath)) {
          const key = keyByPath.get(path) as NamedKey;
          const [low, middle, high] = samplesByPath[path] as [Samples[0], Samples[0], Samples[0]];
          expected.set(path, [defaults.valueOf(path), "default"]);
          if (layers.includes("file")) {
            file.push(`${path} = ${low[0]}`);
            expected.set(path, [low[2], "file"]);
          }
          if (layers.includes("profile")) {
            profile.push(`${path} = ${middle[0]}`);
            expected.set(path, [middle[2], "profile"]);
          }
          if (layers.includes("otel") && key.otel !== undefined) {
            env[key.otel.name] = middle[1];
            expected.set(path, [middle[2], "variable"]);
          }
          if (layers.includes("variable")) {
            env[key.variable] = high[1];
            expected.set(path, [high[2], "variable"]);
          }
        }
        const toml = [...file, "[profile.staging]", ...profile, "[profile.other.server]", "port = 1"].join(
          "\n",
        );

        const config = loaded(toml, env);

        for (const [path, [value, layer]] of expected) {
          assert.equal(JSON.stringify(config.valueOf(path)), JSON.stringify(value), `${path} in ${toml}`);
          assert.equal(config.originOf(path)?.kind, layer, path);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("says which line or variable a value came from", () => {
    const config = loaded("[server]\n\nport = 1\n[profile.dev]\nserver.host = '::1'", {
      FRAMEWORK_PROFILE: "dev",
      OTEL_SERVICE_NAME: "orders",
    });

    assert.deepEqual(config.originOf("server.port"), {
      kind: "file",
      file: "framework.toml",
      line: 3,
      column: 1,
    });
    assert.deepEqual(config.originOf("server.host"), {
      kind: "profile",
      profile: "dev",
      file: "framework.toml",
      line: 5,
      column: 1,
    });
    assert.deepEqual(config.originOf("telemetry.service_name"), {
      kind: "variable",
      variable: "OTEL_SERVICE_NAME",
    });
    assert.deepEqual(config.originOf("server.workers"), { kind: "default", words: undefined });
    assert.equal(config.originOf("server.colour"), undefined);
  });

  test("takes the nearest framework.toml upwards, and none where there is none", () => {
    const folder = folderWith({ "framework.toml": "server.port = 1", "a/framework.toml": "server.port = 2" });
    mkdirSync(join(folder, "a", "b", "c"), { recursive: true });
    const at = (cwd: string) => FrameworkConfig.load({ cwd, env: {} });

    assert.equal(at(folder).server.port, 1);
    assert.equal(at(join(folder, "a", "b", "c")).server.port, 2);
    assert.equal(at(join(folder, "a", "b", "c")).file, join("..", "..", "framework.toml"));
    assert.equal(loaded().file, undefined);
    assert.equal(loaded().server.port, 3000);
  });

  test("takes the named file instead, which must be there", () => {
    const folder = folderWith({ "framework.toml": "server.port = 1", "other.toml": "server.port = 2" });
    const named = (file: string) => FrameworkConfig.load({ cwd: folder, file, env: {} });

    assert.equal(named("other.toml").server.port, 2);
    assert.equal(named(join(folder, "other.toml")).file, "other.toml");
    assert.match(mistaken(() => named("absent.toml")).message, /absent\.toml: there is no such file/);
  });

  test("looks at this process where nothing else is named", () => {
    const config = FrameworkConfig.load({ cwd: folderWith() });

    assert.deepEqual(config.mode, mode);
    assert.equal(config.logging.format, process.stdout.isTTY === true ? "pretty" : "json");
    assert.equal(FrameworkConfig.load({ env: {} }).file, "framework.toml", realpathSync("."));
  });

  test("has defaults that depend on the rest", () => {
    const delay = (host: string) =>
      loaded(undefined, { FRAMEWORK_SERVER_HOST: host }).server.shutdownDelaySecs;
    assert.deepEqual(["127.0.0.1", "localhost", "127.1.2.3", "::1"].map(delay), [0, 0, 0, 0]);
    assert.deepEqual(
      ["0.0.0.0", "::", "example.org", "128.0.0.1", "127.0.0.1.example.org"].map(delay),
      [5, 5, 5, 5, 5],
    );
    assert.equal(loaded("[server]\nhost = '::'\nshutdown_delay_secs = 1").server.shutdownDelaySecs, 1);

    const dev = loaded(undefined, { FRAMEWORK_PROFILE: "dev" });
    const production = loaded();
    assert.deepEqual([dev.server.drainIdleSecs, production.server.drainIdleSecs], [0, 12]);
    assert.deepEqual([dev.inspector.enabled, production.inspector.enabled], [true, false]);

    assert.equal(loaded(undefined, {}, { terminal: true }).logging.format, "pretty");
    assert.equal(loaded(undefined, {}, { terminal: false }).logging.format, "json");
  });

  test("has the defaults of the specification", () => {
    const { server, tls, logging, telemetry, inspector, pool, redis } = loaded();

    assert.deepEqual(
      { ...server },
      {
        host: "127.0.0.1",
        port: 3000,
        workers: 1,
        trustedProxies: [],
        forwardedHeader: "x-forwarded-for",
        allowedHosts: [],
        proxyProtocol: "off",
        bodyLimitBytes: 1_048_576,
        headLimitBytes: 16_384,
        targetLimitBytes: 8192,
        bodyTimeoutMs: 7500,
        routeTimeoutMs: 30_000,
        maxConnections: 10_000,
        maxInFlight: 1024,
        maxBodyBytesInFlight: bodyMemoryFor(1),
        shutdownTimeoutSecs: 30,
        shutdownDelaySecs: 0,
        drainIdleSecs: 12,
        processGuards: true,
      },
    );
    assert.deepEqual(
      { ...tls },
      { enabled: false, certPath: "", keyPath: "", passphrase: undefined, minVersion: "1.2" },
    );
    assert.deepEqual([logging.level, { ...logging.moduleLevels }], ["info", {}]);
    assert.deepEqual(
      { ...telemetry },
      {
        enabled: true,
        otlpEndpoint: undefined,
        otlpTracesEndpoint: undefined,
        otlpProtocol: "grpc",
        otlpHeaders: telemetry.otlpHeaders,
        serviceName: "framework",
        resourceAttributes: Object.freeze(Object.create(null)),
        sampleRatio: 1,
        maxQueueSize: 4096,
        maxExportBatchSize: 512,
        scheduleDelayMs: 2000,
        exportTimeoutMs: 10_000,
      },
    );
    assert.deepEqual({ ...telemetry.otlpHeaders.reveal() }, {});
    assert.deepEqual(
      { ...inspector },
      {
        enabled: false,
        host: "127.0.0.1",
        port: 3001,
        bearerToken: undefined,
        viewerToken: undefined,
        capturePayloads: "off",
        stallThresholdMs: 30_000,
        metricsIntervalMs: 1000,
        sampleRatio: 1,
      },
    );
    assert.deepEqual(
      [pool.queue, pool.idleTimeoutSecs, pool.memoryLimitMb, pool.warm],
      [256, 60, 512, false],
    );
    assert.ok(pool.threads >= 1);
    assert.equal(redis.url, undefined);
  });

  test("has defaults that would be right in a file", () => {
    for (const key of keys) {
      const value = loaded().valueOf(key.path);
      if (value === undefined || key.secret) continue;
      const toml = Array.isArray(value) || typeof value !== "object" ? JSON.stringify(value) : "{}";

      assert.deepEqual(loaded(`${key.path} = ${toml}`).valueOf(key.path), value, key.path);
    }
    for (const path of ["persistence.url"]) {
      assert.ok(
        loaded(undefined, { [keyByPath.get(path)?.variable as string]: String(loaded().valueOf(path)) }),
      );
    }
  });

  test("is frozen, as all that it holds", () => {
    const config = loaded("logging.module_levels = { http = 'debug' }\nserver.trusted_proxies = ['::1']");
    const { server, logging } = config;

    for (const one of [config, config.mode, server, server.trustedProxies, logging, logging.moduleLevels])
      assert.ok(Object.isFrozen(one));
  });

  test("reads OpenTelemetry's protocol as it is written there, and passes over what is empty or another sampler's", () => {
    const protocol = (text: string) =>
      loaded(undefined, { OTEL_EXPORTER_OTLP_PROTOCOL: text }).telemetry.otlpProtocol;
    assert.deepEqual(["http/protobuf", "grpc", ""].map(protocol), ["http", "grpc", "grpc"]);
    assert.match(
      mistaken(() => protocol("http/json")).message,
      /OTEL_EXPORTER_OTLP_PROTOCOL: is "http\/json"; it must be one of "grpc", "http\/protobuf"/,
    );

    const ratio = (sampler: string) =>
      loaded(undefined, { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: "0.5" }).telemetry
        .sampleRatio;
    assert.deepEqual(
      ["", "traceidratio", "parentbased_traceidratio", "jaeger_remote"].map(ratio),
      [0.5, 0.5, 0.5, 1],
    );
  });

  test("takes tracing as disabled by OpenTelemetry's variable, and by nothing else in it", () => {
    const enabled = (text: string) => loaded(undefined, { OTEL_SDK_DISABLED: text }).telemetry.enabled;

    assert.deepEqual(["true", "TRUE", "false", "", "1"].map(enabled), [false, false, true, true, true]);
  });

  test("refuses attributes that are none", () => {
    for (const text of ["host.name", "=a", "host.name=%zz", "a=b,,"]) {
      assert.match(
        mistaken(() => loaded(undefined, { OTEL_RESOURCE_ATTRIBUTES: text })).message,
        /OTEL_RESOURCE_ATTRIBUTES: .*table of names, each with a text/,
      );
    }
  });

  test("keeps names from outside off every prototype", () => {
    const { moduleLevels } = loaded("logging.module_levels.__proto__ = 'debug'").logging;

    assert.equal(Object.getPrototypeOf(moduleLevels), null);
    assert.deepEqual(Object.keys(moduleLevels), ["__proto__"]);
    assert.equal(({} as Record<string, unknown>)["debug"], undefined);
  });
});

describe("the JSON of a configuration", () => {
  test("has the keys of the file", () => {
    const json = JSON.parse(JSON.stringify(loaded("server.body_limit_bytes = 5")));

    assert.equal(json.server.body_limit_bytes, 5);
    assert.deepEqual(Object.keys(json), [
      "server",
      "tls",
      "logging",
      "telemetry",
      "inspector",
      "pool",
      "persistence",
      "audit",
      "redis",
    ]);
  });
});
