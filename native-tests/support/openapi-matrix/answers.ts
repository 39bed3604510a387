// Kinds of answers, and faults of steps.

import {
  Axon,
  fault,
  html,
  IsolationPolicy,
  ProblemDetail,
  param,
  query,
  respond,
  TenantResolver,
  Type,
  transition,
} from "framework";
import {
  MathNode,
  MergeNode,
  PatternValidator,
  RangeValidator,
  RequiredNode,
  ResolveTenant,
  SchemaValidator,
} from "framework/std";
import { nothing, OF_BODY, OK, posted, row } from "./rows.js";

const answering = (name: string, value: () => unknown, more: object = {}) =>
  Axon.start<void>(name).thenFn("answer", () => value() as any, more as any);
row(
  "GET /answer/text",
  Axon.start<void>("answer-text").then(
    transition({ name: "say", output: Type.String(), run: (_: void) => "hi" }),
  ),
  {},
  {},
  { 200: OK },
);
row(
  "GET /answer/nothing",
  Axon.start<void>("answer-nothing").then(
    transition({ name: "say", output: Type.Void(), run: (_: void) => undefined }),
  ),
  {},
  {},
  { 204: OK },
);
row(
  "GET /answer/maybe",
  Axon.start<any>("answer-maybe").then(
    transition({
      name: "say",
      output: Type.Union([Type.Object({ a: Type.Integer() }), Type.Undefined()]),
      run: (input: { n?: string }) => (input.n === undefined ? undefined : { a: 1 }),
    }),
  ),
  { input: query(Type.Object({ n: Type.Optional(Type.String()) })) },
  {},
  {
    200: { path: "/answer/maybe?n=1" },
    204: OK,
    400: { path: "/answer/maybe?n=1&n=2" },
  },
);
const Cat = Type.Object({ lives: Type.Integer() }, { $id: "Cat" });
const Tree = Type.Recursive((This) => Type.Object({ children: Type.Array(This) }), { $id: "Tree" });
const pets: readonly unknown[] = [{ lives: 9 }, { children: [{ children: [] }] }, "tabby", undefined];
for (const [path, Pet] of [
  ["inline", Type.Union([Cat, Tree, Type.String(), Type.Undefined()])],
  ["named", Type.Union([Type.Union([Cat, Tree, Type.String()], { $id: "Pet" }), Type.Undefined()])],
] as const)
  for (const [i] of pets.entries())
    row(
      `GET /answer/union/${path}/${i}`,
      Axon.start<any>(`answer-union-${path}`)
        .thenFn("answer", ({ n }: { n?: string }) => pets[n === undefined ? i : 3] as any)
        .withOutputSchema(Pet),
      { input: query(Type.Object({ n: Type.Optional(Type.String()) })) },
      {},
      {
        200: i === 3 ? { path: `/answer/union/${path}/0` } : OK,
        204: { path: `/answer/union/${path}/${i}?n=1` },
        400: { path: `/answer/union/${path}/${i}?n=1&n=2` },
      },
    );
row(
  "GET /answer/html",
  answering("answer-html", () => html("<p>hi</p>")),
  {},
  {},
  { 200: OK },
);
row(
  "GET /answer/bytes",
  answering("answer-bytes", () => Uint8Array.of(1)),
  {},
  {},
  { 200: OK },
);
row(
  "GET /answer/stream",
  answering("answer-stream", async function* () {
    yield Uint8Array.of(1);
  }),
  {},
  {},
  { 200: OK },
);
row(
  "POST /answer/created",
  answering("answer-created", () => respond({ status: 201, headers: { location: "/1" }, body: { id: 1 } }), {
    responses: [{ status: 201 }],
  }),
  {},
  {},
  { 201: OK },
);
row(
  "GET /answer/schemas",
  Axon.start<any>("answer-schemas").thenFn(
    "answer",
    { responses: [{ status: 200 }, { status: 203 }] },
    ({ late }: { late?: string }) =>
      late === undefined ? { a: 1 } : respond({ status: 203, body: { b: 1 } }),
  ),
  {
    input: query(Type.Object({ late: Type.Optional(Type.String()) })),
    responseSchemas: { 200: Type.Object({ a: Type.Integer() }), 203: Type.Object({ b: Type.Integer() }) },
  },
  {},
  { 200: OK, 203: { path: "/answer/schemas?late=1" }, 400: { path: "/answer/schemas?late=1&late=2" } },
);
row("HEAD /answer/head", nothing("answer-head"), {}, {}, { 200: OK });
row("OPTIONS /answer/options", nothing("answer-options"), {}, {}, { 200: OK });
row(
  "DELETE /answer/delete",
  Axon.start<void>("answer-delete").then(
    transition({ name: "say", output: Type.Undefined(), run: (_: void) => undefined }),
  ),
  {},
  {},
  { 204: OK },
);

