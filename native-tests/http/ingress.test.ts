import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  branch,
  busKey,
  bytes,
  combine,
  cookie,
  Framework,
  fault,
  header,
  json,
  jump,
  PathParams,
  ProblemDetail,
  param,
  path,
  QueryParams,
  query,
  type Report,
  RequestId,
  RequestMethod,
  RequestPath,
  Type,
  text,
  transition,
} from "framework";
import { TestApp } from "framework/http";

const Db = busKey<{ find(id: string): string }>()("Db");
const Plan = busKey<string>()("Plan");
const fake = { find: (id: string) => `row ${id}` };

const untyped = (ingress: unknown) =>
  ingress as {
    get(...args: unknown[]): any;
    post(...args: unknown[]): any;
    route(...args: unknown[]): any;
    provide(...args: unknown[]): any;
    plan: any;
  };
/** As an untyped program calls it. */
const untypedApp = (ingress: unknown, resources?: unknown): TestApp<never> =>
  new (TestApp as any)(ingress, resources);
const hello = Axon.start("hello").thenFn("greet", () => "hello");
/** Answers its input: an Axon without steps. */
const echo = <T>(name: string) => Axon.start<T>(name);

describe("answers", () => {
  const app = new TestApp(
    Framework.http()
      .get("/text", hello)
      .get(
        "/nothing",
        Axon.start("n").thenFn("n", () => undefined),
      )
      .get(
        "/bytes",
        Axon.start("b").thenFn("b", () => new Uint8Array([1, 2])),
      )
      .get(
        "/object",
        Axon.start("o").thenFn("o", () => ({ a: 1 })),
      )
      .get(
        "/null",
        Axon.start("l").thenFn("l", () => null),
      )
      .get(
        "/number",
        Axon.start("m").thenFn("m", async () => 5),
      )
      .get(
        "/schema",
        Axon.start("s")
          .thenFn("s", () => ({ a: "x", secret: 1 }))
          .withOutputSchema(Type.Object({ a: Type.String() })),
      ),
  );
  const got = async (target: string) => {
    const { status, headers, text: body } = await app.get(target);
    return [status, headers["content-type"], body];
  };

  test("follow from the value", async () => {
    assert.deepEqual(await got("/text"), [200, "text/plain; charset=utf-8", "hello"]);
    assert.deepEqual(await got("/nothing"), [204, undefined, ""]);
    assert.deepEqual(await got("/bytes"), [200, "application/octet-stream", "\u0001\u0002"]);
    assert.deepEqual(await got("/object"), [200, "application/json", '{"a":1}']);
    assert.deepEqual(await got("/null"), [200, "application/json", "null"]);
    assert.deepEqual(await got("/number"), [200, "application/json", "5"]);
  });

  test("hold what the output schema names, and nothing else", async () => {
    assert.deepEqual(await got("/schema"), [200, "application/json", '{"a":"x"}']);
  });

  test("to HEAD are those to GET without the body", async () => {
    const { status, headers, text: body } = await app.head("/object");

    assert.deepEqual([status, headers["content-length"], body], [200, "7", ""]);
  });

  test("to OPTIONS list the methods", async () => {
    const { status, headers } = await app.options("/object");

    assert.deepEqual([status, headers["allow"]], [204, "GET, HEAD, OPTIONS"]);
    assert.equal((await app.options("/nowhere")).status, 404);
  });

  test("to unknown paths and methods are problems", async () => {
    const missing = (await app.get("/nowhere?a=1")).problem;
    const wrong = await app.post("/object");

    assert.deepEqual(
      { ...missing, request_id: "" },
      {
        type: "about:blank",
        title: "There is nothing here",
        status: 404,
        instance: "/nowhere",
        code: "NOT_FOUND",
        request_id: "",
      },
    );
    assert.match(missing.request_id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      [wrong.problem.code, wrong.headers["allow"]],
      ["METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"],
    );
  });
});

