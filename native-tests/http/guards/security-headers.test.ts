// Which answers of an ingress carry security headers, whoever makes the answer.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  bytes,
  Framework,
  fault,
  type Guard,
  guard,
  ProblemDetail,
  pass,
  respond,
  Type,
  writtenHeader,
} from "framework";
import { TestApp } from "framework/http";
import { ConditionalRequestGuard, SecurityHeadersGuard, SecurityPolicy } from "framework/std";
import { site } from "../../support/site.js";

const { "strict-transport-security": _, ...always } = SecurityPolicy.default().headers;
const { "content-security-policy": strictCsp } = always;

const refusing = (status: number) => () =>
  fault(new ProblemDetail({ status, code: `STATUS_${status}`, title: "Refused" }));
const hello = Axon.start("hello").thenFn("greet", () => "hello");

const served = () =>
  Framework.http({ reporter: () => {} })
    .get("/", hello)
    .get(
      "/nothing",
      Axon.start("nothing").thenFn("nothing", () => undefined),
    )
    .get(
      "/boom",
      Axon.start("boom").thenFn("throw", () => {
        throw new Error("boom");
      }),
    )
    .get("/away", Axon.start("away").thenFn("refuse", refusing(503)))
    .get("/limited", hello, { guards: [guard({ name: "limit", run: refusing(429) })] })
    .get("/slow", hello, {
      timeoutMs: 20,
      guards: [guard({ name: "never", run: () => new Promise<never>(() => {}) })],
    })
    .get(
      "/moved",
      Axon.start("moved").thenFn("move", { responses: [{ status: 303 }] }, () =>
        respond({ status: 303, headers: { location: "/" } }),
      ),
    )
    .post("/json", Axon.start("json", Type.Object({ n: Type.Integer() })))
    .post("/bytes", Axon.start<Uint8Array>("bytes"), { input: bytes(), bodyLimit: 4 })
    .healthEndpoint("/health")
    .readinessLivenessDefault();

const appOf = (guarding: SecurityHeadersGuard) => new TestApp(served().guard(guarding));

/** An answer of each status, and who makes it. */
const answersOf = (app: ReturnType<typeof appOf>) =>
  [
    ["a value", 200, app.get("/")],
    ["HEAD", 200, app.head("/")],
    ["nothing", 204, app.get("/nothing")],
    ["OPTIONS", 204, app.options("/")],
    ["a step's reply", 303, app.get("/moved")],
    ["an unknown path", 404, app.get("/nowhere")],
    ["an unknown method", 405, app.delete("/")],
    ["a malformed path", 400, app.get("/%00")],
    ["the gate", 400, app.get("/?%00")],
    ["the gate, of an expectation", 417, app.get("/", { headers: { expect: "tea" } })],
    [
      "malformed JSON",
      400,
      app.post("/json", { body: "{", headers: { "content-type": "application/json" } }),
    ],
    ["a body too large", 413, app.post("/bytes", { body: "12345" })],
    [
      "a body of another type",
      415,
      app.post("/json", { body: "n", headers: { "content-type": "text/plain" } }),
    ],
    ["an invalid input", 422, app.post("/json", { json: { n: "one" } })],
    ["another guard", 429, app.get("/limited")],
    ["a throw", 500, app.get("/boom")],
    ["a fault", 503, app.get("/away")],
    ["the time limit", 504, app.get("/slow")],
    ["a health check", 200, app.get("/health")],
    ["readiness", 200, app.get("/ready")],
    ["liveness", 200, app.get("/live")],
  ] as const;

/** Those that a policy names. */
const named = (headers: Readonly<Record<string, string>>, policy: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.keys(policy).map((name) => [name, headers[name]]));

