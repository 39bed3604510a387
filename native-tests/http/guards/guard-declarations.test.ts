// What an ingress does for guards beside running them, by their declarations alone.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  type AnswerRecord,
  Axon,
  busKey,
  bytes,
  Framework,
  guard,
  headerLines,
  pass,
  RequestId,
  writtenHeader,
} from "framework";
import { TestApp } from "framework/http";

const hello = Axon.start("hello").thenFn("greet", () => "hello");
const echo = Axon.start<Uint8Array>("echo");
const boom = Axon.start("boom").thenFn("throw", () => {
  throw new Error("boom");
});

const silent = { reporter: () => {} };

describe("a policy for other origins", () => {
  let ran = 0;
  const cors = {
    linesFor: (origin: string, ownOrigin: string) =>
      origin === "" ? "" : headerLines({ "access-control-allow-origin": origin, "x-own": ownOrigin }),
    preflight: ({ origin, method, headers }: { origin: string; method: string; headers: string }) =>
      headerLines({ "access-control-allow-origin": origin, "x-asked": `${method} ${headers}` }),
  };
  const counted = (name: string) =>
    guard({
      name,
      cors,
      run: (input) => {
        ran += 1;
        return pass(input);
      },
    });
  const origin = "https://app.example";
  const asking = (method: string) => ({
    headers: { origin, "access-control-request-method": method, "access-control-request-headers": "x-a" },
  });

  test("answers preflights for every path, and runs nothing", async () => {
    const app = new TestApp(Framework.http(silent).guard(counted("cors")).get("/", hello).post("/", hello));
    ran = 0;

    for (const [path, method] of [
      ["/", "POST"],
      ["/", "DELETE"],
      ["/nowhere", "GET"],
    ] as const) {
      const answer = await app.options(path, asking(method));
      assert.deepEqual(
        [
          answer.status,
          answer.headers["access-control-allow-origin"],
          answer.headers["x-asked"],
          answer.text,
        ],
        [204, origin, `${method} x-a`, ""],
      );
    }
    assert.equal(ran, 0);
    assert.equal((await app.options("/")).headers["allow"], "GET, HEAD, OPTIONS, POST");
  });

  test("is asked once for a request, whatever the other guards declare", async () => {
    const Mark = busKey<string>()("Mark");
    let asked = 0;
    const asking = guard({
      name: "asking",
      cors: {
        linesFor: () => {
          asked += 1;
          return "";
        },
        preflight: () => "",
      },
      run: (input) => pass(input),
    });
    const marking = guard({
      name: "marking",
      mayWrite: [Mark],
      responseHeaders: { written: [writtenHeader(Mark, "x-mark", (text) => text)] },
      run: (input) => pass(input),
    });
    const app = new TestApp(
      Framework.http(silent)
        .guard(asking)
        .guard(marking)
        .get("/", hello)
        .get("/mapped", hello, { onFault: () => undefined }),
    );

    for (const path of ["/", "/mapped", "/nowhere"]) {
      asked = 0;
      await app.get(path);
      assert.equal(asked, 1, path);
    }
  });

  test("of one route answers for that route alone", async () => {
    const app = new TestApp(
      Framework.http(silent)
        .get("/open", hello, { guards: [counted("cors")] })
        .get("/closed", hello),
    );

    assert.equal((await app.options("/open", asking("GET"))).headers["access-control-allow-origin"], origin);
    const closed = await app.options("/closed", asking("GET"));
    assert.deepEqual(
      [closed.headers["allow"], closed.headers["access-control-allow-origin"]],
      ["GET, HEAD, OPTIONS", undefined],
    );
  });

  test("of the fallback answers for what that would serve", async () => {
    const app = new TestApp(Framework.http(silent).fallback(hello, { guards: [counted("cors")] }));
    const allowedFor = async (path: string) =>
      (await app.options(path, asking("GET"))).headers["access-control-allow-origin"];

    assert.equal(await allowedFor("/nowhere"), origin);
    assert.equal(await allowedFor("/%00"), undefined);
  });

  test("tells it on every answer to a request with an origin, and on no other", async () => {
    const app = new TestApp(
      Framework.http({ ...silent, trustedProxies: ["127.0.0.1"] })
        .guard(counted("cors"))
        .get("/", hello)
        .get("/boom", boom),
    );

    for (const path of ["/", "/boom", "/nowhere"]) {
      const headers = { origin, host: "API.example:443", "x-forwarded-proto": "https" };
      const answer = await app.get(path, { headers });
      assert.equal(answer.headers["access-control-allow-origin"], origin, path);
      assert.equal(answer.headers["x-own"], "https://api.example");
    }
    assert.equal((await app.get("/")).headers["access-control-allow-origin"], undefined);
  });
});