// Faults of steps
const GONE = new ProblemDetail({ status: 410, code: "GONE", title: "It is gone" });
const TAKEN = { status: 409, code: "TAKEN", title: "It is taken" } as const;
row(
  "GET /fault/:kind",
  Axon.start<void>("fault").thenFn(
    "decide",
    (_, bus) => {
      const kind = bus.get(param("kind"));
      if (kind === "gone") return fault(GONE);
      return kind === "taken" ? fault(new ProblemDetail({ ...TAKEN, detail: "by another" })) : { kind };
    },
    { reads: [param("kind")], responses: [GONE, TAKEN] },
  ),
  {},
  {},
  { 200: OK, 409: { path: "/fault/taken" }, 410: { path: "/fault/gone" } },
);
row(
  "GET /subgraph/:kind",
  Axon.start<void>("outer").subgraph(
    Axon.start<void>("inner").thenFn(
      "decide",
      (_, bus) => (bus.get(param("kind")) === "gone" ? fault(GONE) : { ok: true }),
      { reads: [param("kind")], responses: [GONE] },
    ),
  ),
  {},
  {},
  { 200: OK, 410: { path: "/subgraph/gone" } },
);
row(
  "GET /timeout",
  Axon.start<void>("timeout").thenWithTimeout(
    transition({ name: "wait", run: (_: void) => ({ ok: true }) }),
    5,
  ),
  {},
  {},
  { 200: OK },
);
row(
  "POST /node/required",
  Axon.start("required", Type.Object({ a: Type.Optional(Type.Integer()) })).then(
    new RequiredNode<{ a?: number }, "a">("a") as any,
  ),
  {},
  posted('{"a":1}'),
  { ...OF_BODY, 200: OK, 400: { body: "{" }, 422: { body: "{}" } },
);
row(
  "POST /node/range",
  Axon.start("range", Type.Object({ a: Type.Integer() })).then(new RangeValidator({ min: 1, field: "a" })),
  {},
  posted('{"a":1}'),
  { ...OF_BODY, 200: OK, 400: { body: "{" }, 422: { body: '{"a":0}' } },
);
row(
  "POST /node/pattern",
  Axon.start("pattern", Type.Object({ a: Type.String() })).then(new PatternValidator("^a", { field: "a" })),
  {},
  posted('{"a":"a"}'),
  { ...OF_BODY, 200: OK, 400: { body: "{" }, 422: { body: '{"a":"b"}' } },
);
row(
  "GET /node/schema/:id",
  Axon.start<void>("schema")
    .thenFn("read", (_, bus) => bus.get(param("id")), { reads: [param("id")] })
    .then(new SchemaValidator(Type.String({ maxLength: 1 }))),
  {},
  {},
  { 200: OK, 422: { path: "/node/schema/12" } },
);
row(
  "GET /node/math/:id",
  Axon.start<void>("math")
    .thenFn("read", (_, bus) => Number(bus.get(param("id"))), { reads: [param("id")] })
    .then(new MathNode("mul", 1e300)),
  {},
  {},
  { 200: OK, 422: { path: "/node/math/1e300" } },
);
row(
  "GET /node/merge",
  Axon.start<void>("merge")
    .thenFn("make", () => ({ a: 1 }))
    .then(new MergeNode(() => ({ b: 2 }))),
  {},
  {},
  { 200: OK },
);
row(
  "GET /node/tenant",
  Axon.start<void>("tenant")
    .then(new ResolveTenant(TenantResolver.header("x-tenant"), IsolationPolicy.strict()) as any)
    .thenFn("say", () => ({ ok: true })),
  {},
  { headers: { "x-tenant": "acme" } },
  { 200: OK, 400: { headers: { "x-tenant": "a b" } } },
);
