import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  bytes,
  Framework,
  fault,
  guard,
  json,
  layer,
  ProblemDetail,
  pass,
  respond,
  Type,
} from "framework";
import { CorsHeaders } from "framework/core";
import { TestApp, type TestRequest } from "framework/http";
import { CorsGuard, CsrfGuard, RateLimitGuard } from "framework/std";

const APP = "https://app.example";
const EVIL = "https://evil.example";
const OWN = "http://test.local";

const problem = (status: number) =>
  fault(new ProblemDetail({ status, code: `STATUS_${status}`, title: "Refused" }));
const hello = Axon.start("hello").thenFn("hello", () => "hello");
const boom = Axon.start("boom").thenFn("throw", () => {
  throw new Error("boom");
});
const Item = Type.Object({ id: Type.String() });
const item = Axon.start("item", Item).thenFn("keep", (value) => value);
const echo = Axon.start<Uint8Array>("echo").thenFn("count", ({ length }) => ({ length }));

const shared = () =>
  new CorsGuard({
    allowedOrigins: [APP, "https://*.staging.example"],
    allowedMethods: ["GET", "POST"],
    allowedHeaders: ["content-type"],
    exposedHeaders: ["x-total"],
    allowCredentials: true,
  });

const granted = (origin: string) => ({
  "access-control-allow-origin": origin,
  "access-control-allow-credentials": "true",
  "access-control-expose-headers": "x-total",
});
const grantedPreflight = (origin: string) => ({
  "access-control-allow-origin": origin,
  "access-control-allow-credentials": "true",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "86400",
});

/** Those of CORS alone. */
const corsOf = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-")));
const variesByOrigin = (headers: Readonly<Record<string, string>>) =>
  (headers["vary"] ?? "").split(/, ?/).includes("Origin");

const asking = (origin: string, method = "POST", headers = "content-type"): TestRequest => ({
  headers: {
    origin,
    "access-control-request-method": method,
    ...(headers && { "access-control-request-headers": headers }),
  },
});

/** What each route ran, guards and layers too. */
function witnessed() {
  const ran: string[] = [];
  const seen = (name: string) =>
    guard({
      name,
      run: (input) => {
        ran.push(name);
        return pass(input);
      },
    });
  const around = layer({
    name: "around",
    run: (_bus, next) => {
      ran.push("around");
      return next();
    },
  });
  const served = Axon.start("served").thenFn("serve", () => {
    ran.push("served");
    return "served";
  });
  return { ran, seen, around, served };
}

