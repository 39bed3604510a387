import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Framework,
  type FrameworkError,
  IamPolicy,
  type IamVerifier,
  json,
  MemoryRuns,
  multipart,
  type Never,
  ProblemDetail,
  respond,
  Type,
} from "framework";
import { TestApp } from "framework/http";
import { type DocumentOptions, described, documentOf } from "framework/openapi";
import { ApiKeyGuard, RateLimitGuard } from "framework/std";

type Json = any;

const anybody: IamVerifier = { verify: () => ({ subject: "ada", roles: [], claims: {} }) };
const axon = (name: string, input?: Json, output?: Json): Json => {
  const made: Json = input === undefined ? Axon.start<void>(name) : Axon.start(name, input);
  const echo = made.thenFn("echo", (value: unknown) => value);
  return output === undefined ? echo : echo.withOutputSchema(output);
};
const written = (declare: (ingress: Json) => unknown, options: DocumentOptions = {}): Json => {
  const ingress: Json = Framework.http();
  declare(ingress);
  return documentOf(described(ingress.routes()), options);
};
const refused = (act: () => unknown): FrameworkError => {
  try {
    act();
  } catch (error) {
    return error as FrameworkError;
  }
  throw new Error("It was not refused");
};

const Line = Type.Object({ sku: Type.String(), qty: Type.Integer({ minimum: 1 }) });
const Order = Type.Object({ lines: Type.Array(Line) }, { $id: "Order" });

