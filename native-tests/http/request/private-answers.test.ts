// The cache headers of routes that read who the caller is.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  type BusKey,
  branch,
  busKey,
  bytes,
  CookieKeys,
  cookie,
  encryptedCookie,
  Framework,
  fault,
  guard,
  header,
  IamIdentity,
  IamPolicy,
  IamToken,
  layer,
  ProblemDetail,
  pass,
  RequestPath,
  respond,
  Secret,
  signedCookie,
  VerifiedIdentity,
} from "framework";
import { TestApp } from "framework/http";
import {
  ApiKeyGuard,
  ApiKeyVerifier,
  AuthGuard,
  IdempotencyGuard,
  LoadSession,
  RateLimitGuard,
  Sessions,
} from "framework/std";

const keys = new CookieKeys([{ id: "a", secret: new Secret("0123456789abcdef0123456789abcdef") }]);
const Cart = signedCookie("cart", keys);
const Sealed = encryptedCookie("sealed", keys);
const Claims = busKey<string>()("Claims");

const plain = Axon.start("plain").thenFn("say", () => "plain");
const verifier = { verify: (token: string) => ({ subject: token, roles: [], claims: {} }) };
const load = new LoadSession(new Sessions());
const inHeader = new LoadSession(new Sessions({ header: "x-session" }));
const auth = new AuthGuard(IamPolicy.requireIdentity(), verifier);
const silent = { reporter: () => {} };

/** An ingress provides each of these keys. */
const reading = (key: BusKey<string, string>) => {
  const given = key as typeof IamToken;
  return Axon.start("read").thenFn("read", (_, bus) => bus.find(given) ?? "none", { mayRead: [given] });
};

/** Sets the caller from a header, in two steps. */
const claims = guard({
  name: "claims",
  reads: [header("x-user"), RequestPath],
  writes: [Claims],
  run(input, bus) {
    bus.set(Claims, bus.get(header("x-user")));
    return pass(input);
  },
});
const caller = guard({
  name: "caller",
  reads: [Claims],
  writes: [VerifiedIdentity],
  run(input, bus) {
    bus.set(VerifiedIdentity, bus.get(Claims));
    return pass(input);
  },
});
const byAddress = layer({
  name: "by-address",
  mayWrite: [VerifiedIdentity],
  run: (_, next) => next(),
});
/** What its guard declares is all that tells of a cookie that it reads itself. */
const declared = guard({ name: "declared", credential: { in: "cookie", name: "sid" }, run: pass });

const cached = Axon.start("cached").thenFn("say", () =>
  respond({ headers: { "cache-control": "public, max-age=60", vary: "accept" }, body: "cached" }),
);
const stored = guard({
  name: "stored",
  responseHeaders: { always: { "cache-control": "public, max-age=5" } },
  run: pass,
});
const sometimes = Axon.start<unknown>("sometimes")
  .thenFn("choose", () => branch("own", 1), { branches: ["own"] })
  .branch(
    "own",
    Axon.start<number>("own").thenFn("read", (_, bus) => bus.find(Cart) ?? "none", { mayRead: [Cart] }),
  );

const PRIVATE = "private, no-cache";
const of = ({ headers }: { headers: Readonly<Record<string, unknown>> }) => [
  headers["cache-control"],
  headers["vary"],
];

describe("a route that reads who the caller is", () => {
  const app = new TestApp(
    Framework.http(silent)
      .provide(IamIdentity, (bus) => ({ subject: bus.get(header("x-by")), roles: [], claims: {} }), {
        reads: [header("x-by")],
      })
      .get("/session", plain, { guards: [load] })
      .get("/session-header", plain, { guards: [inHeader] })
      .get("/iam", plain.withIam(IamPolicy.requireIdentity(), verifier))
      .get("/iam-cookie", plain, {
        iam: { policy: IamPolicy.requireIdentity(), verifier, token: cookie("access") },
      })
      .get("/guard", plain, { guards: [auth] })
      .get("/api-key", plain, {
        guards: [new ApiKeyGuard(new ApiKeyVerifier({ prefix: "a", find: () => undefined }))],
      })
      .get("/token", reading(IamToken))
      .get("/authorization", reading(header("authorization")))
      .get("/signed", reading(Cart))
      .get("/encrypted", reading(Sealed))
      .get("/branch", sometimes)
      .get("/claims", plain, { guards: [claims, caller] })
      .get(
        "/provided",
        Axon.start("p").thenFn("p", (_, bus) => bus.get(IamIdentity).subject, { reads: [IamIdentity] }),
      )
      .get("/layer", plain, { layers: [byAddress] })
      .get("/declared", plain, { guards: [declared] })
      .get("/two", plain, { guards: [load, auth] }),
  );
  for (const [path, vary] of [
    ["/session", "cookie"],
    ["/session-header", "x-session"],
    ["/iam", "authorization"],
    ["/iam-cookie", "cookie"],
    ["/guard", "authorization"],
    ["/api-key", "x-api-key"],
    ["/token", "authorization"],
    ["/authorization", "authorization"],
    ["/signed", "cookie"],
    ["/encrypted", "cookie"],
    ["/branch", "cookie"],
    ["/claims", "x-user"],
    ["/provided", "x-by"],
    ["/layer", "authorization, cookie"],
    ["/declared", "cookie"],
    ["/two", "authorization, cookie"],
  ])
    test(`answers ${path} for this caller alone, by ${vary}`, async () => {
      assert.deepEqual(of(await app.get(`${path}`)), [PRIVATE, vary]);
      assert.deepEqual(of(await app.head(`${path}`)), [PRIVATE, vary]);
    });
});