describe("an answer behind a CorsGuard of the ingress", () => {
  const app = new TestApp(
    Framework.http()
      .guard(shared())
      .get("/", hello)
      .post("/json", item)
      .post("/bytes", echo, { input: bytes(), bodyLimit: 4 })
      .get("/limited", hello, { guards: [guard({ name: "limit", run: () => problem(429) })] })
      .get(
        "/away",
        Axon.start("away").thenFn("refuse", () => problem(503)),
      )
      .get("/boom", boom)
      .get("/slow", hello, {
        timeoutMs: 20,
        guards: [guard({ name: "never", run: () => new Promise<never>(() => {}) })],
      })
      .get(
        "/total",
        Axon.start("total").thenFn("count", () => respond({ headers: { "x-total": "7", vary: "Accept" } })),
      ),
  );
  const answers: Readonly<Record<string, [number, (request: TestRequest) => ReturnType<typeof app.get>]>> = {
    "a value": [200, (request) => app.get("/", request)],
    HEAD: [200, (request) => app.head("/", request)],
    "a reply": [204, (request) => app.get("/total", request)],
    "malformed JSON": [
      400,
      (request) =>
        app.post("/json", {
          ...request,
          headers: { ...request.headers, "content-type": "application/json" },
          body: "{",
        }),
    ],
    "no such path": [404, (request) => app.get("/nowhere", request)],
    "no such method": [405, (request) => app.delete("/", request)],
    "a body that is too large": [413, (request) => app.post("/bytes", { ...request, body: "12345" })],
    "another content type": [
      415,
      (request) =>
        app.post("/json", {
          ...request,
          headers: { ...request.headers, "content-type": "text/plain" },
          body: "{}",
        }),
    ],
    "an invalid input": [422, (request) => app.post("/json", { ...request, json: {} })],
    "a guard's refusal": [429, (request) => app.get("/limited", request)],
    "a throw": [500, (request) => app.get("/boom", request)],
    "a fault": [503, (request) => app.get("/away", request)],
    "a time-out": [504, (request) => app.get("/slow", request)],
    "a malformed target": [400, (request) => app.get("/%zz", request)],
    OPTIONS: [204, (request) => app.options("/", request)],
  };

  for (const [name, [status, ask]] of Object.entries(answers)) {
    test(`tells an allowed page that it may read ${name}`, async () => {
      for (const origin of [APP, "https://a.staging.example"]) {
        const answer = await ask({ headers: { origin } });
        assert.equal(answer.status, status);
        assert.deepEqual(corsOf(answer.headers), granted(origin));
        assert.ok(variesByOrigin(answer.headers), answer.headers["vary"]);
      }
    });

    test(`varies by origin, and permits nothing, where no page asks: ${name}`, async () => {
      const answer = await ask({});
      assert.equal(answer.status, status);
      assert.deepEqual(corsOf(answer.headers), {});
      assert.ok(variesByOrigin(answer.headers), answer.headers["vary"]);
    });
  }

  test("is a refusal that a page of another origin cannot read, and that tells nothing of paths", async () => {
    for (const target of ["/", "/nowhere", "/boom"]) {
      const answer = await app.get(target, { headers: { origin: EVIL } });
      assert.deepEqual([answer.status, answer.problem.code], [403, "ORIGIN_REFUSED"]);
      assert.deepEqual(corsOf(answer.headers), {});
      assert.ok(variesByOrigin(answer.headers));
    }
    assert.equal((await app.post("/", { headers: { origin: EVIL } })).status, 403);
  });

  test("is given to the server's own pages, which need no permission", async () => {
    const answer = await app.post("/json", { json: { id: "7" }, headers: { origin: OWN } });

    assert.deepEqual([answer.status, corsOf(answer.headers)], [200, {}]);
    const other = await app.post("/json", {
      json: { id: "7" },
      headers: { origin: "http://other.example:8080", host: "other.example:8080" },
    });
    assert.equal(other.status, 200);
  });

  test("keeps what a step says that it varies by", async () => {
    const { headers } = await app.get("/total", { headers: { origin: APP } });

    assert.match(headers["vary"] ?? "", /Accept/);
    assert.match(headers["vary"] ?? "", /Origin/);
  });

  test("has each header once where a step says one itself, and the step's counts", async () => {
    const said = Axon.start("said").thenFn("say", () =>
      respond({ headers: { "access-control-allow-origin": "https://other.example" }, body: "said" }),
    );
    const own = new TestApp(Framework.http().guard(shared()).get("/", said));

    assert.deepEqual(corsOf((await own.get("/", { headers: { origin: APP } })).headers), {
      ...granted(APP),
      "access-control-allow-origin": "https://other.example",
    });
  });

  test("is told by the innermost guard where several stand, each of which refuses", async () => {
    const nested = new TestApp(
      Framework.http()
        .guard(new CorsGuard())
        .get("/", hello, { guards: [shared()] })
        .get("/open", hello),
    );
    const ask = async (path: string, origin: string) => {
      const { status, headers } = await nested.get(path, { headers: { origin } });
      return [status, headers["access-control-allow-origin"], headers["vary"]];
    };

    assert.deepEqual(await ask("/", APP), [200, APP, "Origin"]);
    assert.deepEqual(await ask("/", EVIL), [403, undefined, "Origin"]);
    assert.deepEqual(await ask("/open", EVIL), [200, "*", undefined]);
    assert.deepEqual(await ask("/nowhere", EVIL), [404, "*", undefined]);
  });

  test("can be read where the server has too much to do, and where the client sends too much", async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const waiting = Axon.start("waiting").thenFn("wait", async () => {
      await opened;
      return "done";
    });
    const busy = new TestApp(
      Framework.http({ maxInFlight: 1 })
        .guard(shared())
        .get("/", waiting)
        .get("/limited", hello, { guards: [new RateLimitGuard(1, 60_000)] }),
    );
    const first = busy.get("/");
    const second = await busy.get("/", { headers: { origin: APP } });
    open();
    await first;
    await busy.get("/limited");
    const limited = await busy.get("/limited", { headers: { origin: APP } });

    assert.deepEqual([second.status, second.problem.code], [503, "OVERLOADED"]);
    assert.deepEqual([limited.status, limited.problem.code], [429, "RATE_LIMITED"]);
    for (const { headers } of [second, limited]) {
      assert.deepEqual(corsOf(headers), granted(APP));
      assert.ok(variesByOrigin(headers));
    }
  });

  test("is refused before the body is read", async () => {
    const answer = await app.post("/json", {
      headers: { origin: EVIL, "content-type": "application/json" },
      body: "{",
    });

    assert.equal(answer.problem.code, "ORIGIN_REFUSED");
  });
});

