import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import { parse } from "smol-toml";

import { commentedToml } from "#config/commented-toml.js";
import { FrameworkConfig } from "#config/config.js";
import { configSchema } from "#config/config-schema.js";
import { ENGINE_LIMITS, explain } from "#config/explain.js";
import { isDerived } from "#config/key.js";
import { keyTable } from "#config/key-table.js";
import { keys } from "#config/keys.js";
import { compileSchema } from "#schema/compile/validator.js";
import { loaded, mistaken } from "../support/config-folder.js";

const REMEDY = "out of date: npm run config-docs";
const page = readFileSync("docs/configuration.md", "utf8");

describe("what is published of the configuration", () => {
  test("is the schema that the code has", () => {
    const published = readFileSync("docs/framework.schema.json", "utf8");

    assert.equal(published, `${JSON.stringify(configSchema, null, 2)}\n`, REMEDY);
  });

  test("is framework.toml with every key as a comment", () => {
    assert.equal(readFileSync("framework.toml", "utf8"), commentedToml(), REMEDY);
    assert.deepEqual(
      keys.filter((key) => !commentedToml().includes(`\n#${key.name} = `)).map((key) => key.path),
      [],
    );
  });

  test("is the table of the keys", () => {
    assert.equal(page.split("<!-- keys -->\n")[1]?.split("<!-- end -->")[0], keyTable(), REMEDY);
    assert.ok(page.includes("npm run config-docs"));
    assert.ok(existsSync("scripts/config-docs.mjs"));
  });
});