describe("the document", () => {
  test("writes what has an id, and what is used twice, once", () => {
    const Wish = Type.Object({ line: Line, other: Line }, { title: "a wish" });
    const { paths, components } = written((ingress) =>
      ingress
        .post("/orders", axon("orders", Order, Order))
        .post("/wishes", axon("wishes", Wish))
        .put("/wishes", axon("put-wishes", Wish)),
    );

    assert.deepEqual(Object.keys(components.schemas), ["AWish", "Order", "OrderLinesItems", "ProblemDetail"]);
    const { post } = paths["/orders"];
    assert.deepEqual(post.requestBody.content["application/json"].schema, {
      $ref: "#/components/schemas/Order",
    });
    assert.deepEqual(post.responses[200].content["application/json"].schema, {
      $ref: "#/components/schemas/Order",
    });
    assert.deepEqual(components.schemas.Order.properties.lines.items, {
      $ref: "#/components/schemas/OrderLinesItems",
    });
  });

  test("names a recursive schema by its title or its place, whatever number TypeBox gave it", () => {
    const tree = (title?: string) =>
      Type.Recursive(
        (This) => Type.Object({ children: Type.Array(This) }),
        title === undefined ? {} : { title },
      );
    const one = written((ingress) =>
      ingress.post("/a", axon("a", tree())).post("/b", axon("b", tree("family"))),
    );
    const other = written((ingress) =>
      ingress.post("/a", axon("a", tree())).post("/b", axon("b", tree("family"))),
    );

    assert.deepEqual(Object.keys(one.components.schemas), ["Family", "PostABody", "ProblemDetail"]);
    assert.deepEqual(one.components.schemas.Family.properties.children.items, {
      $ref: "#/components/schemas/Family",
    });
    assert.equal(JSON.stringify(one), JSON.stringify(other));
  });

  test("has a component for each part of a module that is reached", () => {
    const module = Type.Module({
      Node: Type.Object({ next: Type.Union([Type.Ref("Node"), Type.Null()]), leaf: Type.Ref("Leaf") }),
      Leaf: Type.Object({ n: Type.Number() }),
      Unused: Type.String(),
    });
    const { components } = written((ingress) =>
      ingress.post("/a", axon("a", module.Import("Node"))).post("/b", axon("b", module.Import("Leaf"))),
    );

    assert.deepEqual(Object.keys(components.schemas), ["Leaf", "Node", "ProblemDetail"]);
    assert.deepEqual(components.schemas.Node.properties.next.anyOf[0], { $ref: "#/components/schemas/Node" });
  });

  // OA1: and the same one made twice is taken.
  test("refuses two different schemas of one id", () => {
    const order = (more: object) => Type.Object({ a: Type.String(more) }, { $id: "Same" });
    const both = (first: object, second: object) => () =>
      written((ingress) => ingress.post("/a", axon("a", order(first))).post("/b", axon("b", order(second))));

    const { code, message } = refused(both({ minLength: 1 }, { minLength: 2 }));
    assert.equal(code, "OPENAPI_INVALID");
    assert.match(
      message,
      /^POST \/b, body, schema at '': .*\$id 'Same', the other one in POST \/a, body; give/,
    );
    assert.ok(both({ title: "one" }, { title: "another" })().components.schemas.Same);
  });

  test("refuses what JSON Schema cannot say, with route and place", () => {
    const cases: readonly (readonly [Json, RegExp])[] = [
      [
        Type.Object({ a: Type.BigInt() }),
        /^GET \/x, response, schema at '\/properties\/a': BigInt has no form/,
      ],
      [Type.Object({ a: Type.RegExp(/a/i) }), /flags 'i'/],
      [Type.Object({ a: Type.Function([], Type.Void()) }), /Function has no form in JSON/],
      [Type.Object({ a: Type.Undefined() }), /as in Type\.Optional/],
      [Type.Transform(Type.String()).Decode(Number).Encode(String), /a Transform is not run/],
    ];

    for (const [schema, expected] of cases) {
      const declare = (ingress: Json) => ingress.get("/x", axon("x"), { responseSchemas: { 200: schema } });
      const { code, message } = refused(() => written(declare));
      assert.equal(code, "OPENAPI_INVALID");
      assert.match(message, expected);
    }
  });

  test("refuses a server that would serve such a document", async () => {
    const ingress = Framework.http()
      .get("/x", axon("x"), { responseSchemas: { 200: Type.Symbol() } })
      .openapi("/openapi.json");

    // Throws when it is made, where what makes documents is loaded already; else when it starts.
    const serve = async (): Promise<void> => {
      await using app = new TestApp(ingress);
      await app.start();
    };
    await assert.rejects(serve, { code: "OPENAPI_INVALID" });
  });

  test("escapes paths and names so that no reference needs it", () => {
    const Odd = Type.Object({}, { $id: "urn:größe/100%~1" });
    const { paths, components } = written((ingress) =>
      ingress.post("/größe/a~b@c::d/:id", axon("a", Type.Object({ odd: Odd })), {
        input: json(Type.Object({ odd: Odd })),
      }),
    );

    assert.deepEqual(Object.keys(paths), ["/gr%C3%B6%C3%9Fe/a~b@c:d/{id}"]);
    assert.ok(components.schemas["urn_gr__e_100__1"]);
  });

  test("has one path for those that differ in the names of parameters", () => {
    const { paths, "x-framework-unlisted": unlisted } = written((ingress) =>
      ingress
        .get("/a/:id", axon("a"))
        .post("/a/:key", axon("b"))
        .get("/a/*rest", axon("c"))
        .get("/files/*rest", axon("d")),
    );

    assert.deepEqual(Object.keys(paths), ["/a/{id}", "/files/{rest}"]);
    assert.equal(paths["/a/{id}"].post.parameters[0].name, "id");
    assert.deepEqual(unlisted, ["GET /a/*rest"]);
  });

  test("asks for the credential that guards and Axons read, with roles, and rules that are more", () => {
    const either = IamPolicy.anyOf(IamPolicy.requireRole("a"), IamPolicy.requireScopes(["read"]));
    const { paths, components } = written((ingress) =>
      ingress
        .get("/role", axon("role").withIam(IamPolicy.requireRole("admin"), anybody))
        .get("/either", axon("either").withIam(either, anybody))
        .get("/maybe", axon("maybe").withIam(IamPolicy.none(), anybody))
        .get("/key", axon("key"), { guards: [new ApiKeyGuard(anybody)] })
        .get("/open", axon("open")),
    );
    const of = (path: string) => paths[path].get.security;

    assert.deepEqual(of("/role"), [{ bearerAuth: ["admin"] }]);
    assert.deepEqual(
      [of("/either"), paths["/either"].get["x-framework-policy"]],
      [[{ bearerAuth: [] }], [either.rule]],
    );
    assert.deepEqual(
      [of("/maybe"), of("/key"), of("/open")],
      [[{}, { bearerAuth: [] }], [{ "x-api-key": [] }], []],
    );
    assert.deepEqual(components.securitySchemes, {
      bearerAuth: { type: "http", scheme: "bearer" },
      "x-api-key": { type: "apiKey", in: "header", name: "x-api-key" },
    });
  });

  test("leaves internal routes out, marks deprecated ones, and names Axons where asked to", () => {
    const declare = (ingress: Json) =>
      ingress
        .group("/old", { deprecated: true, tags: ["old"] }, (old: Json) => old.get("/a", axon("secret-name")))
        .get("/hidden", axon("hidden"), { internal: true })
        .readinessLivenessDefault();
    const plain = written(declare);

    assert.deepEqual(Object.keys(plain.paths), ["/old/a"]);
    assert.deepEqual([plain.paths["/old/a"].get.deprecated, plain.tags], [true, [{ name: "old" }]]);
    assert.ok(!JSON.stringify(plain).includes("secret-name"));
    assert.deepEqual(written(declare, { internals: true }).paths["/old/a"].get["x-framework-axon"], {
      name: "secret-name",
      layers: [],
      guards: [],
      steps: ["echo"],
    });
  });

  test("shows events, messages and headers", () => {
    const { paths, components } = written((ingress) =>
      ingress
        .requestIdLayer()
        .guard(new RateLimitGuard(1, 1000))
        .sse("/events", axon("events"), { schema: Line })
        .ws("/socket", { schema: Order, message: axon("say", Order, Line), protocols: ["v1"] }),
    );

    assert.equal(paths["/events"].get["x-framework-sse"].data.$ref, "#/components/schemas/GetEventsEvent");
    const { message, reply, protocols } = paths["/socket"].get["x-framework-ws"];
    assert.deepEqual(
      [message, Object.keys(reply), protocols],
      [{ $ref: "#/components/schemas/Order" }, ["$ref"], ["v1"]],
    );
    assert.deepEqual(Object.keys(paths["/events"].get.responses[200].headers), [
      "ratelimit",
      "ratelimit-policy",
      "x-request-id",
    ]);
    assert.ok(components.headers.ratelimit);
  });

  test("refuses a declared response that is none", () => {
    const responses: Json = [{ status: "409" }];
    const { code, message } = refused(() =>
      written((ingress) => ingress.get("/x", axon("x"), { responses })),
    );

    assert.equal(code, "OPENAPI_INVALID");
    assert.match(message, /^GET \/x: \{"status":"409"\} in its responses is none/);
  });

  test("has the successes that steps declare, whatever schemas the route has", () => {
    const made = (...statuses: readonly number[]): Json =>
      Axon.start<void>("make").thenFn(
        "make",
        { responses: statuses.map((status) => ({ status })) },
        () => "",
      );
    const { paths } = written((ingress) =>
      ingress
        .get("/plain", made(), { responseSchemas: { 200: Type.String() } })
        .get("/made", made(201))
        .get("/both", made(200, 201, 303), { responseSchemas: { 201: Line } })
        .get("/mapped", made(), {
          onFault: () => undefined,
          responseSchemas: { 303: Line, 418: Line },
          responses: [{ status: 307 }, { status: 409, code: "TAKEN" }],
        })
        .get("/nothing", axon("nothing", undefined, Type.Void())),
    );
    const of = (path: string) => Object.keys(paths[path].get.responses).filter((status) => status < "419");

    assert.deepEqual(of("/plain"), ["200"]);
    assert.deepEqual(of("/made"), ["201"]);
    assert.deepEqual(of("/both"), ["200", "201", "303"]);
    assert.deepEqual(of("/mapped"), ["200", "303", "307", "409", "418"]);
    assert.deepEqual(of("/nothing"), ["204"]);
  });

  test("has 202 for each route of kept runs whose status is served, with the state of the run", () => {
    const kept = (name: string) =>
      Axon.start<void>(name)
        .withPersistenceStore(new MemoryRuns())
        .thenFn("do", () => ({ done: true }));
    const declaring = kept("declaring").then({
      ...{ name: "say", responses: [{ status: 202 }, { status: 200 }] },
      run: () => respond({ status: 202 as const, body: "later" }),
    });
    const routes = (isServed: boolean) => {
      const ingress = Framework.http()
        .post("/kept", kept("kept"))
        .post("/declaring", declaring)
        .post("/plain", axon("plain"));
      return (isServed ? ingress.runStatus("/runs/:run_id") : ingress).routes();
    };
    const successes = (isServed: boolean) =>
      routes(isServed).map(({ path, responses }) => [
        path,
        responses.flatMap(({ status }) => (status < 300 ? status : [])),
      ]);

    assert.deepEqual(successes(false), [
      ["/kept", [200]],
      ["/declaring", [202, 200]],
      ["/plain", [200]],
    ]);
    assert.deepEqual(successes(true).slice(0, 3), [
      ["/kept", [200, 202]],
      ["/declaring", [202, 200]],
      ["/plain", [200]],
    ]);
    const document: Json = documentOf(described(routes(true)));
    const accepted = (at: string) => document.paths[at].post.responses[202].content;
    assert.equal(accepted("/kept")["application/json"].schema.title, "Run accepted");
    assert.equal(JSON.stringify(accepted("/declaring")).includes("Run accepted"), false);
  });

  test("is refused a success of a route that no step declares", async () => {
    for (const [options, expected] of [
      [{ responseSchemas: { 299: Type.String() } }, /^responseSchemas of GET \/x names 299, which no step/],
      [
        { responses: [{ status: 201 }] },
        /^responses of GET \/x names 201, .*add responses: \[\{ status: 201 \}\]/,
      ],
      [{ responses: [{ status: 303 }] }, /names 303/],
    ] as const) {
      const declare = (ingress: Json) => ingress.get("/x", axon("x"), options);
      const { code, message } = refused(() => written(declare));
      assert.deepEqual([code, expected.test(message)], ["ROUTE_INVALID", true], message);
      const served = async () => {
        await using app = new (TestApp as Json)(declare(Framework.http()));
        await app.start();
      };
      await assert.rejects(served, { code: "ROUTE_INVALID" });
    }
  });

  test("has the type of a run's status, and tuples without a keyword that generators read as none", () => {
    const Pair = Type.Tuple([Type.String(), Type.Integer()]);
    const { paths, components } = written((ingress) =>
      ingress.runStatus("/runs/:run_id").get("/pair", axon("pair", undefined, Pair)),
    );

    const { schema } = paths["/runs/{run_id}"].get.responses[200].content["application/json"];
    assert.deepEqual(
      schema.anyOf.flatMap(({ properties }: Json) => properties.state.enum ?? properties.state.const),
      ["running", "stuck", "waiting", "sleeping", "unfit", "completed", "failed", "cancelled"],
    );
    assert.deepEqual(paths["/pair"].get.responses[200].content["application/json"].schema, {
      type: "array",
      minItems: 2,
      maxItems: 2,
      prefixItems: [{ type: "string" }, { type: "integer" }],
    });
    assert.ok(components);
  });

  test("takes a transform's document, and refuses rubbish", () => {
    const declare = (ingress: Json) => ingress.get("/x", axon("x"));
    const { externalDocs } = written(declare, {
      transform: (document) => ({ ...document, externalDocs: { url: "https://docs.example" } }),
    });

    assert.deepEqual(externalDocs, { url: "https://docs.example" });
    const circle: Json = { openapi: "3.1.0", info: { title: "", version: "" }, paths: {} };
    circle.self = circle;
    for (const rubbish of [
      undefined,
      {},
      { openapi: "3.0.0" },
      { ...circle, self: 1, paths: { x: {} } },
      circle,
    ]) {
      const { code, message } = refused(() =>
        written(declare, { transform: () => rubbish as Never as Json }),
      );
      assert.deepEqual([code, message.startsWith("transform of openapi() ")], ["OPENAPI_INVALID", true]);
    }
    const throws = () => {
      throw new Error("no");
    };
    assert.match(refused(() => written(declare, { transform: throws })).message, /threw: no/);
  });

  test("has a valid example of each body, and none where it finds none", () => {
    const Hard = Type.Object({ a: Type.Intersect([Type.Literal(1), Type.Literal(2)]) });
    const { paths } = written((ingress) =>
      ingress.post("/a", axon("a", Line)).get("/b", axon("b"), { responseSchemas: { 200: Hard } }),
    );

    assert.deepEqual(paths["/a"].post.requestBody.content["application/json"].example, { sku: "", qty: 1 });
    assert.deepEqual(Object.keys(paths["/b"].get.responses[200].content["application/json"]), ["schema"]);
  });

  test("has the files of an upload as properties, with their types and sizes", () => {
    const schema = Type.Object({ note: Type.String() }, { $id: "Note" });
    const files = {
      picture: { required: true, maxSize: 5, types: ["image/png", "image/jpeg"] },
      pages: { multiple: true },
    } as const;
    const { paths } = written((ingress) =>
      ingress
        .post("/named", axon("named"), { input: multipart({ schema, files }) })
        .post("/files", axon("files"), { input: multipart({ files: { picture: files.picture } }) })
        .post("/any", axon("any"), { input: multipart({ schema, files: "disk" }) })
        .post("/all", axon("all"), { input: multipart() }),
    );
    const of = (path: string): Json => paths[path].post.requestBody.content["multipart/form-data"];
    const file = { type: "string", format: "binary" };

    assert.deepEqual(of("/named"), {
      schema: {
        type: "object",
        properties: {
          note: { type: "string" },
          picture: { ...file, maxLength: 5 },
          pages: { type: "array", items: file },
        },
        required: ["note", "picture"],
      },
      encoding: { picture: { contentType: "image/png, image/jpeg" } },
    });
    assert.deepEqual(of("/files").schema.required, ["picture"]);
    const open = { type: "object", additionalProperties: {} };
    assert.deepEqual(of("/any").schema, {
      ...open,
      properties: { note: { type: "string" } },
      required: ["note"],
    });
    assert.deepEqual(of("/all").schema, { ...open, properties: {} });
    assert.ok(paths["/named"].post.responses[422]);
  });

  test("says of a thousand routes what they share once", () => {
    const GONE = new ProblemDetail({ status: 410, code: "GONE", title: "It is gone" });
    const { components, paths } = written((ingress) => {
      for (let n = 0; n < 1000; n += 1) ingress.post(`/r${n}`, axon(`r${n}`, Order), { responses: [GONE] });
    });

    assert.deepEqual([Object.keys(paths).length, Object.keys(components.schemas).length], [1000, 2]);
    assert.equal(Object.keys(components.responses).filter((name) => name.includes("410")).length, 1);
  });
});