describe("faults", () => {
  const reports: Report[] = [];
  class OutOfStock {
    readonly left = 3;
    toProblemDetail() {
      return new ProblemDetail({
        status: 409,
        code: "OUT_OF_STOCK",
        title: "Not enough",
        detail: "3 left",
        extensions: { left: this.left },
      });
    }
  }
  const ingress = () =>
    Framework.http({ reporter: (report) => reports.push(report) })
      .get(
        "/problem",
        Axon.start("p").thenFn("p", () =>
          fault(new ProblemDetail({ status: 402, code: "PAY", title: "Pay first" })),
        ),
      )
      .get(
        "/own",
        Axon.start("o").thenFn("o", () => fault(new OutOfStock())),
      )
      .get(
        "/plain",
        Axon.start("f").thenFn("f", () => fault("secret")),
      )
      .get(
        "/throws",
        Axon.start("t").thenFn("t", () => {
          throw new Error("secret");
        }),
      )
      .get(
        "/rejects",
        Axon.start("r").thenFn("r", async () => {
          throw new Error("secret");
        }),
      )
      .get(
        "/cycle",
        Axon.start("c").thenFn("c", () => {
          const a: Record<string, unknown> = {};
          a["a"] = a;
          return a;
        }),
      )
      .get(
        "/function",
        Axon.start("g").thenFn("g", () => () => 1),
      )
      .get(
        "/bigint",
        Axon.start("i").thenFn("i", () => 1n),
      );

  test("answer the status they say, with their own members beside the others", async () => {
    const app = new TestApp(ingress());
    const { request_id: _, ...own } = (await app.get("/own")).problem;

    assert.equal((await app.get("/problem")).problem.status, 402);
    assert.deepEqual(own, {
      left: 3,
      type: "about:blank",
      title: "Not enough",
      status: 409,
      detail: "3 left",
      instance: "/own",
      code: "OUT_OF_STOCK",
    });
  });

  test("that say none are 500 and reported with the id of the answer", async () => {
    for (const target of ["/plain", "/throws", "/rejects", "/cycle", "/function", "/bigint"]) {
      reports.length = 0;
      const problem = (await new TestApp(ingress()).get(target)).problem;

      assert.equal(problem.status, 500, target);
      assert.deepEqual(
        reports.map(({ requestId }) => requestId),
        [problem.request_id],
        target,
      );
    }
    assert.deepEqual(
      reports.map(({ code, axon }) => [code, axon]),
      [["ANSWER_FAILED", undefined]],
    );
  });

  test("are answered where the reporter throws too", async () => {
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    const throwing = Framework.http({
      reporter: () => {
        throw new Error("reporter");
      },
    }).get(
      "/",
      Axon.start("t").thenFn("t", () => {
        throw new Error("step");
      }),
    );

    assert.equal((await new TestApp(throwing).get("/")).status, 500);
    assert.match((await warned).message, /The reporter threw\. It was told: Step 't' threw: step/);
  });

  test("of the framework itself are 500 and reported", async () => {
    const failing = (reporter: (report: Report) => void) => {
      const broken = ingress();
      broken.plan = { ...broken.plan, reporter };
      return new TestApp(broken).get("/plain");
    };
    const told: string[] = [];
    const failOnce = ({ code }: Report) => {
      told.push(code);
      if (told.length === 1) throw new Error("a defect");
    };

    assert.equal((await failing(failOnce)).status, 500);
    assert.deepEqual(told, ["FAULT_UNMAPPED", "INGRESS_FAILED"]);
  });

  test("tell nothing of themselves in production", async () => {
    const masked = ingress();
    masked.plan = { ...masked.plan, production: true };
    const app = new TestApp(masked);
    for (const target of ["/plain", "/throws", "/rejects", "/cycle"]) {
      const { request_id: _, ...problem } = (await app.get(target)).problem;

      assert.deepEqual(problem, {
        type: "about:blank",
        title: "Internal server error",
        status: 500,
        instance: target,
        code: "INTERNAL_ERROR",
      });
    }
  });
});

