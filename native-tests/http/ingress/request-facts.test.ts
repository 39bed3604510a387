import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  cookie,
  Framework,
  header,
  PathParams,
  param,
  QueryParams,
  RequestId,
  RequestMethod,
  RequestPath,
  transition,
} from "framework";
import { TestApp } from "framework/http";

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
