import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, Framework, json, param, Type } from "framework";
import { TestApp } from "framework/http";
import { routes, transition } from "framework/macros";

import { untyped } from "../support/untyped.js";

const hello = Axon.start("hello").thenFn("greet", () => "hello");
const Order = Type.Object({ qty: Type.Integer() });
const order = Axon.start<{ qty: number }>("order").thenFn("double", ({ qty }) => ({ qty: qty * 2 }));

/** Mounts a table as a program without types does. */
const mounting = (table: unknown, prefix?: string) => (): unknown =>
  untyped(Framework.http()).mount(table, prefix);

describe("a table of routes", () => {
  test("is mounted in one call, each row under its method and path, with its options", async () => {
    const api = routes({
      "GET /hello": hello,
      "POST /orders": [order, { input: json(Order), bodyLimit: 20 }],
      "DELETE /hello": hello,
    });
    const app = new TestApp(Framework.http().mount(api));

    assert.equal((await app.get("/hello")).text, "hello");
    assert.equal((await app.delete("/hello")).text, "hello");
    assert.deepEqual((await app.post("/orders", { json: { qty: 2 } })).json, { qty: 4 });
    assert.equal((await app.post("/orders", { json: { qty: "many" } })).status, 422);
    assert.equal((await app.post("/orders", { json: { qty: 2, more: "than twenty bytes" } })).status, 413);
    assert.equal((await app.put("/hello")).status, 405);
  });

  test("takes every method", async () => {
    const api = routes({
      "GET /x": hello,
      "POST /x": hello,
      "PUT /x": hello,
      "PATCH /x": hello,
      "DELETE /x": hello,
      "OPTIONS /x": hello,
      "HEAD /y": hello,
    });
    const app = new TestApp(Framework.http().mount(api));

    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      assert.equal((await app.send(method, "/x")).text, "hello", method);
    assert.equal((await app.head("/y")).headers["content-length"], "5");
  });

  test("stands under a prefix, whose parameters its rows read", async () => {
    const whose = Axon.start("whose").thenFn("tell", (_, bus) => bus.get(param("tenant")), {
      reads: [param("tenant")],
    });
    const app = new TestApp(
      Framework.http().get("/", hello).mount({ "GET /": whose, "GET /again": whose }, "/of/:tenant"),
    );

    assert.equal((await app.get("/of/ada")).text, "ada");
    assert.equal((await app.get("/of/ada/again")).text, "ada");
    assert.equal((await app.get("/of/ada/")).status, 404, "another path");
    assert.equal((await app.get("/")).text, "hello");
  });

  test("keeps the root of a table without a prefix", async () => {
    assert.equal((await new TestApp(Framework.http().mount({ "GET /": hello })).get("/")).text, "hello");
  });

  test("cannot be changed after it was checked", () => {
    const table = { "GET /x": hello };
    const api = routes(table);
    Object.assign(table, { "BREW /x": hello });

    assert.deepEqual(Object.keys(api), ["GET /x"]);
    assert.ok(Object.isFrozen(api));
  });

  test("refuses rows that are no method and path, where it is written and where it is mounted", () => {
    for (const row of ["BREW /x", "get /x", "GET x", "GET", "/x", "GET  /x", "", " GET /x"]) {
      const refusal = { code: "ROUTE_INVALID", message: new RegExp(`^Row '${row}' is no route: write a`) };

      assert.throws(() => routes({ [row]: hello } as object), refusal);
      assert.throws(mounting({ [row]: hello }), refusal);
    }
  });

  test("names the row whose path, Axon or options are wrong", () => {
    const open = Axon.start<void>("open").thenFn("go", () => branch("s", 1), { branches: ["s"] });
    const wrong: readonly [row: string, value: unknown, code: string][] = [
      ["GET /a//b", hello, "ROUTE_INVALID"],
      ["GET /:", hello, "ROUTE_INVALID"],
      ["GET /x", async () => "hello", "ROUTE_INVALID"],
      ["GET /x", undefined, "ROUTE_INVALID"],
      ["GET /x", [], "ROUTE_INVALID"],
      ["GET /x", open, "AXON_BRANCH_OPEN"],
      ["GET /x", [hello, { bodyLimit: -1 }], "CONFIG_INVALID"],
    ];

    for (const [row, value, code] of wrong)
      assert.throws(mounting({ [row]: value }), { code, message: new RegExp(`^Row '${row}': `) });
  });

  test("is refused where another route matches the same requests", () => {
    const conflict = { code: "ROUTE_CONFLICT", message: /^Row 'GET \/:other': / };

    assert.throws(mounting({ "GET /:id": hello, "GET /:other": hello }), conflict);
    assert.throws(
      () => untyped(Framework.http().get("/:id", hello)).mount({ "GET /:other": hello }),
      conflict,
    );
  });

  test("is refused where it is none, and under a prefix that begins no path", () => {
    assert.throws(mounting(undefined), { code: "ROUTE_INVALID", message: /was given no table of routes/ });
    assert.throws(mounting("GET /x"), { code: "ROUTE_INVALID", message: /was given no table of routes/ });
    for (const prefix of ["v1", "/v1/", "//v1"])
      assert.throws(mounting({ "GET /x": hello }, prefix), {
        code: "ROUTE_INVALID",
        message: /^Row 'GET \/x': /,
      });
  });
});

describe("framework/macros", () => {
  test("makes Transitions as framework/core does", () => {
    const step = transition({ name: "double", run: (n: number) => n * 2 });

    assert.equal(Axon.start<number>("doubled").then(step).execute(2), 4);
  });
});