describe("the repository's framework.toml", () => {
  const uncommented = commentedToml().replace(/^#(?! )/gm, "");

  test("loads, and sets nothing", () => {
    const config = FrameworkConfig.load({ env: {} });

    assert.equal(config.file, "framework.toml");
    assert.deepEqual(
      keys.filter((key) => config.originOf(key.path)?.kind !== "default"),
      [],
    );
  });

  test("sets every key to its default once its comments are taken away, and secrets to nothing", () => {
    const config = loaded(uncommented);
    for (const key of keys) {
      assert.equal(config.originOf(key.path)?.kind, key.mayBeEmpty ? "default" : "file", key.path);
      if (key.default !== undefined && !isDerived(key.default))
        assert.equal(JSON.stringify(config.valueOf(key.path)), JSON.stringify(loaded().valueOf(key.path)));
    }
  });

  test("loads with any one of its lines, as it stands", () => {
    const lines = commentedToml().split("\n");
    const commented = lines.flatMap((line, at) => (/^#(?! )/.test(line) ? [at] : []));

    assert.equal(commented.length, keys.length + 1);
    for (const one of commented)
      for (const profile of ["dev", "staging", "prod"]) {
        const toml = lines.map((line, at) => (at === one ? line.slice(1) : line)).join("\n");
        // The profile is known by the other line.
        const env =
          profile === "staging" && !toml.includes("\nprofile.") ? {} : { FRAMEWORK_PROFILE: profile };
        assert.ok(loaded(toml, env), lines[one]);
      }
  });
});

describe("the JSON Schema of framework.toml", () => {
  /** Our validator reads schemas that TypeBox made: each part gets the kind that its type says. */
  const typed = (schema: any): TSchema => {
    if (schema.anyOf) return Type.Union(schema.anyOf.map(typed));
    if (schema.const !== undefined) return Type.Literal(schema.const);
    if (schema.type === "array") return Type.Array(typed(schema.items));
    if (schema.patternProperties)
      return Type.Record(Type.String(), typed(Object.values(schema.patternProperties)[0]));
    if (schema.type === "object") {
      const inner = Object.entries(schema.properties ?? {}).map(([name, part]) => [
        name,
        Type.Optional(typed(part)),
      ]);
      const rest = schema.additionalProperties;
      const additionalProperties = typeof rest === "object" ? typed(rest) : rest;
      return Type.Object(Object.fromEntries(inner), { additionalProperties });
    }
    const { minimum, maximum, minLength } = schema;
    const bounds = JSON.parse(JSON.stringify({ minimum, maximum, minLength }));
    if (schema.type === "integer") return Type.Integer(bounds);
    if (schema.type === "number") return Type.Number(bounds);
    if (schema.type === "boolean") return Type.Boolean();
    return Type.String(bounds);
  };
  const schema = JSON.parse(JSON.stringify(configSchema));
  const { check } = compileSchema(typed(schema), { owner: "framework.toml", origin: "json" });
  const fits = (toml: string) => check(JSON.parse(JSON.stringify(parse(toml))));

  test("takes what the loader takes", () => {
    for (const toml of [
      "",
      "[server]\nport = 80\nworkers = 'auto'\ntrusted_proxies = ['::1']",
      "[logging.module_levels]\nhttp = 'debug'",
      "[profile.staging.server]\nport = 80",
    ]) {
      assert.ok(loaded(toml));
      assert.ok(fits(toml), toml);
    }
  });

  test("refuses unknown keys, wrong types and values out of range, as the loader does", () => {
    for (const toml of [
      "[server]\nprot = 80",
      "[sever]\nport = 80",
      "[server]\nport = '80'",
      "[server]\nport = 65536",
      "[server]\nbody_timeout_ms = 10001",
      "[logging]\nlevel = 'loud'",
      "[inspector]\nbearer_token = 'short'",
      "[profile.staging.server]\nprot = 80",
    ]) {
      assert.ok(
        mistaken(() => loaded(toml)),
        toml,
      );
      assert.ok(!fits(toml), toml);
    }
  });
});

describe("docs/configuration.md", () => {
  test("shows an example that does what it says", () => {
    const [, example] = /```toml\n([\s\S]*?)```/.exec(page) ?? [];

    const config = loaded(example, { FRAMEWORK_SERVER_PORT: "80", FRAMEWORK_PROFILE: "dev" });

    assert.deepEqual(
      [config.server.port, config.logging.level, config.logging.format],
      [80, "debug", "pretty"],
    );
    assert.ok(
      page.includes(
        "`FRAMEWORK_SERVER_PORT=80 FRAMEWORK_PROFILE=dev` then listens on port 80 and logs at `debug`",
      ),
    );
  });

  test("shows a report that is made like that", () => {
    const [, report] = /```text\n([\s\S]*?)\n```/.exec(page) ?? [];
    const toml = "[server]\nprot = 80\n\n[profile.staging.server]\nbody_timeout_ms = 60000";
    const env = { FRAMEWORK_PROFILE: "stagign", FRAMEWORK_SERVER_PORT: "eighty" };

    assert.equal(mistaken(() => loaded(toml, env)).message, report);
  });
});

describe("explain", () => {
  const config = loaded("[server]\nport = 8080\n[profile.dev]\nlogging.level = 'debug'", {
    FRAMEWORK_PROFILE: "dev",
    OTEL_SERVICE_NAME: "orders",
    FRAMEWORK_INSPECTOR_BEARER_TOKEN: "correct horse battery",
    FRAMEWORK_REDIS_URL: "redis://:hunter22@cache",
  });
  const lines = explain(config).split("\n");
  const line = (start: string) => lines.find((text) => text.startsWith(start))?.replace(/ {2,}/g, " | ");

  test("has each key's value and the layer that it came from", () => {
    assert.equal(line("server.host "), 'server.host | "127.0.0.1" | default');
    assert.equal(line("server.port "), "server.port | 8080 | framework.toml:2");
    assert.equal(line("logging.level "), 'logging.level | "debug" | framework.toml:4 [profile.dev]');
    assert.equal(line("telemetry.service_name"), 'telemetry.service_name | "orders" | OTEL_SERVICE_NAME');
    assert.equal(
      line("server.shutdown_delay"),
      "server.shutdown_delay_secs | 0 | default (5, or 0 on loopback)",
    );
    assert.equal(line("telemetry.otlp_endpoint"), "telemetry.otlp_endpoint | (unset) | default");
    assert.deepEqual(
      keys.filter((key) => line(`${key.path} `) === undefined).map((key) => key.path),
      [],
    );
  });

  test("says the mode and why, the profile and the file", () => {
    assert.deepEqual(lines.slice(0, 4), [
      "mode     not production: FRAMEWORK_PROFILE is 'dev'",
      'profile  "dev"',
      "file     framework.toml",
      "",
    ]);
    assert.deepEqual(explain(loaded()).split("\n").slice(0, 3), [
      "mode     production: FRAMEWORK_PROFILE is not set",
      "profile  none",
      "file     none",
    ]);
  });

  test("shows no secret", () => {
    assert.equal(
      line("inspector.bearer"),
      "inspector.bearer_token | [redacted] | FRAMEWORK_INSPECTOR_BEARER_TOKEN",
    );
    assert.equal(line("redis.url"), 'redis.url | "redis://[redacted]@cache" | FRAMEWORK_REDIS_URL');
  });

  test("stands in columns", () => {
    const width = Math.max(...keys.map((key) => key.path.length));
    const rows = keys.map((key) => lines.find((text) => text.startsWith(`${key.path} `)) as string);

    assert.deepEqual(
      rows.filter((row) => !/^[a-z_.]+ *$/.test(row.slice(0, width + 2)) || row[width + 2] === " "),
      [],
    );
  });

  test("says how many threads all processes have together", () => {
    const toml = "server.workers = 3\n[pool]\nthreads = 2\nqueue = 10\nmemory_limit_mb = 100";

    assert.match(
      explain(loaded(toml)),
      /^Offloaded steps have 6 threads in all \(3 x 2\), with up to 600 MB, and 30 places to wait\.$/m,
    );
  });

  test("says how much memory bodies may take", () => {
    const toml = "server.workers = 3\nserver.max_in_flight = 10\nserver.max_body_bytes_in_flight = 2097152";

    assert.match(
      explain(loaded(toml)),
      /^Bodies take up to 6 MB of memory in all \(3 x 2097152 bytes\); without max_body_bytes_in_flight 10 of 1048576 bytes could take 10 MB in each process\.$/m,
    );
  });

  test("lists what the engine fixes", () => {
    for (const [what] of ENGINE_LIMITS) assert.ok(line(`  ${what}`), what);
  });
});