describe("input", () => {
  const Order = Type.Object({ id: Type.String({ minLength: 1 }), qty: Type.Integer({ minimum: 1 }) });
  const Page = Type.Object({
    id: Type.Integer(),
    tags: Type.Optional(Type.Array(Type.String())),
    page: Type.Integer({ default: 1 }),
  });
  const app = new TestApp(
    Framework.http()
      .post(
        "/orders",
        Axon.start("orders", Order).thenFn("keep", (order) => order),
      )
      .get(
        "/orders/:id",
        Axon.start("page", Page).thenFn("keep", (page) => page),
      )
      .post("/text", echo<string>("text"), { input: text() })
      .post("/bytes", echo<Uint8Array>("bytes"), { input: bytes() })
      .get("/query", echo<{ n: number }>("query"), { input: query(Type.Object({ n: Type.Number() })) })
      .put("/both/:id", echo<{ at: { id: string }; order: { id: string; qty: number } }>("both"), {
        input: combine({ at: path(Type.Object({ id: Type.String() })), order: json(Order) }),
      })
      .post("/nothing", echo<void>("nothing"))
      .post(
        "/narrow",
        Axon.start("narrow", Type.Object({ n: Type.Number({ maximum: 5 }) })).thenFn("keep", (n) => n),
        { input: json(Type.Object({ n: Type.Number() })) },
      )
      .post("/small", echo<string>("small"), { input: text(), bodyLimit: 3 }),
  );
  const problem = async (
    answer: Promise<{
      problem: { status: number; code: string; errors?: readonly { pointer: string; keyword: string }[] };
    }>,
  ) => {
    const { status, code, errors } = (await answer).problem;
    return [status, code, ...(errors ?? []).map((error) => `${error.pointer} ${error.keyword}`)];
  };

  test("of an Axon with a schema is the JSON body where there can be one", async () => {
    const order = { id: "a", qty: 2 };

    assert.deepEqual((await app.post("/orders", { json: order })).json, order);
    assert.deepEqual(await problem(app.post("/orders", { json: { id: "", qty: 0.5 } })), [
      422,
      "INPUT_INVALID",
      "/id minLength",
      "/qty type",
    ]);
    assert.deepEqual(
      await problem(app.post("/orders", { body: "{", headers: { "content-type": "application/json" } })),
      [400, "JSON_INVALID"],
    );
    assert.deepEqual(await problem(app.post("/orders")), [400, "BODY_MISSING"]);
  });

  test("is path and query in one elsewhere, the path winning", async () => {
    assert.deepEqual((await app.get("/orders/7?tags=a&id=8&tags=b")).json, {
      tags: ["a", "b"],
      id: 7,
      page: 1,
    });
    assert.deepEqual(await problem(app.get("/orders/x")), [400, "PARAMETER_INVALID", "/id type"]);
    assert.deepEqual(await problem(app.get("/orders/1.5")), [422, "INPUT_INVALID", "/id type"]);
    assert.deepEqual(await problem(app.get(`/orders/1?${"a=1&".repeat(1001)}`)), [400, "PARAMETER_INVALID"]);
  });

  test("of another content type is 415 with what is accepted", async () => {
    for (const headers of [
      { "content-type": "text/plain" },
      {},
      { "content-type": "application/json; charset=latin1" },
    ]) {
      const answer = await app.post("/orders", { body: '{"id":"a","qty":1}', headers });

      assert.deepEqual(
        [answer.problem.code, answer.headers["accept-post"]],
        ["MEDIA_TYPE_UNSUPPORTED", "application/json"],
      );
    }
    const encoded = await app.post("/text", { body: "x", headers: { "content-encoding": "gzip" } });
    assert.deepEqual(
      [encoded.problem.code, encoded.headers["accept-encoding"]],
      ["MEDIA_TYPE_UNSUPPORTED", "identity"],
    );
    assert.equal(
      (await app.post("/text", { body: "x", headers: { "content-encoding": "identity" } })).text,
      "x",
    );
  });

  test("may be text or bytes of any type, empty too", async () => {
    assert.equal((await app.post("/text", { body: "né" })).text, "né");
    assert.equal((await app.post("/text")).text, "");
    assert.deepEqual(await problem(app.post("/text", { body: new Uint8Array([0xff]) })), [
      400,
      "TEXT_INVALID",
    ]);
    assert.deepEqual([...(await app.post("/bytes", { body: new Uint8Array([0, 255]) })).bytes], [0, 255]);
    assert.equal((await app.post("/bytes")).bytes.length, 0);
  });

  test("may be put together of several parts", async () => {
    assert.deepEqual((await app.put("/both/7", { json: { id: "a", qty: 1 } })).json, {
      at: { id: "7" },
      order: { id: "a", qty: 1 },
    });
    assert.deepEqual(await problem(app.put("/both/7", { json: {} })), [
      422,
      "INPUT_INVALID",
      "/id required",
      "/qty required",
    ]);
  });

  test("may come from the query alone", async () => {
    assert.deepEqual((await app.get("/query?n=1e1")).json, { n: 10 });
    assert.deepEqual(await problem(app.get("/query")), [400, "PARAMETER_INVALID", "/n required"]);
  });

  test("is checked against the Axon's own schema too, where the extractor has another", async () => {
    assert.equal((await app.post("/narrow", { json: { n: 5 } })).status, 200);
    assert.deepEqual(await problem(app.post("/narrow", { json: { n: 6 } })), [
      422,
      "INPUT_INVALID",
      "/n maximum",
    ]);
  });

  test("that nobody reads is let go by, within the limit", async () => {
    assert.equal((await app.post("/nothing", { body: "x" })).status, 204);
    assert.deepEqual(await problem(app.post("/nothing", { body: new Uint8Array(1_048_577) })), [
      413,
      "BODY_TOO_LARGE",
    ]);
  });

  test("larger than the route's limit is 413 and ends the connection", async () => {
    const answer = await app.post("/small", { body: "1234" });

    assert.deepEqual([answer.problem.code, answer.headers["connection"]], ["BODY_TOO_LARGE", "close"]);
    assert.equal((await app.post("/small", { body: "123" })).text, "123");
  });

  test("refuses when it is mounted what cannot work", () => {
    const mount =
      (axon: unknown, input?: unknown, at = "/x/:id") =>
      () =>
        untypedApp(untyped(Framework.http()).post(at, axon, input === undefined ? {} : { input }));
    const any = echo<unknown>("any");

    assert.throws(mount(any, combine({ a: json(Type.Any()), b: text() })), {
      code: "EXTRACTOR_INVALID",
      message: /POST \/x\/:id \(Axon 'any'\): a and b both read the body/,
    });
    assert.throws(mount(any, path(Type.Object({ idd: Type.String() }))), {
      code: "EXTRACTOR_INVALID",
      message: /asks for 'idd', which the path \/x\/:id does not have/,
    });
    assert.throws(mount(any, query(Type.Union([Type.Object({}), Type.Null()]) as never)), {
      code: "EXTRACTOR_INVALID",
      message: /must be a Type.Object, not Union/,
    });
    assert.throws(mount(any, json(Type.Date())), {
      code: "SCHEMA_UNSUPPORTED",
      message: /POST \/x\/:id \(Axon 'any'\), json\(\)/,
    });
    assert.throws(
      () => untypedApp(untyped(Framework.http()).get("/x", Axon.start("list", Type.Array(Type.String())))),
      { code: "EXTRACTOR_INVALID" },
    );
  });
});