describe("a preflight", () => {
  test("is answered 204 for each path behind the guard, and runs neither guards nor layers nor the Axon", async () => {
    const { ran, seen, around, served } = witnessed();
    const app = new TestApp(
      Framework.http()
        .guard(seen("before"))
        .guard(shared())
        .guard(seen("behind"))
        .layer(around)
        .get("/a/:id", served)
        .post("/b", served, { guards: [seen("own")] }),
    );

    for (const target of ["/a/7", "/b"]) {
      const answer = await app.options(target, asking(APP));
      assert.deepEqual([answer.status, answer.text], [204, ""], target);
      assert.deepEqual(corsOf(answer.headers), grantedPreflight(APP));
      assert.ok(variesByOrigin(answer.headers));
    }
    assert.deepEqual(ran, []);
  });

  test("of an origin that is not allowed is told nothing", async () => {
    const app = new TestApp(Framework.http().guard(shared()).get("/", hello));

    for (const origin of [EVIL, "null", OWN, "https://staging.example", `${APP}.evil.example`]) {
      const answer = await app.options("/", asking(origin));
      assert.deepEqual(corsOf(answer.headers), {}, origin);
      assert.ok(variesByOrigin(answer.headers));
    }
  });

  test("is told all that is allowed, whatever method and headers it asks for", async () => {
    const app = new TestApp(Framework.http().guard(shared()).get("/", hello));

    for (const request of [
      asking(APP, "DELETE"),
      asking(APP, "get", ""),
      asking(APP, "GET", "x-secret, ".repeat(300)),
      asking(APP, "\x01"),
    ])
      assert.deepEqual(corsOf((await app.options("/", request)).headers), grantedPreflight(APP));
  });

  test("goes by the guard of the route it asks about: its own, its group's, or none", async () => {
    const open = new CorsGuard({ allowedMethods: ["PUT"] });
    const app = new TestApp(
      Framework.http()
        .get("/plain", hello)
        .get("/own", hello, { guards: [shared()] })
        .group("/group", { guards: [shared()] }, (group) =>
          group
            .get("/in", hello)
            .get("/out", hello, { without: ["CorsGuard"] })
            .get("/other", hello, { without: ["CorsGuard"], guards: [open] }),
        ),
    );
    const told = async (path: string) => corsOf((await app.options(path, asking(APP, "GET"))).headers);

    assert.deepEqual(await told("/own"), grantedPreflight(APP));
    assert.deepEqual(await told("/group/in"), grantedPreflight(APP));
    assert.deepEqual(await told("/plain"), {});
    assert.deepEqual(await told("/group/out"), {});
    assert.equal((await told("/group/other"))["access-control-allow-origin"], "*");
    assert.equal((await told("/group/other"))["access-control-allow-methods"], "PUT");
    assert.equal((await app.get("/group/out", { headers: { origin: EVIL } })).status, 200);
    assert.equal((await app.get("/own", { headers: { origin: EVIL } })).status, 403);
  });

  test("of a path with a route for each method goes by the route of the method it asks for", async () => {
    const app = new TestApp(
      Framework.http()
        .get("/", hello, { guards: [new CorsGuard()] })
        .post("/", hello, { guards: [shared()] }),
    );
    const told = async (method: string) => corsOf((await app.options("/", asking(APP, method))).headers);

    assert.equal((await told("GET"))["access-control-allow-origin"], "*");
    assert.equal((await told("HEAD"))["access-control-allow-origin"], "*");
    assert.deepEqual(await told("POST"), grantedPreflight(APP));
  });

  test("that asks for a method that the path does not have goes by one that it has", async () => {
    const app = new TestApp(
      Framework.http()
        .get("/get", hello, { guards: [shared()] })
        .post("/post", hello, { guards: [shared()] })
        .options("/options", hello, { guards: [shared()] }),
    );

    for (const path of ["/get", "/post", "/options"])
      for (const method of ["DELETE", "FOO", "\x01"]) {
        const answer = await app.options(path, asking(APP, method));
        assert.deepEqual([answer.status, corsOf(answer.headers)], [204, grantedPreflight(APP)], path);
      }
  });

  test("of a path that is not there is answered where the ingress has the guard", async () => {
    const app = new TestApp(Framework.http().guard(shared()).get("/", hello));
    const answer = await app.options("/nowhere", asking(APP));

    assert.deepEqual([answer.status, corsOf(answer.headers)], [204, grantedPreflight(APP)]);
    const other = new TestApp(Framework.http().get("/", hello, { guards: [shared()] }));
    assert.equal((await other.options("/nowhere", asking(APP))).status, 404);
  });

  test("is answered in the place of a route for OPTIONS, which serves every other OPTIONS", async () => {
    const { ran, served } = witnessed();
    const app = new TestApp(Framework.http().guard(shared()).get("/", hello).options("/", served));

    assert.deepEqual(corsOf((await app.options("/", asking(APP, "GET"))).headers), grantedPreflight(APP));
    assert.deepEqual(ran, []);
    const plain = await app.options("/", { headers: { origin: APP } });
    assert.deepEqual([plain.text, corsOf(plain.headers)], ["served", granted(APP)]);
    assert.deepEqual(ran, ["served"]);
  });
});

