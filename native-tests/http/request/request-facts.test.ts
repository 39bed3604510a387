import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  CookieKeys,
  cookie,
  encryptedCookie,
  Framework,
  header,
  IamToken,
  Log,
  PathParams,
  param,
  QueryParams,
  RequestHeaders,
  RequestId,
  RequestMethod,
  RequestPath,
  RequestQuery,
  Secret,
  signedCookie,
  transition,
} from "framework";
import { TestApp } from "framework/http";

describe("what steps read of a request", () => {
  const facts = transition({
    name: "facts",
    reads: [RequestMethod, RequestPath, PathParams, QueryParams, RequestId, param("id")],
    mayRead: [RequestQuery, header("X-Tenant"), cookie("sid"), header("cookie")],
    run: (_: void, bus) => ({
      method: bus.get(RequestMethod),
      path: bus.get(RequestPath),
      params: bus.get(PathParams),
      query: bus.get(QueryParams),
      raw: bus.find(RequestQuery),
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
      raw: "x=1&x=2",
      id: "a/b",
      requestId: "abc",
      tenant: "acme",
      sid: "s 1",
    });
  });

  test("is absent where the request has none, and made up where that is wanted", async () => {
    const { tenant, sid, raw, requestId } = (await app.get("/a/1/")).json as Record<string, string>;

    assert.deepEqual([tenant, sid, raw], [undefined, undefined, undefined]);
    assert.match(requestId ?? "", /^[0-9a-f-]{36}$/);
  });

  test("is a bearer token in whichever case its scheme is written", async () => {
    const token = Axon.start("token").thenFn("tell", (_, bus) => bus.find(IamToken) ?? "none", {
      mayRead: [IamToken],
    });
    const tokens = new TestApp(Framework.http().get("/", token));
    const told = async (authorization: string) =>
      (await tokens.get("/", { headers: { authorization } })).text;

    for (const scheme of ["Bearer", "bearer", "BEARER "]) assert.equal(await told(`${scheme} abc`), "abc");
    assert.equal(await told("Basic abc"), "none");
  });

  test("is a log whose lines have the request's id, though the step reads no id", async () => {
    const lines: Record<string, unknown>[] = [];
    const logs = Axon.start("log").thenFn("tell", (_, bus) => bus.get(Log).info("told"), {
      reads: [Log],
      responses: [{ status: 204 }],
    });
    await new TestApp(Framework.http().get("/", logs), {}, { log: lines }).get("/", {
      headers: { "x-request-id": "abc" },
    });

    assert.deepEqual(
      lines.map(({ msg, request_id }) => [msg, request_id]),
      [["told", "abc"]],
    );
  });

  test("is an empty query where nothing follows the question mark", async () => {
    assert.deepEqual(((await app.get("/a/1/?")).json as { raw: string }).raw, "");
  });

  test("is 400 where a step needs a header that is not there", async () => {
    assert.deepEqual((await app.get("/tenant", { headers: { "x-tenant": "acme" } })).text, "acme");
    assert.deepEqual((await app.get("/tenant")).problem.code, "HEADER_MISSING");
  });

  test("is all lines of a header that has several", async () => {
    const tenant = async (lines: readonly string[]) =>
      (await app.get("/tenant", { headers: { "x-tenant": lines } })).text;

    assert.equal(await tenant(["a", "b", "c"]), "a, b, c");
    assert.equal(await tenant(["", "b"]), "b");
  });

  test("is a cookie in whichever line it stands, a sealed one too", async () => {
    const keys = new CookieKeys([{ id: "k", secret: new Secret("a secret of thirty-two bytes, or more") }]);
    const cart = signedCookie("cart", keys);
    const box = encryptedCookie("box", keys);
    const sealed = [cart.set("3 apples"), box.set("hidden")].map(({ line }) => line.split(";")[0] ?? "");
    const reads = [cart, box, cookie("last")] as const;
    const cookies = new TestApp(
      Framework.http().get(
        "/",
        Axon.start("cookies").thenFn(
          "read",
          (_, bus) => [bus.get(cart), bus.get(box), bus.get(cookie("last"))],
          { reads },
        ),
      ),
    );

    const answer = await cookies.get("/", {
      headers: { cookie: ["sid=1", ...sealed, "last=2"], "x-other": "y" },
    });

    assert.deepEqual(answer.json, ["3 apples", "hidden", "2"]);
  });

  test("has at most 1000 query parameters", async () => {
    assert.equal((await app.get(`/a/1/?${"a=1&".repeat(1001)}`)).problem.code, "PARAMETER_INVALID");
  });
});

test("a step may read all headers, and explain says what that costs", async () => {
  const axon = Axon.start("all").thenFn("tell", (_, bus) => bus.get(RequestHeaders), {
    reads: [RequestHeaders],
  });
  const app = new TestApp(Framework.http().get("/", axon));
  const { json } = await app.get("/", {
    headers: { "X-One": "1", "x-two": ["a", "b"], ["__proto__"]: "none" },
  });
  const told = json as Record<string, unknown>;

  assert.deepEqual([told["x-one"], told["x-two"]], ["1", ["a", "b"]]);
  assert.equal(Object.hasOwn(told, "__proto__"), true);
  assert.match(axon.explain(), /reads RequestHeaders \(walks over all headers\)/);
});
