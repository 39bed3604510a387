import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, authorize, Framework, header, json, param, type Recorder, RequestPath, Type } from "framework";
import { TestApp } from "framework/http";

import { hello, named, Order, order, shut } from "../../support/guarded-orders.js";
import { untyped } from "../../support/untyped.js";

describe("a group", () => {
  test("shares its prefix, parameters, guards and limits; a route's own say goes first", async () => {
    const tenant = Axon.start("tenant").thenFn("tenant", (_, bus) => bus.get(param("tenant")), {
      reads: [param("tenant")],
    });
    const ingress = Framework.http().group(
      "/:tenant",
      { guards: [named()], bodyLimit: 10, tags: ["tenants"] },
      (group) =>
        group
          .get("/", tenant)
          .post("/orders", order)
          .post("/large", order, { bodyLimit: 100, tags: ["large"] })
          .group("/deep", { guards: [shut("inner")], without: ["named"] }, (deep) => deep.get("/er", hello)),
    );
    const app = new TestApp(ingress);
    const who = { headers: { "x-who": "ann" } };

    assert.equal((await app.get("/blue")).status, 401);
    assert.equal((await app.get("/blue", who)).text, "blue");
    assert.equal((await app.post("/blue/orders", { ...who, json: { id: "a long one" } })).status, 413);
    assert.equal(
      (await app.post("/blue/large", { ...who, json: { id: "a long one" } })).text,
      "a long one of ann",
    );
    assert.equal((await app.get("/blue/deep/er")).status, 403);
    assert.deepEqual(
      ingress
        .routes()
        .map(({ method, path, guards, tags, bodyLimit }) => [method, path, guards, tags, bodyLimit]),
      [
        ["GET", "/:tenant", ["named"], ["tenants"], 10],
        ["POST", "/:tenant/orders", ["named"], ["tenants"], 10],
        ["POST", "/:tenant/large", ["named"], ["tenants", "large"], 100],
        ["GET", "/:tenant/deep/er", ["inner"], ["tenants"], 10],
      ],
    );
    assert.throws(() => ingress.group("/b", {}, (group) => untyped(group).get("lue", hello)), {
      code: "ROUTE_INVALID",
      message: /'lue' behind '\/b'/,
    });
  });
});

describe("the fallback", () => {
  const gone = Axon.start("gone").thenFn("say", (_, bus) => `no ${bus.get(param("path"))}`, {
    reads: [param("path")],
  });

  test("answers 404 to what no route serves, decoded, and leaves 405 to the rest", async () => {
    const app = new TestApp(Framework.http().get("/a", hello).fallback(gone));

    const answer = await app.get("/b%20c/d");
    assert.deepEqual([answer.status, answer.text], [404, "no b c/d"]);
    assert.equal((await app.post("/b", { body: "x" })).status, 404);
    assert.equal((await app.post("/a")).status, 405);
    assert.equal((await app.get("/b%zz")).status, 400);
  });

  test("has guards and layers as a route has, and is there once", async () => {
    const ingress = Framework.http().guard(named()).fallback(gone);
    assert.equal((await new TestApp(ingress).get("/b")).status, 401);
    assert.deepEqual(
      ingress.routes().map(({ method, guards }) => [method, guards]),
      [["*", ["named"]]],
    );
    assert.throws(() => ingress.fallback(gone), /twice/);
  });
});

describe("routes()", () => {
  test("tells method, path, Axon, layers, guards, schemas, and draws them", () => {
    const Answer = Type.String();
    const shown = Axon.start<{ id: string }>("shown")
      .thenFn("show", ({ id }) => id)
      .withOutputSchema(Answer);
    const [route] = Framework.http()
      .guard(named())
      .post("/shown", shown, {
        input: json(Order),
        layers: [authorize(() => true)],
        summary: "Shows it",
        responseSchemas: { 401: Type.Object({}) },
      })
      .routes();

    assert.deepEqual(
      [route?.method, route?.path, route?.axon, route?.summary],
      ["POST", "/shown", "shown", "Shows it"],
    );
    assert.deepEqual([route?.layers, route?.guards], [["authorize"], ["named"]]);
    assert.deepEqual(route?.input, { kind: "json", schema: Order });
    assert.equal(route?.output, Answer);
    assert.deepEqual(Object.keys(route?.responseSchemas ?? {}), ["401"]);
    assert.deepEqual(
      route?.schematic.nodes.map(({ kind, id }) => `${kind} ${id}`),
      [
        "Ingress shown:in",
        "Layer shown:layer/authorize",
        "Guard shown:guard/named",
        "Atom shown/show",
        "Egress shown:out",
      ],
    );
    assert.deepEqual(
      route?.schematic.edges.map(({ from, to }) => `${from} ${to}`),
      [
        "shown:in shown:layer/authorize",
        "shown:layer/authorize shown:guard/named",
        "shown/show shown:out",
        "shown:guard/named shown/show",
      ],
    );
  });
});

test("a header that one step requires is required, though a later one may do without", () => {
  const key = header("x-a");
  const axon = Axon.start("a")
    .thenFn("one", (_, bus) => bus.get(key), { reads: [key] })
    .thenFn("two", (_, bus) => bus.find(key), { mayRead: [key] });
  const [route] = Framework.http().get("/", axon).routes();

  assert.deepEqual(route?.reads, [{ in: "header", name: "x-a", required: true }]);
});

test("a watched run tells of layers, guards, input and steps in their order", async () => {
  const entered: string[] = [];
  const recorder: Recorder = {
    mounted: (circuit) => circuit.watch({ kind: "all" }),
    event: (_, event) => event.kind === "node_enter" && entered.push(event.node),
  };
  const path = Axon.start("path", Order).thenFn("show", (_, bus) => bus.get(RequestPath), {
    reads: [RequestPath],
  });
  const app = new TestApp(
    Framework.http({ recorder }).post("/p", path, { guards: [named()], layers: [authorize(() => true)] }),
  );

  assert.equal((await app.post("/p", { json: { id: "7" }, headers: { "x-who": "ann" } })).text, "/p");
  assert.deepEqual(entered, ["path:layer/authorize", "path:guard/named", "path:in", "path/show"]);
});
