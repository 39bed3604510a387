import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, FrameworkError, json, Type } from "framework";
import { TestApp } from "framework/http";
import { described, documentOf } from "framework/openapi";
import { SchemaComponents } from "#openapi/schema-components.js";
import { requireSound } from "#openapi/sound-document.js";
import { requireWhole } from "../support/written-document.js";

type Json = any;

const answering = (output: Json, value?: unknown): Json =>
  (Axon.start<void>("answer").thenFn("answer", () => value) as Json).withOutputSchema(output);

function written(declare: (ingress: Json) => unknown): Json {
  const ingress: Json = Framework.http();
  declare(ingress);
  const document: Json = documentOf(described(ingress.routes()));
  requireWhole(document);
  return document;
}

/** The contents of the 200 of a route whose output is the schema, and the components. */
function answered(...outputs: readonly Json[]) {
  const { paths, components } = written((ingress) => {
    for (const [i, output] of outputs.entries()) ingress.get(`/r${i}`, answering(output));
  });
  const schemas = outputs.map((_, i) =>
    Object.fromEntries(
      Object.entries<Json>(paths[`/r${i}`].get.responses[200].content).map(([media, { schema }]) => [
        media,
        schema,
      ]),
    ),
  );
  return { content: schemas[0] as Json, all: schemas as Json[], schemas: components.schemas };
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const TEXT = { type: "string" };

const Cat = Type.Object({ lives: Type.Integer() }, { $id: "Cat" });
const Dog = Type.Object({ bark: Type.String() }, { $id: "Dog" });
const Tree = Type.Recursive((This) => Type.Object({ children: Type.Array(This) }), { $id: "Tree" });

describe("a union of an output", () => {
  test("refers to its members by name where a text is split off", () => {
    const { content, schemas } = answered(Type.Union([Cat, Dog, Type.String()]));

    assert.deepEqual(content, {
      "application/json": { anyOf: [ref("Cat"), ref("Dog")] },
      "text/plain": TEXT,
    });
    assert.deepEqual(Object.keys(schemas), ["Cat", "Dog", "ProblemDetail"]);
  });

  test("keeps a recursive member, with and without a name", () => {
    const unnamed = Type.Recursive((This) => Type.Object({ next: Type.Optional(This) }));
    const { all, schemas } = answered(
      Type.Union([Tree, Type.String()]),
      Type.Union([unnamed, Type.Null(), Type.String()]),
    );

    assert.deepEqual(all[0]["application/json"], ref("Tree"));
    assert.deepEqual(schemas.Tree.properties.children.items, ref("Tree"));
    assert.deepEqual(all[1]["application/json"].anyOf, [ref("GetR1ResponseAnyOf0"), { type: "null" }]);
    assert.deepEqual(schemas.GetR1ResponseAnyOf0.properties.next, ref("GetR1ResponseAnyOf0"));
  });

  test("is a component where two routes share it, without its texts, and keeps its description", () => {
    const Pet = Type.Union([Cat, Dog, Type.Literal("none")], { description: "A pet", examples: ["none"] });
    const { all, schemas } = answered(Pet, Pet);

    assert.deepEqual(
      all.map((each) => each["application/json"]),
      [ref("GetR0Response"), ref("GetR0Response")],
    );
    assert.deepEqual(schemas.GetR0Response, { anyOf: [ref("Cat"), ref("Dog")], description: "A pet" });
    assert.deepEqual(all[0]["text/plain"], { type: "string", const: "none" });
  });

  test("is split at any depth, and only where a text is", () => {
    const { content } = answered(
      Type.Union([
        Type.Union([Cat, Dog], { title: "Beast" }),
        Type.Union([Type.Literal("a"), Type.Literal("b"), Type.Literal(1)]),
        Type.Array(Type.Union([Tree, Type.String()])),
      ]),
    );

    assert.deepEqual(content["application/json"].anyOf, [
      { anyOf: [ref("Cat"), ref("Dog")], title: "Beast" },
      { type: "number", const: 1 },
      { type: "array", items: { anyOf: [ref("Tree"), TEXT] } },
    ]);
    assert.deepEqual(content["text/plain"], { type: "string", enum: ["a", "b"] });
  });

  test("with a name keeps it, and lists its texts too: by $id, of a module, recursive", () => {
    const module = Type.Module({
      Name: Type.String(),
      Fish: Type.Object({ friend: Type.Optional(Type.Ref("Pond")) }),
      Pond: Type.Union([Type.Ref("Fish"), Type.Ref("Name")]),
    });
    const Nested = Type.Recursive((This) => Type.Union([Type.String(), Type.Array(This)]), { $id: "Nested" });
    const { all, schemas } = answered(
      Type.Union([Cat, Type.String()], { $id: "Pet" }),
      module.Import("Pond"),
      Nested,
    );

    for (const [i, name] of ["Pet", "Pond", "Nested"].entries()) {
      assert.deepEqual(Object.keys(all[i]), ["application/json", "text/plain"]);
      assert.deepEqual(all[i]["application/json"], ref(name));
    }
    assert.deepEqual(schemas.Pond.anyOf, [ref("Fish"), ref("Name")]);
    assert.deepEqual([all[1]["text/plain"], schemas.Name], [ref("Name"), TEXT]);
    assert.deepEqual(schemas.Nested.anyOf, [TEXT, { type: "array", items: ref("Nested") }]);
  });

  test("of nothing, bytes and anything has the statuses and types that are sent", () => {
    const { paths } = written((ingress) =>
      ingress
        .get("/maybe", answering(Type.Union([Cat, Type.Undefined()])))
        .get("/bytes", answering(Type.Union([Cat, Type.Uint8Array(), Type.String()])))
        .get("/any", answering(Type.Any()))
        .get("/tagged", answering(Type.Intersect([Type.String(), Type.String({ minLength: 1 })]))),
    );
    const of = (path: string): Json => paths[path].get.responses;

    assert.deepEqual(
      [of("/maybe")[200].content["application/json"].schema, of("/maybe")[204].content],
      [ref("Cat"), undefined],
    );
    assert.deepEqual(Object.keys(of("/bytes")[200].content), [
      "application/json",
      "text/plain",
      "application/octet-stream",
    ]);
    assert.deepEqual(Object.keys(of("/any")[200].content), ["*/*"]);
    assert.deepEqual(Object.keys(of("/tagged")[200].content), ["text/plain"]);
  });

  test("is sent as the types that the document has", async () => {
    const Pet = Type.Union([Cat, Type.String()], { $id: "Pet" });
    const ingress = (Framework.http() as Json)
      .get("/cat", answering(Pet, { lives: 9 }))
      .get("/text", answering(Pet, "tabby"))
      .get("/any", answering(Type.Any(), "tabby"));
    await using app = new (TestApp as Json)(ingress);

    assert.match((await app.get("/cat")).headers["content-type"], /^application\/json/);
    for (const path of ["/text", "/any"])
      assert.match((await app.get(path)).headers["content-type"], /^text\/plain/);
  });

  test("stands in requests, events and messages with its texts", () => {
    const Pet = Type.Union([Cat, Tree, Type.String()]);
    const { paths } = written((ingress) =>
      ingress
        .post("/pets", answering(Type.String()), { input: json(Pet) })
        .sse("/events", answering(Type.Void()), { schema: Type.Union([Dog, Type.String()]) })
        .ws("/socket", {
          schema: Type.Union([Dog, Tree]),
          message: answering(Type.Union([Cat, Type.String()])),
        }),
    );

    assert.deepEqual(paths["/pets"].post.requestBody.content["application/json"].schema, {
      anyOf: [ref("Cat"), ref("Tree"), TEXT],
    });
    assert.deepEqual(paths["/events"].get["x-framework-sse"].data, { anyOf: [ref("Dog"), TEXT] });
    assert.deepEqual(paths["/socket"].get["x-framework-ws"], {
      message: { anyOf: [ref("Dog"), ref("Tree")] },
      reply: { anyOf: [ref("Cat"), TEXT] },
    });
  });
});

describe("components", () => {
  // OA2: made again, in another order.
  test("have an equal schema once, however often it is made", () => {
    const order = () => {
      const Line = Type.Object({ sku: Type.String() });
      return Type.Object({ first: Line, other: Line }, { $id: "Order" });
    };
    const turned = () => {
      const { first, other } = order().properties;
      return Type.Object({ other, first }, { title: "An order", $id: "Order" });
    };
    const family = (description: string) =>
      Type.Recursive((This) => Type.Object({ children: Type.Array(This) }, { description }), {
        title: "family",
      });
    const { all, schemas } = answered(order(), turned(), family("a"), family("a"), family("b"));

    assert.deepEqual(Object.keys(schemas), ["Family", "Family2", "Order", "OrderFirst", "ProblemDetail"]);
    assert.deepEqual(
      all.map((each) => each["application/json"]),
      ["Order", "Order", "Family", "Family", "Family2"].map(ref),
    );
  });

  // OA2: imported again, or of another module.
  test("are those of the module that refers to them", () => {
    const of = (Leaf: Json) => Type.Module({ Node: Type.Object({ leaf: Type.Ref("Leaf") }), Leaf });
    const Leaf = Type.Object({ n: Type.Number() }, { $id: "Leaf" });
    const { all, schemas } = answered(
      of(Type.Object({ n: Type.Number() })).Import("Node"),
      of(Type.Object({ s: Type.String() })).Import("Node"),
      of(Type.Object({ n: Type.Number() })).Import("Node", { description: "the same" }),
      Leaf,
    );

    assert.deepEqual(
      all.map((each) => each["application/json"]),
      ["Node", "Node2", "Node", "Leaf"].map(ref),
    );
    assert.deepEqual(
      [schemas.Node.properties.leaf, schemas.Node2.properties.leaf],
      [ref("Leaf"), ref("Leaf2")],
    );
    assert.deepEqual(Object.keys(schemas.Leaf2.properties), ["s"]);
  });

  // OA1: the inner one is compared when the outer one is written.
  test("are refused where a schema holds another one of its own id", () => {
    const inner = (of: Json) => Type.Object({ inner: Type.Optional(of) }, { $id: "Same" });
    const refusal = {
      code: "OPENAPI_INVALID",
      message: /schema at '.*inner': two different schemas have the \$id 'Same'/,
    };

    assert.throws(() => answered(inner(Type.Object({ n: Type.Number() }, { $id: "Same" }))), refusal);
    assert.ok(answered(Type.Recursive((This) => inner(This) as Json, { $id: "Same" })).schemas.Same);
  });

  test("are found by their id wherever they are first declared", () => {
    const { schemas } = answered(Type.Object({ cat: Type.Ref("Cat") }), Cat);

    assert.deepEqual(Object.keys(schemas), ["Cat", "ProblemDetail"]);
  });

  test("of the program do not take the place of the document's own", () => {
    const { content, schemas } = answered(Type.Object({ mine: Type.String() }, { $id: "ProblemDetail" }));

    assert.deepEqual(content["application/json"], ref("ProblemDetail2"));
    assert.ok(schemas.ProblemDetail.properties.request_id);
  });

  test("are written of TypeBox inside plain JSON Schema, and of contentSchema", () => {
    const components = new SchemaComponents();
    const plain: Json = { oneOf: [Cat, Tree], $id: undefined, "x-note": { $id: "data" } };

    const place = { owner: "a test", name: "Plain" };
    assert.deepEqual(components.write(plain, place)["oneOf"], [ref("Cat"), ref("Tree")]);
    assert.deepEqual(components.write(Type.String({ contentSchema: Dog }), place), {
      type: "string",
      contentSchema: ref("Dog"),
    });
  });
});

test("a document with a dangling reference or an id inside is refused, with its place", () => {
  const document = (schema: object): Json => ({
    openapi: "3.1.0",
    paths: {},
    components: { schemas: { A: schema } },
  });
  const refused = (schema: object): string => {
    try {
      requireSound(document(schema));
    } catch (error) {
      assert.ok(error instanceof FrameworkError);
      return error.message;
    }
    return "";
  };

  assert.match(
    refused({ items: { $ref: "Tree" } }),
    /^The document at '\/components\/schemas\/A\/items\/\$ref': \$ref 'Tree'/,
  );
  assert.match(
    refused({ anyOf: [{ $id: "Cat" }] }),
    /'\/components\/schemas\/A\/anyOf\/0\/\$id': \$id stands/,
  );
  assert.match(refused({ $ref: "#/components/schemas/B" }), /leads nowhere/);
  assert.equal(refused({ properties: { $id: { $ref: ref("A").$ref } }, example: { $id: 1, $ref: "x" } }), "");
});