describe("limits that guards declare", () => {
  test("lower a route's own, and never raise them", async () => {
    const tight = guard({ name: "tight", bodyLimit: 3, run: (input) => pass(input) });
    const ingress = Framework.http(silent)
      .post("/lower", echo, { input: bytes(), bodyLimit: 5, guards: [tight] })
      .post("/higher", echo, { input: bytes(), bodyLimit: 2, guards: [tight] });
    const app = new TestApp(ingress);

    assert.deepEqual(
      [
        (await app.post("/lower", { body: "123" })).status,
        (await app.post("/lower", { body: "1234" })).status,
      ],
      [200, 413],
    );
    assert.equal((await app.post("/higher", { body: "123" })).status, 413);
    assert.deepEqual(
      ingress.routes().map(({ bodyLimit }) => bodyLimit),
      [3, 2],
    );
  });

  test("end a run that takes longer", async () => {
    const hurried = guard({ name: "hurried", timeoutMs: 1, run: (input) => pass(input) });
    const never = Axon.start("never").thenFn("wait", () => new Promise<string>(() => {}));
    const app = new TestApp(Framework.http(silent).get("/", never, { guards: [hurried] }));

    assert.equal((await app.get("/")).status, 504);
  });
});

describe("a guard that observes", () => {
  const observing = (told: AnswerRecord[]) =>
    guard({
      name: "observing",
      mayRead: [RequestId],
      observer: { reads: [RequestId], answered: (answer) => told.push(answer) },
      run: (input) => pass(input),
    });

  test("is told of each answer once, whoever made it", async () => {
    const told: AnswerRecord[] = [];
    const app = new TestApp(
      Framework.http(silent)
        .guard(observing(told))
        .get("/items/:id", hello)
        .get("/boom", boom)
        .get("/apart", hello, { without: ["observing"] })
        .healthEndpoint("/health"),
    );
    for (const path of ["/items/7?q=1", "/boom", "/nowhere", "/apart", "/health"]) await app.get(path);
    await app.get("/items/7", { headers: { expect: "tea" } });
    await app.delete("/items/7");
    await app.head("/items/7");

    assert.deepEqual(
      told.map(({ method, path, query: asked, route, status, bytes: length, isAborted }) => [
        method,
        path,
        asked,
        route,
        status,
        length > 5 ? "problem" : length,
        isAborted,
      ]),
      [
        ["GET", "/items/7", "q=1", "/items/:id", 200, 5, false],
        ["GET", "/boom", undefined, "/boom", 500, "problem", false],
        ["GET", "/nowhere", undefined, undefined, 404, "problem", false],
        ["GET", "/items/7", undefined, undefined, 417, "problem", false],
        ["DELETE", "/items/7", undefined, undefined, 405, "problem", false],
        ["HEAD", "/items/7", undefined, "/items/:id", 200, 0, false],
      ],
    );
    assert.ok(told.every(({ find, durationMs }) => find(RequestId) !== undefined && durationMs >= 0));
  });

  test("and throws is reported, and the answer goes out", async () => {
    const reported: string[] = [];
    const failing = guard({
      name: "failing",
      observer: {
        reads: [],
        answered: () => {
          throw new Error("no");
        },
      },
      run: (input) => pass(input),
    });
    const app = new TestApp(
      Framework.http({ reporter: ({ code }) => reported.push(code) }).get("/", hello, { guards: [failing] }),
    );

    assert.equal((await app.get("/")).text, "hello");
    assert.deepEqual(reported, ["OBSERVER_FAILED"]);
  });

  test("finds what it has written itself", async () => {
    const Note = busKey<string>()("Note");
    const found: unknown[] = [];
    const noting = guard({
      name: "noting",
      writes: [Note],
      observer: { reads: [Note], answered: ({ find }) => found.push(find(Note)) },
      run: async (input, bus) => {
        bus.set(Note, "seen");
        return pass(input);
      },
    });
    const app = new TestApp(Framework.http(silent).guard(noting).get("/", hello));
    await app.get("/");
    await app.get("/", { headers: { expect: "tea" } });

    assert.deepEqual(found, ["seen", undefined]);
  });

  test("and writes the answer's line is the innermost of such alone", async () => {
    const told: string[] = [];
    const writing = (name: string) =>
      guard({
        name,
        observer: { reads: [], writesLine: true, answered: () => told.push(name) },
        run: (input) => pass(input),
      });
    const app = new TestApp(
      Framework.http(silent)
        .guard(writing("outer"))
        .get("/", hello, { guards: [writing("inner")] })
        .get("/other", hello),
    );
    await app.get("/");
    await app.get("/other");

    assert.deepEqual(told, ["inner", "outer"]);
  });
});

test("a declaration that has not its form is refused where the guard is mounted", () => {
  const run = (input: unknown) => pass(input);
  for (const [declared, told] of [
    [{ responseHeaders: { "x-a": "1" } }, /responseHeaders of guard 'wrong'.*always/],
    [{ responseHeaders: { always: "x-a: 1" } }, /responseHeaders of guard 'wrong'/],
    [{ cors: true }, /cors of guard 'wrong'.*linesFor/],
    [{ observer: () => {} }, /observer of guard 'wrong'.*answered/],
  ] as const) {
    const wrong = guard({ name: "wrong", run, ...declared } as never);

    assert.throws(() => Framework.http().guard(wrong), { code: "CONFIG_INVALID", message: told });
    assert.throws(() => Framework.http().get("/", hello, { guards: [wrong] }), { message: told });
  }
  const own = guard({ name: "own", run, responseHeaders: { always: { "Content-Length": "1" } } });
  assert.throws(() => new TestApp(Framework.http().guard(own).get("/", hello)), { code: "HEADER_INVALID" });
});