describe("what steps read of a request", () => {
  const facts = transition({
    name: "facts",
    reads: [RequestMethod, RequestPath, PathParams, QueryParams, RequestId, param("id")],
    mayRead: [header("X-Tenant"), cookie("sid"), header("cookie")],
    run: (_: void, bus) => ({
      method: bus.get(RequestMethod),
      path: bus.get(RequestPath),
      params: bus.get(PathParams),
      query: bus.get(QueryParams),
      id: bus.get(param("id")),
      requestId: bus.get(RequestId),
      tenant: bus.find(header("x-tenant")),
      sid: bus.find(cookie("sid")),
    }),
  });
  const app = new TestApp(
    Framework.http()
      .get("/a/:id/*rest", Axon.start("facts").then(facts))
      .get(
        "/tenant",
        Axon.start("t").thenFn("t", (_, bus) => bus.get(header("x-tenant")), { reads: [header("x-tenant")] }),
      ),
  );

  test("is what was declared, decoded", async () => {
    const answer = await app.get("/a/%61%2Fb/c/d?x=1&x=2", {
      headers: { "x-tenant": "acme", "x-request-id": "abc" },
      cookies: { sid: "s 1", other: "x" },
    });

    assert.deepEqual(answer.json, {
      method: "GET",
      path: "/a/%61%2Fb/c/d",
      params: { id: "a/b", rest: "c/d" },
      query: { x: ["1", "2"] },
      id: "a/b",
      requestId: "abc",
      tenant: "acme",
      sid: "s 1",
    });
  });

  test("is absent where the request has none, and made up where that is wanted", async () => {
    const { tenant, sid, requestId } = (await app.get("/a/1/")).json as Record<string, string>;

    assert.deepEqual([tenant, sid], [undefined, undefined]);
    assert.match(requestId ?? "", /^[0-9a-f-]{36}$/);
  });

  test("is 400 where a step needs a header that is not there", async () => {
    assert.deepEqual((await app.get("/tenant", { headers: { "x-tenant": "acme" } })).text, "acme");
    assert.deepEqual((await app.get("/tenant")).problem.code, "HEADER_MISSING");
  });

  test("has at most 1000 query parameters", async () => {
    assert.equal((await app.get(`/a/1/?${"a=1&".repeat(1001)}`)).problem.code, "PARAMETER_INVALID");
  });
});

