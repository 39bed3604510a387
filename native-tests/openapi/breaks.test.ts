// What a change of a document breaks for clients of the old one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TSchema } from "@sinclair/typebox";
import { Axon, Framework, header, IamPolicy, query, Type } from "framework";
import { breaks, described, documentOf, type OpenApiDocument } from "framework/openapi";

type Json = any;

const documentFor = (declare: (ingress: Json) => unknown): OpenApiDocument => {
  const ingress: Json = Framework.http();
  declare(ingress);
  return documentOf(described(ingress.routes()));
};
const takes = (schema: TSchema) =>
  documentFor((ingress) =>
    ingress.post(
      "/x",
      (Axon.start("x", schema) as Json).thenFn("x", () => ""),
    ),
  );
const sends = (schema: TSchema) =>
  documentFor((ingress) =>
    ingress.get(
      "/x",
      Axon.start("x").thenFn("x", () => ({})),
      { responseSchemas: { 200: schema } },
    ),
  );
const asks = (options: object) =>
  documentFor((ingress) =>
    ingress.get(
      "/x",
      Axon.start<Json>("x").thenFn("x", () => ""),
      options,
    ),
  );

const object = (properties: Record<string, TSchema>) => Type.Object(properties);
const plain = Axon.start("x").thenFn("x", () => "");
const created = Axon.start("x").thenFn("x", { responses: [{ status: 200 }, { status: 201 }] }, () => "");

describe("what breaks clients", () => {
  const cases: readonly (readonly [string, OpenApiDocument, OpenApiDocument, readonly string[]])[] = [
    [
      "a route that is gone",
      documentFor((i) => i.get("/a", plain).get("/b", plain)),
      documentFor((i) => i.get("/a", plain)),
      ["GET /b: it is gone"],
    ],
    [
      "a method that is gone",
      documentFor((i) => i.get("/a", plain).put("/a", plain)),
      documentFor((i) => i.put("/a", plain)),
      ["GET /a: it is gone"],
    ],
    [
      "a higher minimum of what is sent",
      takes(object({ n: Type.Integer() })),
      takes(object({ n: Type.Integer({ minimum: 1 }) })),
      ["POST /x: body /n: minimum 1, was no minimum"],
    ],
    [
      "a field that has to be sent",
      takes(object({})),
      takes(object({ a: Type.String() })),
      ["POST /x: body /a: required, was absent"],
    ],
    [
      "a type of what is sent",
      takes(object({ a: Type.Number() })),
      takes(object({ a: Type.Integer() })),
      ["POST /x: body /a: integer, was number"],
    ],
    [
      "a value that is not taken any more",
      takes(object({ a: Type.Union([Type.Literal("a"), Type.Literal("b")]) })),
      takes(object({ a: Type.Literal("a") })),
      ['POST /x: body /a: "a", was "a" or "b"'],
    ],
    [
      "a closed object of what is sent",
      takes(Type.Object({})),
      takes(Type.Object({}, { additionalProperties: false })),
      ["POST /x: body: none but those that are named, was further properties"],
    ],
    [
      "a field that is gone",
      sends(object({ a: Type.String(), b: Type.String() })),
      sends(object({ b: Type.String() })),
      ["GET /x: response 200 /a: absent, was required"],
    ],
    [
      "an optional field that is gone",
      sends(object({ a: Type.Optional(Type.String()) })),
      sends(object({})),
      ["GET /x: response 200 /a: gone"],
    ],
    [
      "a field that may be absent now",
      sends(object({ a: Type.String() })),
      sends(object({ a: Type.Optional(Type.String()) })),
      ["GET /x: response 200 /a: optional, was required"],
    ],
    [
      "a field that may be null now, in a list",
      sends(Type.Array(object({ a: Type.String() }))),
      sends(Type.Array(object({ a: Type.Union([Type.String(), Type.Null()]) }))),
      ["GET /x: response 200 []/a: null, was string"],
    ],
    [
      "a status that is gone",
      documentFor((i) => i.get("/x", created, { responseSchemas: { 201: Type.String() } })),
      documentFor((i) => i.get("/x", plain)),
      ["GET /x: 201 is no response any more"],
    ],
    [
      "another media type",
      sends(object({})),
      sends(Type.String()),
      ["GET /x: 200 is not sent as application/json any more"],
    ],
    [
      "a query parameter that is required",
      asks({ input: query(Type.Object({ a: Type.Optional(Type.String()) })) }),
      asks({ input: query(Type.Object({ a: Type.String() })) }),
      ["GET /x: query parameter 'a' is required"],
    ],
    [
      "a new header that is required",
      asks({}),
      asks({ input: header(Type.Object({ "x-a": Type.String() })) }),
      ["GET /x: header parameter 'x-a' is new, and required"],
    ],
    [
      "a role that is asked for",
      asks({}),
      asks({ iam: { policy: IamPolicy.requireRole("a"), verifier: { verify: () => ({}) } } }),
      ['GET /x: it asks for more than before: [{"bearerAuth":["a"]}]'],
    ],
  ];
  for (const [name, before, after, expected] of cases)
    test(`is ${name}`, () => {
      assert.deepEqual(breaks(before, after), expected);
      assert.deepEqual([breaks(before, before), breaks(after, after)], [[], []]);
    });

  test("is not what takes more, sends less variety, or is new", () => {
    const wider = takes(object({ n: Type.Integer({ minimum: 1 }), a: Type.Literal("a") }));
    const wide = takes(
      object({
        n: Type.Number(),
        a: Type.Union([Type.Literal("a"), Type.Literal("b")]),
        b: Type.Optional(Type.String()),
      }),
    );
    assert.deepEqual(breaks(wider, wide), []);
    const sent = sends(object({ a: Type.Union([Type.String(), Type.Null()]) }));
    assert.deepEqual(breaks(sent, sends(object({ a: Type.String(), b: Type.Integer() }))), []);
    const more = documentFor((i) => i.get("/a/:key", plain).get("/b", plain));
    assert.deepEqual(
      breaks(
        documentFor((i) => i.get("/a/:id", plain)),
        more,
      ),
      [],
    );
  });

  test("is found in recursive schemas, once", () => {
    const tree = (leaf: TSchema) =>
      Type.Recursive((This) => Type.Object({ leaf, kids: Type.Array(This) }), { $id: "Tree" });

    assert.deepEqual(breaks(sends(tree(Type.Integer())), sends(tree(Type.Number()))), [
      "GET /x: response 200 /leaf: number, was integer",
    ]);
  });
});
