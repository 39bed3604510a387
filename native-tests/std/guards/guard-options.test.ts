// What programs without types get wrong when they make a guard: said at once, and by its name.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import * as std from "framework/std";

const untyped = (value: unknown) => value as never;

const {
  AccessLogGuard,
  BodyLimitGuard,
  ConditionalRequestGuard,
  ContentTypeGuard,
  CorsConfig,
  CorsGuard,
  CsrfGuard,
  IdempotencyGuard,
  MemoryIdempotency,
  MemoryRateLimits,
  RateLimitGuard,
  RedirectGuard,
  SecurityHeadersGuard,
  SecurityPolicy,
  TimeoutGuard,
} = std;

const policy = SecurityPolicy.default();
const current = (): undefined => undefined;

/** Whatever takes an object of options, by its name. */
const taking: Readonly<Record<string, (options: never) => unknown>> = {
  AccessLogGuard: (options) => new AccessLogGuard(options),
  ConditionalRequestGuard: (options) => new ConditionalRequestGuard(options),
  CorsConfig: (options) => new CorsConfig(options),
  CorsGuard: (options) => new CorsGuard(options),
  CsrfGuard: (options) => new CsrfGuard(options),
  IdempotencyGuard: (options) => new IdempotencyGuard(options),
  MemoryIdempotency: (options) => new MemoryIdempotency(options),
  MemoryRateLimits: (options) => new MemoryRateLimits(options),
  RateLimitGuard: (options) => new RateLimitGuard(10, 1000, options),
  "RedirectGuard.toHttps": (options) => RedirectGuard.toHttps(options),
  "RedirectGuard.toHost": (options) => RedirectGuard.toHost("a.example", options),
  "RedirectGuard.prefix": (options) => RedirectGuard.prefix("/a", "/b", options),
  SecurityHeadersGuard: (options) => new SecurityHeadersGuard(policy, options),
};

describe("the options of a guard", () => {
  test("are an object", () => {
    for (const [name, make] of Object.entries(taking))
      for (const options of [null, 5, "https://a.example", ["https://a.example"]])
        assert.throws(() => make(untyped(options)), { code: "CONFIG_INVALID" }, `${name} ${options}`);
  });

  test("are those that it has, and it says which", () => {
    for (const [name, make] of Object.entries(taking))
      assert.throws(
        () => make(untyped({ current, hosts: ["a.example"], mispelt: 1 })),
        { code: "CONFIG_INVALID", message: /^[\w.]+(?:\(10, 1000\))?: '\w+' is no option; there are \w+/ },
        name,
      );
  });

  test("that are texts are shown as texts", () => {
    assert.throws(() => new RateLimitGuard(untyped("60"), 1000), {
      message: /^RateLimitGuard\("60", 1000\): maxRequests/,
    });
  });

  test("are of their types", () => {
    const calls: readonly (() => unknown)[] = [
      () => new BodyLimitGuard(untyped(Symbol("1mb"))),
      () => new TimeoutGuard(untyped(Symbol("1s"))),
      () => new RateLimitGuard(untyped(Symbol("10")), 1000),
      () => new ContentTypeGuard(untyped("application/json")),
      () => new ConditionalRequestGuard({ current, reads: untyped(5) }),
      () => new ConditionalRequestGuard({ current, required: untyped("no") }),
      () => new ConditionalRequestGuard({ current, now: untyped(5) }),
      () => new IdempotencyGuard({ methods: untyped("POST") }),
      () => new IdempotencyGuard({ methods: untyped(null) }),
      () => new IdempotencyGuard({ required: untyped("no") }),
      () => new MemoryIdempotency({ clock: untyped({}) }),
      () => RedirectGuard.toHost(untyped(undefined)),
      () => new SecurityHeadersGuard(untyped(null)),
      () => new SecurityHeadersGuard(policy.withNonce(), { randomBytes: untyped(5) }),
    ];
    for (const call of calls) assert.throws(call, { code: "CONFIG_INVALID" }, String(call));
  });
});