describe("resources and provided values", () => {
  const using = Axon.start("use").thenFn("use", (_, bus) => `${bus.get(Plan)} ${bus.get(Db).find("1")}`, {
    reads: [Plan, Db],
  });
  const indifferent = Axon.start("i").thenFn("i", () => "i");

  test("reach the steps that declare them", async () => {
    const ingress = Framework.http({ resources: [Db] })
      .provide(Plan, (bus) => `gold ${bus.get(Db).find("2")}`)
      .get("/", using);

    assert.equal((await new TestApp(ingress, { Db: fake }).get("/")).text, "gold row 2 row 1");
  });

  test("are made once a run at the first read, or not at all", async () => {
    let made = 0;
    const twice = Axon.start("t")
      .thenFn("a", (_, bus) => bus.get(Plan), { reads: [Plan] })
      .thenFn("b", (a, bus) => a + bus.get(Plan), { reads: [Plan] });
    const declared = Axon.start("d").thenFn("d", () => "d", { reads: [Plan] });
    const app = new TestApp(
      Framework.http()
        .provide(Plan, () => {
          made += 1;
          return String(made);
        })
        .get("/", twice)
        .get("/declared", declared)
        .get("/i", indifferent),
    );

    assert.equal((await app.get("/")).text, "11");
    assert.equal((await app.get("/")).text, "22");
    await app.get("/declared");
    await app.get("/i");
    assert.equal(made, 2);
  });

  test("of async functions are awaited before the first step that declares them, in order", async () => {
    const order: string[] = [];
    const User = busKey<string>()("User");
    const later = async (name: string) => {
      await null;
      order.push(name);
      return name;
    };
    const ingress = Framework.http()
      .provide(User, async () => later("user"))
      .provide(Plan, (bus) => `plan of ${bus.get(User)}`, { reads: [User] })
      .get(
        "/",
        Axon.start("x")
          .thenFn("before", () => void order.push("before"))
          .thenFn(
            "read",
            (_, bus) => {
              order.push("read");
              return `${bus.get(Plan)} ${bus.get(User)}`;
            },
            { reads: [Plan, User] },
          ),
      );

    assert.equal((await new TestApp(ingress).get("/")).text, "plan of user user");
    assert.deepEqual(order, ["before", "user", "read"]);
  });

  test("that fail are 500 and reported", async () => {
    const reports: string[] = [];
    const failing = (make: () => unknown) => {
      const ingress = untyped(Framework.http({ reporter: ({ message }) => reports.push(message) }))
        .provide(Plan, make)
        .get(
          "/",
          Axon.start("x").thenFn("read", (_, bus) => bus.get(Plan), { reads: [Plan] }),
        );
      return untypedApp(ingress).get("/");
    };

    for (const make of [
      () => {
        throw new Error("down");
      },
      async () => {
        throw new Error("down");
      },
      () => undefined,
      async () => undefined,
      () => Promise.resolve("late"),
    ]) {
      assert.equal((await failing(make)).status, 500);
    }
    assert.match(
      reports.join("\n"),
      /down.*\n.*down.*\n.*made nothing.*\n.*made nothing.*\n.*answered a promise when a step read it/,
    );
  });

  test("that are missing are told in one list when the ingress runs", () => {
    const Other = busKey<string>()("Other");
    const ingress = untyped(Framework.http({ resources: [Db] }));
    ingress
      .get("/a", using)
      .get(
        "/b",
        Axon.start("b").thenFn("read", (_, bus) => bus.get(Other), { reads: [Other] }),
      )
      .get(
        "/c/:id",
        Axon.start("c").thenFn("read", (_, bus) => bus.get(param("idd")), { reads: [param("idd")] }),
      );

    assert.throws(() => untypedApp(ingress, { Db: fake }), {
      code: "KEYS_UNPROVIDED",
      message:
        /'Plan' for step 'use' of Axon 'use'.*'Other' for step 'read' of Axon 'b'.*'param:idd' for step 'read' of Axon 'c'/,
    });
    assert.throws(() => untypedApp(ingress), { code: "RESOURCE_MISSING", message: /'Db'/ });
  });

  test("are refused where they contradict each other", () => {
    const [A, B] = [busKey<string>()("A"), busKey<string>()("B")];

    assert.throws(
      () =>
        Framework.http()
          .provide(A, () => "a")
          .provide(A, () => "b"),
      { code: "PROVIDE_INVALID", message: /'A' is provided already/ },
    );
    assert.throws(() => untyped(Framework.http({ resources: [Db] })).provide(Db, () => fake), {
      code: "PROVIDE_INVALID",
    });
    assert.throws(
      () =>
        untypedApp(
          untyped(Framework.http())
            .provide(A, () => "a", { reads: [B] })
            .provide(B, () => "b", { reads: [A] }) as never,
        ),
      { code: "PROVIDE_INVALID", message: /'A' reads 'B' reads 'A'/ },
    );
    assert.throws(
      () =>
        new TestApp(
          Framework.http()
            .provide(A, () => "a")
            .provide(busKey<string>()("A"), () => "b"),
        ),
      { code: "BUS_KEY_AMBIGUOUS", message: /The ingress uses two keys named 'A'/ },
    );
  });
});

