import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  bytes,
  combine,
  cookie,
  Framework,
  form,
  header,
  json,
  path,
  QueryParams,
  query,
  Type,
  text,
} from "framework";
import { TestApp } from "framework/http";

import { untyped, untypedApp } from "../../support/untyped.js";

/** Answers its input: an Axon without steps. */
const echo = <T>(name: string) => Axon.start<T>(name);

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

  test("larger than the limit is refused before the query is read", async () => {
    const reads = Axon.start("q").thenFn("q", (_, bus) => Object.keys(bus.get(QueryParams)).length, {
      reads: [QueryParams],
    });
    const app = new TestApp(Framework.http().post("/q", reads, { bodyLimit: 1 }));
    const many = `/q?${Array.from({ length: 1001 }, (_, i) => `k${i}=`).join("&")}`;

    assert.equal((await app.post(many)).status, 400);
    assert.equal((await app.post(many, { body: "xx" })).status, 413);
  });

  test("may be headers and cookies, read as their schema says", async () => {
    const Heads = Type.Object({
      "X-Count": Type.Integer({ minimum: 1 }),
      "x-tags": Type.Optional(Type.Array(Type.String())),
    });
    const Session = Type.Object(
      { sid: Type.String({ minLength: 2 }), n: Type.Integer({ default: 7 }) },
      { additionalProperties: false },
    );
    const heads = new TestApp(
      Framework.http()
        .get("/heads", echo<{ "X-Count": number; "x-tags"?: string[] }>("heads"), { input: header(Heads) })
        .get("/session", echo<{ sid: string; n: number }>("session"), { input: cookie(Session) })
        .post("/all", echo<{ heads: { "X-Count": number }; session: { sid: string }; body: string }>("all"), {
          input: combine({ heads: header(Heads), session: cookie(Session), body: text() }),
        }),
    );
    const get = (target: string, headers: Record<string, string>) => heads.get(target, { headers });

    assert.deepEqual((await get("/heads", { "x-count": "3", "X-Tags": "a,b", "x-other": "1" })).json, {
      "X-Count": 3,
      "x-tags": ["a", "b"],
    });
    assert.deepEqual(await problem(get("/heads", {})), [400, "PARAMETER_INVALID", "/X-Count required"]);
    assert.deepEqual(await problem(get("/heads", { "x-count": "x" })), [
      400,
      "PARAMETER_INVALID",
      "/X-Count type",
    ]);
    assert.deepEqual(await problem(get("/heads", { "x-count": "0" })), [
      422,
      "INPUT_INVALID",
      "/X-Count minimum",
    ]);
    assert.equal((await get("/heads", {})).problem.detail, "In the headers");
    assert.deepEqual((await get("/session", { cookie: "a=1; sid=%C3%A9x; n=8" })).json, { sid: "éx", n: 8 });
    assert.deepEqual(await problem(get("/session", { cookie: "a=1" })), [
      400,
      "PARAMETER_INVALID",
      "/sid required",
    ]);
    assert.deepEqual(await problem(get("/session", { cookie: "sid=1" })), [
      422,
      "INPUT_INVALID",
      "/sid minLength",
    ]);
    assert.deepEqual(
      (await heads.post("/all", { body: "x", headers: { "x-count": "1", cookie: "sid=12" } })).json,
      { heads: { "X-Count": 1 }, session: { sid: "12", n: 7 }, body: "x" },
    );
  });

  test("may be a form, read as its schema says", async () => {
    const Signup = Type.Object({
      age: Type.Integer({ minimum: 18 }),
      tags: Type.Optional(Type.Array(Type.String())),
      at: Type.Optional(Type.Object({ city: Type.String() })),
    });
    const forms = new TestApp(
      Framework.http().post("/form", echo<{ age: number; tags?: string[]; at?: { city: string } }>("form"), {
        input: form(Signup),
      }),
    );
    const post = (body: string, type = "application/x-www-form-urlencoded") =>
      forms.post("/form", { body, headers: type === "" ? {} : { "content-type": type } });

    assert.deepEqual((await post("age=20&tags[]=a&at[city]=Oban&extra=1")).json, {
      age: 20,
      tags: ["a"],
      at: { city: "Oban" },
      extra: "1",
    });
    assert.deepEqual(await problem(post("age=x")), [400, "PARAMETER_INVALID", "/age type"]);
    assert.deepEqual(await problem(post("")), [400, "PARAMETER_INVALID", "/age required"]);
    assert.deepEqual(await problem(post("age=17")), [422, "INPUT_INVALID", "/age minimum"]);
    assert.deepEqual(await problem(post("age=20&at=x")), [400, "PARAMETER_INVALID", "/at type"]);
    assert.deepEqual(await problem(post("age=%")), [400, "FORM_INVALID"]);
    for (const type of ["", "application/json", "multipart/form-data; boundary=b"]) {
      const answer = await post("age=20", type);

      assert.deepEqual(
        [answer.problem.status, answer.headers["accept-post"]],
        [415, "application/x-www-form-urlencoded"],
        type,
      );
    }
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
    assert.throws(mount(any, header(Type.Object({ a: Type.Any(), A: Type.Any() }))), {
      code: "EXTRACTOR_INVALID",
      message: /POST \/x\/:id \(Axon 'any'\): header\(\) asks for 'A' twice/,
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
