import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Axon, isFault } from "framework";
import { CorsHeaders, OwnOrigin, RequestOrigin } from "framework/core";
import { AxonTestKit } from "framework/runtime";
import { CorsConfig, CorsGuard, type CorsOptions, GuardFault } from "framework/std";
import { hostileOrigin } from "../../support/hostile-origin.js";

const OWN = "https://api.example";
const APP = "https://app.example";

/** What becomes of a request of the origin: "passed", or the fault. */
async function visit(guard: CorsGuard, origin?: string) {
  const kit = new AxonTestKit().set(OwnOrigin, OWN);
  if (origin !== undefined) kit.set(RequestOrigin, origin);
  const { outcome, bus } = await kit.run(Axon.start<string>("shared").then(guard), "passed");
  return { outcome: isFault(outcome) ? outcome.error : outcome, headers: bus.find(CorsHeaders) };
}

const linesOf = (lines: string): readonly string[] => lines.split("\r\n").slice(1);
const answerTo = (guard: CorsGuard, origin: string) => linesOf(guard.cors.linesFor(origin, OWN));
const preflightOf = (guard: CorsGuard, origin: string, method = "PUT", headers = "") =>
  linesOf(guard.cors.preflight({ origin, ownOrigin: OWN, method, headers }));

const credentialed: CorsOptions = {
  allowedOrigins: [APP, "https://*.staging.example"],
  allowedMethods: ["GET", "POST"],
  allowedHeaders: ["content-type", "authorization"],
  exposedHeaders: ["x-total", "etag"],
  maxAgeSeconds: 600,
  allowCredentials: true,
};