describe("a route that reads no caller", () => {
  const anonymous = layer({ name: "anonymous", mayRead: [VerifiedIdentity], run: (_, next) => next() });
  const app = new TestApp(
    Framework.http(silent)
      .guard(new RateLimitGuard(100, 1000))
      .get("/", plain)
      .get(
        "/theme",
        Axon.start("t").thenFn("t", (_, bus) => bus.find(cookie("theme")) ?? "light", {
          mayRead: [cookie("theme")],
        }),
      )
      .get("/agent", reading(header("user-agent")))
      .get("/nobody-sets-it", plain, { layers: [anonymous] })
      .post("/orders", plain, { guards: [new IdempotencyGuard()] })
      .healthEndpoint("/health"),
  );
  for (const path of ["/", "/theme", "/agent", "/nobody-sets-it"])
    test(`adds nothing to ${path}`, async () => {
      assert.deepEqual(of(await app.get(path)), [undefined, undefined]);
    });

  test("adds nothing to requests that an IdempotencyGuard compares", async () => {
    const answer = await app.post("/orders", { headers: { "idempotency-key": '"a"' } });

    assert.deepEqual([answer.status, ...of(answer)], [200, undefined, undefined]);
  });

  test("leaves probes alone behind the guards of an ingress", async () => {
    const probed = new TestApp(Framework.http(silent).guard(load).healthEndpoint("/health"));

    assert.deepEqual(of(await probed.get("/health")), ["no-store", undefined]);
  });
});

describe("the cache headers of a route that reads who the caller is", () => {
  const failing = (status: number) =>
    Axon.start("failing").thenFn("fail", () =>
      fault(new ProblemDetail({ status, code: "FAILED", title: "It failed" })),
    );
  const panic = Axon.start("panic").thenFn("throw", () => {
    throw new Error("broken");
  });
  const app = new TestApp(
    Framework.http(silent)
      .guard(load)
      .get("/conflict", failing(409))
      .get("/panic", panic)
      .post("/small", Axon.start<Uint8Array>("small"), { input: bytes(), bodyLimit: 2 })
      .get("/refused", plain, { guards: [auth] })
      .get("/cached", cached)
      .get("/stored", plain, { guards: [stored] })
      .get(
        "/late",
        Axon.start("late").thenFn("say", async () => "late"),
      ),
  );

  test("are on its faults, refusals and panics, and on requests without a route", async () => {
    for (const [path, status] of [
      ["/conflict", 409],
      ["/panic", 500],
      ["/refused", 401],
      ["/nowhere", 404],
    ] as const) {
      const answer = await app.get(path);
      assert.deepEqual([answer.status, answer.headers["cache-control"]], [status, PRIVATE], path);
      assert.match(`${answer.headers["vary"]}`, /\bcookie$/, path);
    }
    const large = await app.post("/small", { body: "large" });
    assert.deepEqual([large.status, ...of(large)], [413, PRIVATE, "cookie"]);
    assert.deepEqual(of(await app.get("/late")), [PRIVATE, "cookie"]);
  });

  test("give way to those that a step or a guard sets, and keep the field that the answer varies by", async () => {
    const answer = await app.get("/cached");

    assert.equal(answer.headers["cache-control"], "public, max-age=60");
    assert.deepEqual([answer.headers["vary"]].flat().join(", ").split(", ").sort(), ["accept", "cookie"]);
    assert.deepEqual(of(await app.get("/stored")), ["public, max-age=5", "cookie"]);
  });
});
