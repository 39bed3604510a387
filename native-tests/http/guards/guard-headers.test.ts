// The headers that answers have because guards declare or write them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  type BusView,
  branch,
  busKey,
  bytes,
  Framework,
  fault,
  guard,
  ProblemDetail,
  pass,
  query,
  respond,
  Type,
  transition,
  writtenHeader,
} from "framework";
import { TestApp } from "framework/http";
import { AxonTestKit } from "framework/runtime";

const hello = Axon.start("hello").thenFn("greet", () => "hello");
const echo = Axon.start<Uint8Array>("echo");
const conflict = Axon.start("conflict").thenFn("refuse", () =>
  fault(new ProblemDetail({ status: 409, code: "TAKEN", title: "Taken" })),
);
const boom = Axon.start("boom").thenFn("throw", () => {
  throw new Error("boom");
});
const own = Axon.start("own").thenFn("answer", () =>
  respond({ headers: { "X-Frame-Options": "SAMEORIGIN", vary: "accept" }, body: "own" }),
);

const framed = guard({
  name: "framed",
  responseHeaders: {
    always: { "X-Frame-Options": "DENY", vary: "origin" },
    overHttps: { "strict-transport-security": "max-age=1" },
  },
  run: (input) => pass(input),
});
const silent = { reporter: () => {} };

describe("headers that a guard of the ingress declares", () => {
  const app = new TestApp(
    Framework.http({ ...silent, trustedProxies: ["127.0.0.1"] })
      .get("/", hello)
      .post("/echo", echo, { input: bytes(), bodyLimit: 4 })
      .get("/conflict", conflict)
      .get("/boom", boom)
      .get("/own", own)
      .get("/apart", hello, { without: ["framed"] })
      .get("/query", Axon.start<{ n: number }>("q"), { input: query(Type.Object({ n: Type.Integer() })) })
      .healthEndpoint("/health")
      .guard(framed),
  );

  test("are on every answer, whoever makes it", async () => {
    const answers = [
      [200, await app.get("/")],
      [200, await app.head("/")],
      [404, await app.get("/nowhere")],
      [405, await app.delete("/")],
      [204, await app.options("/")],
      [400, await app.get("/%00")],
      [400, await app.get("/query?n=x")],
      [409, await app.get("/conflict")],
      [500, await app.get("/boom")],
      [413, await app.post("/echo", { body: "12345" })],
      [417, await app.get("/", { headers: { expect: "tea" } })],
      [200, await app.get("/health")],
    ] as const;

    for (const [status, answer] of answers) {
      assert.equal(answer.status, status);
      assert.equal(answer.headers["x-frame-options"], "DENY", `${status}`);
      assert.equal(answer.headers["vary"], "origin");
    }
  });

  test("are on no answer of a route that goes without the guard", async () => {
    assert.equal((await app.get("/apart")).headers["x-frame-options"], undefined);
  });

  test("are those of the route where the server has too much to do", async () => {
    let finish = (): void => {};
    const slow = Axon.start("slow").thenFn(
      "wait",
      () =>
        new Promise<string>((resolve) => {
          finish = () => resolve("done");
        }),
    );
    const strict = guard({
      name: "strict",
      responseHeaders: { always: { "x-strict": "1" } },
      run: (input) => pass(input),
    });
    const full = new TestApp(
      Framework.http({ ...silent, maxInFlight: 1 })
        .guard(framed)
        .get("/slow", slow)
        .get("/own", hello, { guards: [strict] })
        .get("/apart", hello, { without: ["framed"] }),
    );
    const first = full.get("/slow");
    const namesOf = async (path: string) => {
      const { status, headers } = await full.get(path);
      return [status, headers["x-frame-options"], headers["x-strict"]];
    };

    assert.deepEqual(await namesOf("/own"), [503, "DENY", "1"]);
    assert.deepEqual(await namesOf("/apart"), [503, undefined, undefined]);
    assert.deepEqual(await namesOf("/nowhere"), [503, "DENY", undefined]);
    finish();
    assert.equal((await first).text, "done");
  });

  test("give way to a step's own, and a list is added to", async () => {
    const { headers } = await app.get("/own");

    assert.equal(headers["x-frame-options"], "SAMEORIGIN");
    assert.match(`${headers["vary"]}`, /accept.*origin/);
  });

  test("that are for https alone are sent where a trusted proxy says https", async () => {
    const plain = await app.get("/");
    const secure = await app.get("/", { headers: { "x-forwarded-proto": "https" } });

    assert.equal(plain.headers["strict-transport-security"], undefined);
    assert.equal(secure.headers["strict-transport-security"], "max-age=1");
    assert.equal(secure.headers["x-frame-options"], "DENY");
  });
});