describe("mounting", () => {
  test("refuses at once what is wrong of a route itself", () => {
    const open = Axon.start<void>("open").thenFn("go", () => branch("s", 1), { branches: ["s"] });
    const lost = Axon.start<void>("lost").thenFn("go", () => jump("there", 1), { jumps: ["there"] });
    const at =
      (path: string, axon: unknown = hello, options?: unknown) =>
      () =>
        untyped(Framework.http()).get(path, axon, options);

    assert.throws(at("nowhere"), { code: "ROUTE_INVALID" });
    assert.throws(at("/x", open), { code: "AXON_BRANCH_OPEN" });
    assert.throws(at("/x", lost), { code: "AXON_JUMP_UNRESOLVED" });
    assert.throws(at("/x", hello, { bodyLimit: -1 }), { code: "CONFIG_INVALID" });
    assert.throws(() => untyped(Framework.http()).route("BREW /x", hello), {
      code: "ROUTE_INVALID",
      message: /Method 'BREW'/,
    });
    assert.throws(() => Framework.http().get("/x", hello).route("GET /x", hello), { code: "ROUTE_CONFLICT" });
    assert.throws(() => Framework.http({ bodyTimeoutMs: 10_001 }), {
      code: "CONFIG_INVALID",
      message: /bodyTimeoutMs is 10001: use a whole number from 1 to 10000/,
    });
    assert.throws(() => Framework.http().bodyLimit(1.5), { code: "CONFIG_INVALID" });
    assert.throws(() => Framework.http().gracefulShutdown(-1), { code: "CONFIG_INVALID" });
    assert.throws(() => Framework.http().bind("here"), { code: "CONFIG_INVALID" });
  });

  test("takes every method, and `route` with the method in front", async () => {
    const app = new TestApp(
      Framework.http()
        .get("/x", hello)
        .post("/x", hello)
        .put("/x", hello)
        .patch("/x", hello)
        .delete("/x", hello)
        .options("/x", hello)
        .head("/y", hello)
        .route("/r", hello)
        .route("POST /r", hello),
    );

    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      assert.equal((await app.send(method, "/x")).text, "hello", method);
    assert.deepEqual(
      [(await app.patch("/x")).text, (await app.delete("/x")).text, (await app.put("/x")).text],
      ["hello", "hello", "hello"],
    );
    assert.equal((await app.head("/y")).headers["content-length"], "5");
    assert.deepEqual([(await app.get("/r")).text, (await app.post("/r")).text], ["hello", "hello"]);
  });

  test("may ignore a final slash", async () => {
    const app = new TestApp(Framework.http({ trailingSlash: "ignore" }).get("/x", hello));

    assert.equal((await app.get("/x/")).text, "hello");
  });
});

