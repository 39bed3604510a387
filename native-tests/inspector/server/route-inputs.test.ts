import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";

import { Axon, bytes, combine, Framework, form, guard, json, pass, path, query, text } from "framework";
import { Circuits } from "#inspector/server/circuits.js";

const Order = Type.Object({ sku: Type.String({ minLength: 3 }) });
const Place = Type.Object({ shop: Type.Integer({ minimum: 1 }) });
const open = guard({ name: "open", run: pass });

/** What the Inspector says that a node of a route takes, in the list of routes and where it is held. */
function takenBy(circuits: Circuits, node: string) {
  const [circuit = ""] = node.split("/");
  const told = circuits.routes().flatMap(({ nodes }) => nodes.filter((each) => each.node === node));
  return [told[0]?.input_schema ?? undefined, circuits.schemaOf(circuit, node)];
}

describe("the input that a route declares", () => {
  const ingress = Framework.http()
    .guard(open)
    .post(
      "/orders",
      Axon.start<{ sku: string }>("place")
        .thenFn("check", (order) => order)
        .thenFn("store", () => 1),
      { input: json(Order) },
    )
    .post(
      "/shops/:shop",
      Axon.start<{ at: { shop: number }; note: string }>("note").thenFn("write", () => 1),
      { input: combine({ at: path(Place), note: text() }) },
    )
    .post(
      "/texts",
      Axon.start<string>("say").thenFn("speak", () => 1),
      { input: text() },
    );
  const circuits = new Circuits(() => ingress.routes());

  test("is what the first step of its Axon takes, and no other node", () => {
    assert.deepEqual(takenBy(circuits, "place/check"), [Order, Order]);
    assert.deepEqual(takenBy(circuits, "place/store"), [undefined, undefined]);
    assert.equal(circuits.schemaOf("place", "place:guard/open"), undefined);
    assert.equal(circuits.inputOf("POST", "/orders")?.schema, Order);
  });

  test("is an object of its parts where it has several, of which some may be anything", () => {
    const [told] = takenBy(circuits, "note/write");

    assert.deepEqual(JSON.parse(JSON.stringify(told)), {
      type: "object",
      required: ["at", "note"],
      properties: { at: JSON.parse(JSON.stringify(Place)), note: {} },
    });
  });

  test("is none where a run is held, of an Axon for which two routes declare different ones", () => {
    const axon = Axon.start<unknown>("shared").thenFn("take", () => 1);
    const same = Axon.start<unknown>("alike").thenFn("take", () => 1);
    const two = Framework.http()
      .post("/v1", axon, { input: json(Order) })
      .post("/v2", axon, { input: json(Place) })
      .post("/a", same, { input: json(Order) })
      .post("/b", same, { input: json(Type.Object({ sku: Type.String({ minLength: 3 }) })) });
    const of = new Circuits(() => two.routes());

    assert.equal(of.schemaOf("shared", "shared/take"), undefined);
    assert.deepEqual(of.schemaOf("alike", "alike/take"), Order);
  });

  test("is none of a step whose route takes a text or bytes", () => {
    assert.deepEqual(takenBy(circuits, "say/speak"), [undefined, undefined]);
  });

  test("is of the media type that the route reads", () => {
    const axon = () => Axon.start<never>("any").thenFn("first", () => 1) as never;
    const types = { json: json(Order), form: form(Order), text: text(), bytes: bytes(), query: query(Order) };
    const all = Object.entries({ ...types, both: combine({ a: query(Order), b: form(Order) }) });
    const app = all.reduce(
      (ingress, [name, input]) => ingress.post(`/${name}`, axon(), { input } as never),
      Framework.http(),
    );

    assert.deepEqual(
      new Circuits(() => app.routes()).routes().map(({ path, body_type }) => [path.slice(1), body_type]),
      [
        ["json", "application/json"],
        ["form", "application/x-www-form-urlencoded"],
        ["text", "text/plain"],
        ["bytes", null],
        ["query", null],
        ["both", "application/x-www-form-urlencoded"],
      ],
    );
  });

  test("gives way to what the Axon says itself", () => {
    const Own = Type.Object({ sku: Type.String() });
    const own = Framework.http().post(
      "/own",
      Axon.start("own", Own).thenFn("first", () => 1),
      {
        input: json(Order),
      },
    );

    assert.deepEqual(takenBy(new Circuits(() => own.routes()), "own/first"), [Own, Own]);
  });
});