describe("headers that a guard writes", () => {
  const Left = busKey<number>()("Left");
  const counting = (answer: (input: unknown) => unknown) =>
    guard({
      name: "counting",
      writes: [Left],
      responseHeaders: {
        always: { "x-left": "all", "x-limit": "9" },
        written: [writtenHeader(Left, "X-Left", (left) => (left < 0 ? undefined : `${left}`))],
      },
      run: (input, bus) => {
        bus.set(Left, 3);
        return answer(input) as never;
      },
    });

  test("are on the answer, whatever the run comes to, in place of a constant one", async () => {
    const refusing = () => fault(new ProblemDetail({ status: 429, code: "SLOW", title: "Slow" }));
    for (const given of [(input: unknown) => pass(input), async (input: unknown) => pass(input), refusing]) {
      const app = new TestApp(
        Framework.http(silent).guard(counting(given)).get("/", hello).get("/boom", boom).requestIdLayer(),
      );

      for (const path of ["/", "/boom", "/nowhere"]) {
        const { headers } = await app.get(path, { headers: { "x-request-id": "mine" } });
        assert.deepEqual(
          [headers["x-left"], headers["x-limit"], headers["x-request-id"]],
          ["3", "9", "mine"],
          path,
        );
      }
    }
  });

  test("are constant ones where the guard has not run", async () => {
    const app = new TestApp(
      Framework.http(silent)
        .guard(counting((input) => pass(input)))
        .get("/", hello),
    );
    const { headers } = await app.get("/", { headers: { expect: "tea" } });

    assert.equal(headers["x-left"], "all");
  });

  test("stand behind an Axon's own guards too, and cannot split the answer", async () => {
    const key = busKey<string>()("Text");
    const writing = (text: string) =>
      guard({
        name: "writing",
        writes: [key],
        responseHeaders: { written: [writtenHeader(key, "x-text", (value) => value)] },
        run: (input, bus) => {
          bus.set(key, text);
          return pass(input);
        },
      });
    const app = new TestApp(
      Framework.http(silent)
        .get(
          "/",
          Axon.start("own")
            .then(writing("fine"))
            .thenFn("greet", () => "hello"),
        )
        .get(
          "/split",
          Axon.start("split")
            .then(writing("a\r\nset-cookie: b=c"))
            .thenFn("greet", () => "hello"),
        ),
    );

    assert.equal((await app.get("/")).headers["x-text"], "fine");
    const split = await app.get("/split");
    assert.deepEqual(
      [split.status, split.headers["set-cookie"], split.headers["x-text"]],
      [500, undefined, undefined],
    );
  });

  test("may be kept where the guard's class alone can read", async () => {
    class Sealed {
      readonly kind = "guard";
      readonly name = "sealed";
      readonly mayWrite = [Left] as const;
      readonly #written = [writtenHeader(Left, "x-left", (left) => `${left}`)];
      get responseHeaders() {
        return { always: { "x-limit": "9" }, written: this.#written };
      }
      readonly run = (input: unknown, bus: BusView<never, never, never, typeof Left>) => {
        bus.set(Left, 4);
        return pass(input);
      };
    }
    const app = new TestApp(
      Framework.http(silent)
        .guard(new Sealed())
        .get("/", hello)
        .get("/mapped", hello, { onFault: () => undefined }),
    );

    for (const path of ["/", "/mapped", "/nowhere"]) {
      const { headers } = await app.get(path);
      assert.deepEqual([headers["x-left"], headers["x-limit"]], ["4", "9"], path);
    }
  });

  test("stand beside the rest where they are a list or a cookie", async () => {
    const key = (name: string) => busKey<string>()(name);
    const adding = (header: string, value: string) => {
      const written = key(value);
      return guard({
        name: value,
        writes: [written],
        responseHeaders: { written: [writtenHeader(written, header, (text: string) => text)] },
        run: (input, bus) => {
          bus.set(written, value);
          return pass(input);
        },
      });
    };
    const app = new TestApp(
      Framework.http(silent)
        .guard(framed)
        .guard(adding("Vary", "accept"))
        .guard(adding("vary", "cookie"))
        .guard(adding("Set-Cookie", "outer=1"))
        .guard(adding("set-cookie", "inner=2"))
        .get("/", hello)
        .get(
          "/cookie",
          Axon.start("c").thenFn("set", { responses: [{ status: 204 }] }, () =>
            respond({ headers: { "set-cookie": "own=3" } }),
          ),
        )
        .get("/own", own),
    );

    const vary = async (path: string) => `${(await app.get(path)).headers["vary"]}`.split(", ").sort();
    assert.deepEqual(await vary("/"), ["accept", "cookie", "origin"]);
    assert.deepEqual(await vary("/own"), ["accept", "accept", "cookie", "origin"]);
    assert.deepEqual((await app.get("/")).setCookies, ["outer=1", "inner=2"]);
    assert.deepEqual((await app.get("/cookie")).setCookies.toSorted(), ["inner=2", "outer=1", "own=3"]);
  });
});

describe("headers that a step writes", () => {
  const Cookie = busKey<string>()("Cookie");
  const responseHeaders = { written: [writtenHeader(Cookie, "Set-Cookie", (text) => text)] };
  /** Says that cookie. */
  const saying = (cookie: string, name = "say") =>
    transition({
      name,
      mayWrite: [Cookie],
      responseHeaders,
      run: (input: unknown, bus) => {
        bus.set(Cookie, cookie);
        return pass(input);
      },
    });
  const start = () => Axon.start("steps");
  const cookiesOf = async (axon: ReturnType<typeof start>) => {
    const { status, setCookies } = await new TestApp(Framework.http(silent).get("/", axon)).get("/");
    return [status, ...setCookies.toSorted()];
  };

  test("are on the answer, whatever the run comes to, and beside cookies of the step's own reply", async () => {
    const later = Axon.start("later").thenFn(
      "say later",
      async (_, bus) => {
        await null;
        bus.set(Cookie, "a=1");
        return "said";
      },
      { writes: [Cookie], responseHeaders },
    );
    const replying = start()
      .then(saying("a=1"))
      .thenFn("reply", () => respond({ headers: { "set-cookie": "own=3" }, body: "x" }));
    const refused = start()
      .then(saying("a=1"))
      .thenFn("refuse", () => fault(new ProblemDetail({ status: 409, code: "TAKEN", title: "Taken" })));

    assert.deepEqual(await cookiesOf(start().then(saying("a=1"))), [204, "a=1"]);
    assert.deepEqual(await cookiesOf(later as never), [200, "a=1"]);
    assert.deepEqual(await cookiesOf(refused as never), [409, "a=1"]);
    assert.deepEqual(await cookiesOf(replying as never), [200, "a=1", "own=3"]);
    assert.deepEqual(
      await cookiesOf(
        start()
          .then(saying("a=1"))
          .thenFn("boom", () => (null as never)[0]),
      ),
      [500, "a=1"],
    );
  });

  test("come from inside subgraphs, branches and parallel steps too", async () => {
    const inner = start().then(saying("a=1"));
    const branching = start()
      .thenFn("choose", () => branch("left", undefined), { branches: ["left"] })
      .branch("left", inner as never);
    const parallel = start().parallel(
      [saying("a=1", "first"), saying("b=2", "second")],
      "AllMustSucceed",
      () => undefined,
    );
    const deep = start().subgraph(start().subgraph(inner));

    assert.deepEqual(await cookiesOf(start().subgraph(inner)), [204, "a=1"]);
    assert.deepEqual(await cookiesOf(deep), [204, "a=1"]);
    assert.deepEqual(await cookiesOf(branching as never), [204, "a=1"]);
    assert.deepEqual(await cookiesOf(parallel as never), [204, "a=1", "b=2"]);
  });

  test("set the last of the cookies of one name, and every other", async () => {
    const axon = start()
      .then(saying("ab=0"))
      .then(saying("a=1; Path=/"))
      .then(saying("no name"))
      .then(saying("a=; Max-Age=0"))
      .then(saying("b=2"))
      .then(saying("b=2"));

    assert.deepEqual(await cookiesOf(axon), [204, "a=; Max-Age=0", "ab=0", "b=2", "no name"]);
  });

  test("are none that a body has, and none on every answer", () => {
    const app = (declared: object) => () =>
      new TestApp(
        Framework.http(silent).get(
          "/",
          start().subgraph(start().then({ ...saying("a=1"), responseHeaders: declared })),
        ),
      );

    for (const name of ["content-type", "content-length", "x-request-id"])
      assert.throws(app({ written: [writtenHeader(Cookie, name, (text) => text)] }), {
        code: "HEADER_INVALID",
        message: new RegExp(`^Header '${name}' is not for a `),
      });
    for (const declared of [{ always: { "x-a": "1" } }, { overHttps: { "x-a": "1" } }])
      assert.throws(app(declared), {
        code: "ROUTE_INVALID",
        message: /^The step 'say' of GET \/ .* is no guard, and declares headers/,
      });
  });

  test("are nothing but a value on the Bus where no ingress runs the Axon", async () => {
    const { outcome, bus } = await new AxonTestKit().run(start().then(saying("a=1")), undefined);

    assert.equal(outcome, undefined);
    assert.equal(bus.find(Cookie), "a=1");
  });
});