describe("requestIdLayer", () => {
  const app = new TestApp(
    Framework.http()
      .requestIdLayer()
      .get("/", hello)
      .get(
        "/id",
        Axon.start("id").thenFn("id", (_, bus) => bus.get(RequestId), { reads: [RequestId] }),
      )
      .get(
        "/boom",
        Axon.start("b").thenFn("b", () => {
          throw new Error("boom");
        }),
      ),
  );

  test("puts the client's id, or a new one, on each answer", async () => {
    for (const target of ["/", "/nowhere"]) {
      assert.equal(
        (await app.get(target, { headers: { "x-request-id": "abc-1" } })).headers["x-request-id"],
        "abc-1",
      );
      assert.match((await app.get(target)).headers["x-request-id"] ?? "", /^[0-9a-f-]{36}$/);
      assert.notEqual(
        (await app.get(target, { headers: { "x-request-id": "a b" } })).headers["x-request-id"],
        "a b",
      );
    }
    assert.match((await app.send("BREW", "/")).headers["x-request-id"] ?? "", /^[0-9a-f-]{36}$/);
  });

  test("shows the same id in steps, in problems and in the header", async () => {
    const fromStep = await app.get("/id");
    const fromProblem = await app.get("/boom");

    assert.equal(fromStep.text, fromStep.headers["x-request-id"]);
    assert.equal(fromProblem.problem.request_id, fromProblem.headers["x-request-id"]);
  });

  test("is what puts them there", async () => {
    assert.equal(
      (await new TestApp(Framework.http().get("/", hello)).get("/")).headers["x-request-id"],
      undefined,
    );
  });
});

describe("a client that goes away", () => {
  test("aborts its run: the signal fires and no further step runs", async () => {
    const seen: string[] = [];
    const gone = new AbortController();
    const slow = Axon.start("slow")
      .thenFn(
        "wait",
        (_, bus) =>
          new Promise<void>((resolve) => {
            bus.signal.addEventListener("abort", () => {
              seen.push("signal");
              resolve();
            });
          }),
      )
      .thenFn("next", () => void seen.push("next"));
    const answer = new TestApp(Framework.http().get("/", slow)).get("/", { signal: gone.signal });
    gone.abort();

    await assert.rejects(answer);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(seen, ["signal"]);
  });

  test("keeps the next step from running where nobody listens to the signal", async () => {
    const seen: string[] = [];
    const gone = new AbortController();
    const slow = Axon.start("slow")
      .thenFn("wait", () => new Promise<void>((resolve) => setTimeout(resolve, 5)))
      .thenFn("next", () => void seen.push("next"));
    const answer = new TestApp(Framework.http().get("/", slow)).get("/", { signal: gone.signal });
    gone.abort();

    await assert.rejects(answer);
    await new Promise((resolve) => setTimeout(resolve, 15));
    assert.deepEqual(seen, []);
  });
});