describe("a CorsGuard for everybody", () => {
  test("says the same to everybody, and adds nothing to vary", async () => {
    const app = new TestApp(Framework.http().guard(new CorsGuard()).get("/", hello));

    for (const headers of [{}, { origin: EVIL }, { origin: "null" }, { origin: OWN }]) {
      const answer = await app.get("/", { headers });
      assert.deepEqual(
        [answer.status, corsOf(answer.headers)],
        [200, { "access-control-allow-origin": "*" }],
      );
      assert.equal(answer.headers["vary"], undefined);
    }
  });
});

describe("what a CorsGuard writes to the Bus", () => {
  test("is there for the steps behind it", async () => {
    const shown = Axon.start("shown").thenFn("show", (_, bus) => ({ ...bus.find(CorsHeaders) }), {
      mayRead: [CorsHeaders],
    });
    const app = new TestApp(Framework.http().guard(shared()).get("/", shown));

    assert.deepEqual((await app.get("/", { headers: { origin: APP } })).json, granted(APP));
    assert.deepEqual((await app.get("/")).json, {});
  });
});

describe("a CsrfGuard of the ingress", () => {
  const app = new TestApp(
    Framework.http()
      .guard(new CsrfGuard())
      .get("/", hello)
      .post("/", item, { input: json(Item) }),
  );
  const send = async (headers: Readonly<Record<string, string>>) =>
    (await app.post("/", { json: { id: "7" }, headers })).status;

  test("lets in one's own pages and programs, and no other site's", async () => {
    assert.equal(await send({ "sec-fetch-site": "same-origin", cookie: "sid=1" }), 200);
    assert.equal(await send({ origin: OWN, cookie: "sid=1" }), 200);
    assert.equal(await send({}), 200);
    assert.equal(await send({ "sec-fetch-site": "cross-site", origin: EVIL, cookie: "sid=1" }), 403);
    assert.equal(await send({ origin: EVIL }), 403);
    assert.equal(await send({ cookie: "sid=1" }), 403);
    assert.equal((await app.get("/", { headers: { "sec-fetch-site": "cross-site" } })).status, 200);
    assert.equal((await app.post("/nowhere", { headers: { origin: EVIL } })).problem.code, "CSRF_REFUSED");
  });
});
