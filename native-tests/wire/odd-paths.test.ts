// Paths with encoded slashes where a route takes them as slashes, and with colons, over real sockets.

import assert from "node:assert/strict";
import { request } from "node:http";
import { describe, test } from "node:test";

import {
  Axon,
  Framework,
  fault,
  guard,
  layer,
  ProblemDetail,
  param,
  pass,
  RequestPath,
  respond,
} from "framework";
import { served } from "../support/served.js";

const closed = new ProblemDetail({ status: 403, code: "CLOSED", title: "Not for you" });
const noSecrets = guard({
  name: "no-secrets",
  reads: [RequestPath],
  run: (input, bus) => (bus.get(RequestPath).startsWith("/files/secret/") ? fault(closed) : pass(input)),
});
const naming = layer({
  name: "naming",
  reads: [RequestPath],
  async run(bus, next) {
    const body = await next();
    return typeof body === "string" ? respond({ headers: { "x-path": bus.get(RequestPath) }, body }) : body;
  },
});
const rest = Axon.start("rest").thenFn("rest", (_, bus) => `<${bus.get(param("rest"))}>`, {
  reads: [param("rest")],
});
const text = (name: string) => Axon.start(name).thenFn("text", () => name);

const server = served((options) =>
  Framework.http(options)
    .bind("127.0.0.1:0")
    .get("/files/*rest", rest, { encodedSlashes: true, guards: [noSecrets], layers: [naming] })
    .get("/of/:owner/*rest", rest, { encodedSlashes: true, layers: [naming] })
    .get("/plain/*rest", rest)
    .get("/pets::search", text("search"))
    .get("/pets/a::b::c/:id", text("parts"))
    .get("/pets/:id", text("pet")),
);

/** As the client wrote it: node:http sends a path unchanged. */
const get = (path: string, method = "GET") =>
  new Promise<{ status: number; body: string; path: unknown }>((resolve, reject) => {
    const { hostname: host, port } = new URL(`http://${server.address}`);
    request({ host, port, path, method, agent: false }, async (answer) => {
      let body = "";
      for await (const piece of answer) body += piece;
      resolve({ status: answer.statusCode ?? 0, body, path: answer.headers["x-path"] });
    })
      .on("error", reject)
      .end();
  });

describe("a rest that takes encoded slashes", () => {
  test("is the same as with slashes, for steps, layers and guards", async () => {
    assert.deepEqual(await get("/files/a%2Fb%2fc%20d/e"), {
      status: 200,
      body: "<a/b/c d/e>",
      path: "/files/a/b/c%20d/e",
    });
    assert.deepEqual((await get("/files/secret%2Fkey")).status, 403);
    assert.deepEqual((await get("/files/secret/key")).status, 403);
    assert.deepEqual(await get("/files/"), { status: 200, body: "<>", path: "/files/" });
    assert.equal((await get("/files/a%252Fb")).body, "<a%2Fb>");
    assert.equal((await get("/files/a%2Fb", "POST")).status, 405);
  });

  test("leaves a slash in a parameter before it what it is", async () => {
    assert.deepEqual(await get("/of/a%2Fb/c%2Fd"), { status: 200, body: "<c/d>", path: "/of/a%2Fb/c/d" });
  });

  test("has no empty or dotted segment and no backslash, encoded or not", async () => {
    for (const path of [
      ...["..%2Fkey", "%2e%2e%2Fkey", "a%2F..%2Fkey", "a/../key", "..", "%2E%2E", "a%2F..", "a%2F.%2Fb", "."],
      ...["a%2F%2Fb", "a//b", "%2Fa", "a%2F", "a/", "a%5Cb", "%2F", "a%2F%00", "..%5Ckey", "a%2F%5C..%5Ckey"],
    ])
      assert.equal((await get(`/files/${path}`)).status, 400, path);
  });

  test("is asked for by its route", async () => {
    assert.equal((await get("/plain/a%2Fb")).status, 400);
    assert.equal((await get("/plain/a/b")).body, "<a/b>");
    assert.equal((await get("/files%2Fa")).status, 400);
    for (const path of ["/a", "/a/:id"])
      assert.throws(() => Framework.http().get(path, text("a") as never, { encodedSlashes: true }), {
        code: "ROUTE_INVALID",
        message: /encodedSlashes are those of a last segment '\*name'/,
      });
  });
});

describe("a colon in a segment", () => {
  test("is written twice in a route's path, and once or encoded by clients", async () => {
    for (const path of ["/pets:search", "/pets%3Asearch", "/pets%3asearch"])
      assert.equal((await get(path)).body, "search", path);
    assert.equal((await get("/pets/a:b:c/1")).body, "parts");
    assert.equal((await get("/pets::search")).status, 404);
    assert.equal((await get("/pets/:x")).body, "pet");
  });
});
