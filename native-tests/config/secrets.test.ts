import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import fc from "fast-check";

import { ConfigError } from "#config/mistake.js";
import { loaded } from "../support/config-folder.js";

const TOKEN = "correct horse battery";

describe("a secret of the configuration", () => {
  const config = loaded(
    "persistence.url = 'postgres://app:hunter22@db/runs?sslmode=require&sslpassword=hunter33'",
    {
      FRAMEWORK_INSPECTOR_BEARER_TOKEN: TOKEN,
      FRAMEWORK_REDIS_URL: "redis://:hunter22@cache:6379",
    },
  );

  test("is there for who asks for it by name", () => {
    assert.equal(config.inspector.bearerToken?.reveal(), TOKEN);
    assert.equal(config.redis.url?.reveal(), "redis://:hunter22@cache:6379");
  });

  test("is printed nowhere", () => {
    const printed = [
      JSON.stringify(config),
      inspect(config, { depth: 9, showHidden: true }),
      `${config.persistence.url} ${config.inspector.bearerToken} ${config.redis.url}`,
    ].join("\n");

    assert.doesNotMatch(printed, /hunter|correct horse/);
    assert.match(printed, /postgres:\/\/\[redacted\]@db\/runs\?sslmode=require&sslpassword=\[redacted\]/);
  });

  test("is not printed wherever in an address it stands", () => {
    const marked = fc.string().map((text) => `${text}hunter22${text}`);
    const address = fc.oneof(
      fc.tuple(fc.string(), marked).map(([user, password]) => `redis://${user}:${password}@cache/1?x=1`),
      marked.map((token) => `redis://${token}@cache`),
      fc
        .tuple(fc.constantFrom("password", "x;sslPassword", "api_key", "a%75th", "x=1&token"), marked)
        .map(([name, value]) => `redis://cache/?${name}=${value.replaceAll("&", "")}`),
      marked.map((token) => `redis://cache/#${token}`),
    );
    let accepted = 0;

    fc.assert(
      fc.property(address, (url) => {
        try {
          const shown = String(loaded(undefined, { FRAMEWORK_REDIS_URL: url }).redis.url);
          accepted += 1;
          assert.ok(!shown.includes("hunter22"), `${shown} of ${url}`);
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          assert.ok(!error.message.includes("hunter22"), url);
        }
      }),
      { numRuns: 1000 },
    );
    assert.ok(accepted > 100, `${accepted} addresses were right`);
  });

  test("leaves an address readable that has none", () => {
    assert.equal(String(loaded().persistence.url), "sqlite:.framework/app.db");
    assert.equal(
      String(loaded(undefined, { FRAMEWORK_REDIS_URL: "redis://cache:1" }).redis.url),
      "redis://cache:1",
    );
  });

  test("hides a password that ends the address early", () => {
    const url = "redis://user:12/hunter22@cache";

    assert.equal(String(loaded(undefined, { FRAMEWORK_REDIS_URL: url }).redis.url), "[redacted]");
  });
});