describe("a SecurityHeadersGuard of the ingress", () => {
  test("has its headers on every answer, whoever makes it", async () => {
    const app = appOf(new SecurityHeadersGuard());

    for (const [who, status, answer] of answersOf(app)) {
      const { status: answered, headers } = await answer;
      assert.equal(answered, status, who);
      assert.deepEqual(named(headers, always), always, who);
      assert.equal(headers["strict-transport-security"], undefined, who);
    }
  });

  test("gives way to one further in, whichever of the two has a nonce", async () => {
    const policy = SecurityPolicy.default();
    const lax = () => new SecurityHeadersGuard(policy.withCsp("default-src *"));
    const nonced = () => new SecurityHeadersGuard(policy.withNonce());
    const inLax = new TestApp(
      Framework.http()
        .guard(nonced())
        .get("/", hello, { guards: [lax()] }),
    );
    const inNonced = new TestApp(
      Framework.http()
        .guard(lax())
        .get("/", hello, { guards: [nonced()] }),
    );

    const expected = { ...always, "content-security-policy": "default-src *" };
    assert.deepEqual(named((await inLax.get("/")).headers, always), expected);
    assert.match(
      (await inNonced.get("/")).headers["content-security-policy"] ?? "",
      /^default-src 'self'.*'nonce-/,
    );
  });

  test("can be replaced on a route", async () => {
    const lax = new SecurityHeadersGuard(SecurityPolicy.default().withCsp("default-src *"));
    const app = new TestApp(
      Framework.http()
        .guard(new SecurityHeadersGuard(SecurityPolicy.default().withNonce()))
        .get("/", hello, { without: ["SecurityHeadersGuard"], guards: [lax] })
        .get("/bare", hello, { without: ["SecurityHeadersGuard"] }),
    );

    const { headers } = await app.get("/");
    assert.deepEqual(named(headers, always), { ...always, "content-security-policy": "default-src *" });
    assert.deepEqual(
      Object.values(named((await app.get("/bare")).headers, always)),
      Array(11).fill(undefined),
    );
  });
});

describe("an answer that a page is unchanged", () => {
  const folder = site({ "page.html": "<h1>Tides</h1>" });
  const unchanged = { headers: { "if-none-match": "*" } };
  const asked = async (guarding: Guard<any, any, any>) => {
    const guards = [new ConditionalRequestGuard({ current: () => ({ etag: '"v1"' }) })];
    const ingress = Framework.http().guard(guarding).get("/", hello, { guards }).serveDir("/static", folder);
    const app = new TestApp(ingress);
    const answers = [await app.get("/", unchanged), await app.get("/static/page.html", unchanged)];
    return answers.map(({ status, headers }) => [status, named(headers, { ...always, [REPORTED]: "" })]);
  };
  const REPORTED = "content-security-policy-report-only";
  /** One that makes a policy for each answer. */
  const making = (name: string, policy: string) => {
    const Policy = busKey<string>()("Policy");
    return guard({
      name: "making",
      writes: [Policy],
      responseHeaders: { written: [writtenHeader(Policy, name, (text) => text)] },
      run: (input, bus) => {
        bus.set(Policy, policy);
        return pass(input);
      },
    });
  };

  test("leaves the page the policy that has its nonce", async () => {
    const { "content-security-policy": _, ...others } = always;
    const expected = { ...others, "content-security-policy": undefined, [REPORTED]: undefined };

    for (const each of await asked(new SecurityHeadersGuard(SecurityPolicy.default().withNonce())))
      assert.deepEqual(each, [304, expected]);
  });

  test("brings a policy that is the same for every page", async () => {
    for (const each of await asked(new SecurityHeadersGuard()))
      assert.deepEqual(each, [304, { ...always, [REPORTED]: undefined }]);
  });

  test("brings no policy of anybody's that has a nonce, and each that has none", async () => {
    for (const name of ["content-security-policy", REPORTED])
      for (const [policy, isKept] of [
        ["frame-ancestors https://app.example", true],
        ["script-src 'nonce-YQ'", false],
        ["default-src 'self'; script-src 'self' 'NONCE-YQ'", false],
      ] as const)
        for (const [status, headers] of await asked(making(name, policy))) {
          assert.equal(status, 304);
          assert.equal((headers as any)[name], isKept ? policy : undefined, `${name}: ${policy}`);
        }
  });
});

describe("a nonce", () => {
  const nonced = () => new SecurityHeadersGuard(SecurityPolicy.default().withNonce());
  const app = appOf(nonced());

  test("is new on answers that something else makes after the guard", async () => {
    const seen = new Set<string>();
    for (const path of ["/", "/nowhere", "/boom", "/limited", "/slow"]) {
      const csp = (await app.get(path)).headers["content-security-policy"] ?? "";
      assert.ok(csp.startsWith(`${strictCsp}; script-src 'self' 'nonce-`), path);
      seen.add(csp);
    }
    assert.equal(seen.size, 5);
  });
});