describe("CorsGuard", () => {
  test("lets pages of allowed origins pass, and refuses the others", async () => {
    const guard = new CorsGuard(credentialed);

    for (const origin of [APP, "https://a.staging.example"])
      assert.equal((await visit(guard, origin)).outcome, "passed");
    for (const origin of ["https://evil.example", "https://staging.example", "http://app.example", "null"]) {
      const { outcome, headers } = await visit(guard, origin);
      assert.ok(outcome instanceof GuardFault && outcome.code === "ORIGIN_REFUSED", origin);
      assert.equal(outcome.toReply().status, 403);
      assert.equal(headers, undefined);
    }
  });

  test("lets requests pass that name no origin, and those of the server's own pages", async () => {
    const guard = new CorsGuard({ allowedOrigins: [] });

    assert.equal((await visit(guard)).outcome, "passed");
    assert.equal((await visit(guard, "")).outcome, "passed");
    assert.equal((await visit(guard, OWN)).outcome, "passed");
    assert.ok((await visit(guard, `${OWN}:8443`)).outcome instanceof GuardFault);
    assert.deepEqual(answerTo(guard, OWN), [], "whose browser asks for no permission");
  });

  test("refuses all that name an origin where the server does not know its own", async () => {
    const axon = Axon.start<string>("shared").then(new CorsGuard({ allowedOrigins: [APP] }));
    const { outcome } = await new AxonTestKit().set(RequestOrigin, OWN).run(axon, "passed");

    assert.ok(isFault(outcome));
  });

  test("writes to the Bus what the answer will say", async () => {
    const expected = {
      "access-control-allow-origin": APP,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": "x-total, etag",
    };

    assert.deepEqual((await visit(new CorsGuard(credentialed), APP)).headers, expected);
    assert.equal((await visit(new CorsGuard(credentialed), OWN)).headers, undefined);
  });

  test("tells an answer's reader who may read it and what", () => {
    const guard = new CorsGuard(credentialed);

    for (const origin of [APP, "https://b.a.staging.example"])
      assert.deepEqual(answerTo(guard, origin), [
        `access-control-allow-origin: ${origin}`,
        "access-control-allow-credentials: true",
        "access-control-expose-headers: x-total, etag",
      ]);
    for (const origin of ["", "https://evil.example", OWN, "null", "*"])
      assert.deepEqual(answerTo(guard, origin), [], origin);
  });

  test("answers a preflight with all that is allowed, whatever is asked for", () => {
    const guard = new CorsGuard(credentialed);
    const allowed = [
      `access-control-allow-origin: ${APP}`,
      "access-control-allow-credentials: true",
      "access-control-allow-methods: GET, POST",
      "access-control-allow-headers: content-type, authorization",
      "access-control-max-age: 600",
    ];

    for (const method of ["POST", "post", "DELETE", "", "X\r\ny: z"])
      for (const headers of ["", "Content-Type", "x-other", "a\r\nb: c", "x-a,".repeat(10_000)])
        assert.deepEqual(preflightOf(guard, APP, method, headers), allowed);
    assert.deepEqual(preflightOf(guard, "https://evil.example"), []);
    assert.deepEqual(preflightOf(guard, ""), []);
  });

  test("lets everybody read by default, by an answer that is the same for all and does not vary", async () => {
    const guard = new CorsGuard();

    for (const origin of ["", "https://anyone.example", "null", OWN, "no\r\norigin"]) {
      assert.equal((await visit(guard, origin)).outcome, "passed");
      assert.deepEqual(answerTo(guard, origin), ["access-control-allow-origin: *"]);
    }
    assert.deepEqual(guard.responseHeaders, {});
    assert.deepEqual(preflightOf(guard, "https://anyone.example"), [
      "access-control-allow-origin: *",
      "access-control-allow-methods: GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers: Content-Type, Authorization",
      "access-control-max-age: 86400",
    ]);
  });

  test("says that answers vary wherever they follow from the origin", () => {
    for (const allowedOrigins of [[], [APP], ["*.app.example"], ["null"], [() => true]])
      assert.deepEqual(new CorsGuard({ allowedOrigins }).responseHeaders, { always: { vary: "Origin" } });
  });

  test("asks functions again for each request, and echoes what they allow", async () => {
    const open = new Set<string>();
    const guard = new CorsGuard({ allowedOrigins: [(origin) => open.has(origin)] });

    assert.ok((await visit(guard, APP)).outcome instanceof GuardFault);
    open.add(APP);
    assert.equal((await visit(guard, APP)).outcome, "passed");
    assert.deepEqual(answerTo(guard, APP), [`access-control-allow-origin: ${APP}`]);
    open.clear();
    assert.deepEqual(answerTo(guard, APP), []);
  });

  test("lets null in where it is listed, or everybody is", async () => {
    const listed = new CorsGuard({ allowedOrigins: [APP, "null"] });

    assert.equal((await visit(listed, "null")).outcome, "passed");
    assert.deepEqual(answerTo(listed, "null"), ["access-control-allow-origin: null"]);
    assert.ok((await visit(new CorsGuard({ allowedOrigins: [APP] }), "null")).outcome instanceof GuardFault);
  });

  test("leaves out permissions that would be empty", () => {
    const guard = new CorsGuard({ allowedOrigins: [APP], allowedMethods: [], allowedHeaders: [] });

    assert.deepEqual(preflightOf(guard, APP), [
      `access-control-allow-origin: ${APP}`,
      "access-control-max-age: 86400",
    ]);
  });

  test("writes nothing into a header that a request has made up", () => {
    const guard = new CorsGuard({
      allowedOrigins: [APP, "https://*.app.example", (origin) => origin.includes("example")],
    });

    fc.assert(
      fc.property(
        hostileOrigin("https://a.app.example"),
        fc.string(),
        fc.string(),
        (origin, method, headers) => {
          for (const lines of [
            guard.cors.linesFor(origin, OWN),
            guard.cors.preflight({ origin, ownOrigin: OWN, method, headers }),
          ])
            assert.match(
              lines,
              /^$|^\r\naccess-control-allow-origin: [a-z0-9+.-]+:\/\/[a-z0-9._[\]:-]+(?:\r\n[a-z-]+: [\w ,-]+)*$/,
            );
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("refuses whom it would not answer, and nobody else, whatever the origin", async () => {
    const guard = new CorsGuard({ allowedOrigins: [APP, "https://*.app.example"] });

    await fc.assert(
      fc.asyncProperty(hostileOrigin("https://a.app.example"), async (origin) => {
        const { outcome, headers } = await visit(guard, origin);
        const [first] = answerTo(guard, origin);
        assert.equal(headers?.["access-control-allow-origin"], first?.split(": ")[1]);
        assert.equal(outcome === "passed", first !== undefined || origin === "" || origin === OWN);
      }),
    );
  });

  test("is drawn with whose pages it lets pass", () => {
    const drawn = (options: CorsOptions) =>
      Axon.start<string>("shared").then(new CorsGuard(options)).schematic().nodes[1]?.description;

    assert.equal(drawn({}), "Pages of *");
    assert.equal(drawn({ allowedOrigins: [] }), "Pages of no other origin");
    assert.equal(
      drawn({ allowedOrigins: [APP, "*.app.example", () => true], allowCredentials: true }),
      "Pages of https://app.example, *.app.example, those of a function, with credentials",
    );
  });

  test("refuses options that browsers would not follow, or that open more than they say", () => {
    const wrong: readonly [CorsOptions, RegExp][] = [
      [{ allowCredentials: true }, /allowCredentials with "\*".*name the origins/],
      [{ allowedOrigins: ["null"], allowCredentials: true }, /allowCredentials with "null"/],
      [
        { allowedOrigins: [APP, "https://*.com"], allowCredentials: true },
        /'https:\/\/\*\.com' lets anybody/,
      ],
      [{ allowedOrigins: [APP, "*"] }, /leave it out, or them/],
      [{ ...credentialed, allowedMethods: ["*"] }, /allowedMethods: with allowCredentials/],
      [{ ...credentialed, allowedHeaders: ["*", "authorization"] }, /allowedHeaders: with allowCredentials/],
      [{ ...credentialed, exposedHeaders: ["*"] }, /exposedHeaders: with allowCredentials/],
    ];

    for (const [options, message] of wrong)
      assert.throws(() => new CorsGuard(options), { code: "CONFIG_INVALID", message });
    new CorsGuard({ allowedMethods: ["*"], allowedHeaders: ["*", "Authorization"], exposedHeaders: ["*"] });
    new CorsGuard(credentialed);
    new CorsGuard({ allowedOrigins: ["https://*.com"] });
  });

  test("cannot be changed by the lists and the object that it was made of", () => {
    const allowedOrigins = [APP];
    const options = { allowedOrigins, allowCredentials: true };
    const guard = new CorsGuard(options);
    allowedOrigins.push("https://evil.example");
    options.allowCredentials = false;

    assert.deepEqual(answerTo(guard, "https://evil.example"), []);
    assert.equal(answerTo(guard, APP).length, 2);
  });
});

describe("CorsConfig", () => {
  test("begins with everybody, without cookies, for a day", () => {
    assert.deepEqual(
      { ...CorsConfig.default() },
      {
        allowedOrigins: ["*"],
        allowedMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
        allowedHeaders: ["Content-Type", "Authorization"],
        exposedHeaders: [],
        maxAgeSeconds: 86_400,
        allowCredentials: false,
      },
    );
  });

  test("puts the first allowed origin in the place of everybody, and adds the next", () => {
    const one = CorsConfig.default().allowOrigin(APP);
    const two = one.allowOrigin("*.app.example");

    assert.deepEqual(one.allowedOrigins, [APP]);
    assert.deepEqual(two.allowedOrigins, [APP, "*.app.example"]);
    assert.deepEqual(CorsConfig.default().allowedOrigins, ["*"]);
    assert.deepEqual(new CorsConfig({ maxAgeSeconds: 5 }).allowOrigin(APP).allowedOrigins, [APP]);
  });

  test("says by calls what an object of options says", () => {
    const config = CorsConfig.default()
      .withCredentials()
      .allowOrigin(APP)
      .allowOrigin("https://*.staging.example")
      .allowMethods(["GET", "POST"])
      .allowHeaders(["content-type", "authorization"])
      .exposeHeaders(["x-total", "etag"])
      .maxAge(600);

    assert.deepEqual(config, new CorsConfig(credentialed));
    assert.deepEqual(preflightOf(new CorsGuard(config), APP), preflightOf(new CorsGuard(credentialed), APP));
    assert.equal(config.withCredentials(false).allowCredentials, false);
  });

  test("is options itself, of which a program takes what it wants", () => {
    const guard = new CorsGuard({ ...CorsConfig.default(), allowedOrigins: [APP], maxAgeSeconds: 7 });

    assert.ok(preflightOf(guard, APP).includes("access-control-max-age: 7"));
    assert.deepEqual(new CorsConfig(), CorsConfig.default());
  });

  test("takes an option that is undefined for one that is left out", () => {
    const config = new CorsConfig({ allowedOrigins: undefined, maxAgeSeconds: undefined } as never);

    assert.deepEqual(config, CorsConfig.default());
  });

  test("refuses what is out of its range where it is said, and names the call", () => {
    const start = CorsConfig.default();
    const calls: readonly [() => unknown, RegExp][] = [
      [
        () => start.allowOrigin("https://app.example/"),
        /^CorsConfig\.allowOrigin: 'https:\/\/app\.example\/'/,
      ],
      [() => start.allowMethods(["get"]), /^CorsConfig\.allowMethods: .*write GET/],
      [() => start.allowMethods(["GET, POST"]), /"GET, POST"/],
      [() => start.allowMethods([""]), /allowedMethods/],
      [() => start.allowHeaders(["x-a\r\nset-cookie: b"]), /allowedHeaders: "x-a\\r\\nset-cookie: b"/],
      [() => start.exposeHeaders(["x a"]), /exposedHeaders/],
      [() => start.exposeHeaders("etag" as never), /exposedHeaders is no list/],
      [() => start.maxAge(-1), /maxAgeSeconds -1/],
      [() => start.maxAge(0.5), /whole seconds/],
      [() => start.maxAge(86_400_000), /0 to 31536000/],
      [() => start.maxAge(Number.NaN), /NaN/],
      [() => start.withCredentials("yes" as never), /allowCredentials yes/],
      [() => new CorsConfig({ origins: [APP] } as never), /'origins' .*; there are allowedOrigins/],
      [() => new CorsGuard({ allowed_origins: [APP] } as never), /'allowed_origins' .*; there are /],
    ];

    for (const [call, message] of calls) assert.throws(call, { code: "CONFIG_INVALID", message });
    for (const seconds of [0, 31_536_000]) start.maxAge(seconds);
  });
});
