import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, fault, guard, ProblemDetail, respond } from "framework";
import { TestApp, type TestRequest } from "framework/http";
import { CorsGuard, RateLimitGuard } from "framework/std";
import {
  APP,
  corsOf,
  EVIL,
  granted,
  hello,
  item,
  shared,
  variesByOrigin,
} from "../../support/shared-origins.js";

const problem = (status: number) =>
  fault(new ProblemDetail({ status, code: `STATUS_${status}`, title: "Refused" }));
const boom = Axon.start("boom").thenFn("throw", () => {
  throw new Error("boom");
});

describe("an answer behind a CorsGuard of the ingress", () => {
  const app = new TestApp(
    Framework.http()
      .guard(shared())
      .get("/", hello)
      .post("/json", item)
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
        Axon.start("total").thenFn("count", { responses: [{ status: 204 }] }, () =>
          respond({ headers: { "x-total": "7", vary: "Accept" } }),
        ),
      ),
  );
  /** Those that wire/cors.test.ts does not have. */
  const answers: Readonly<Record<string, [number, (request: TestRequest) => ReturnType<typeof app.get>]>> = {
    "a reply": [204, (request) => app.get("/total", request)],
    "a guard's refusal": [429, (request) => app.get("/limited", request)],
    "a throw": [500, (request) => app.get("/boom", request)],
    "a fault": [503, (request) => app.get("/away", request)],
    "a time-out": [504, (request) => app.get("/slow", request)],
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