describe("a served document", () => {
  const app = () =>
    new TestApp(
      Framework.http()
        .get("/x", axon("x"))
        .openapi("/openapi.json", { info: { title: "X", version: "1" } }),
    );

  test("is JSON with an etag, 304 for a client that has it in either coding, and gzip for one that takes it", async () => {
    await using served = app();
    const plain = await served.get("/openapi.json");
    const coded = await served.get("/openapi.json", { headers: { "accept-encoding": "gzip" } });

    assert.equal((plain.json as Json).info.title, "X");
    assert.deepEqual(
      [plain.headers["content-encoding"], coded.headers["content-encoding"]],
      [undefined, "gzip"],
    );
    assert.ok(Number(coded.headers["content-length"]) < Number(plain.headers["content-length"]) / 2);
    for (const { headers } of [plain, coded]) {
      const again = await served.get("/openapi.json", {
        headers: { "if-none-match": headers["etag"] as string },
      });
      assert.equal(again.status, 304);
    }
  });

  test("is behind guards and a policy of its own", async () => {
    const ingress = Framework.http().openapi("/openapi.json", {
      iam: { policy: IamPolicy.requireIdentity(), verifier: anybody },
    });
    await using served = new TestApp(ingress);

    assert.equal((await served.get("/openapi.json")).status, 401);
    assert.equal((await served.get("/openapi.json", { headers: { authorization: "Bearer x" } })).status, 200);
  });

  test("is refused options that it does not know or cannot use", () => {
    const cases: readonly (readonly [Json, RegExp])[] = [
      [["/openapi.json", { titel: "X" }], /no option 'titel'/],
      [["/openapi.json", { info: { title: "X" } }], /title and a version/],
      [["/openapi.json", { servers: ["https://x"] }], /objects with a url/],
      [["/:version/openapi.json"], /no parameters/],
    ];
    for (const [args, expected] of cases)
      assert.match(refused(() => (Framework.http() as Json).openapi(...args)).message, expected);
  });
});
