// Extractors.

import {
  Axon,
  bytes,
  combine,
  cookie,
  form,
  header,
  json,
  multipart,
  param,
  path,
  query,
  stream,
  Type,
  text,
} from "framework";
import { echo, OF_BODY, OK, ORDER, Order, posted, row } from "./rows.js";

row(
  "POST /json",
  Axon.start("json", Order).thenFn("echo", (order) => order),
  {},
  posted(ORDER),
  {
    ...OF_BODY,
    200: OK,
    400: { body: "{" },
    422: { body: "{}" },
  },
);
row("PUT /json-any", echo("json-any"), { input: json(Type.Unknown()) }, posted("1"), {
  ...OF_BODY,
  200: OK,
  400: { body: "{" },
});
row("GET /path/:id", echo("path"), { input: path(Type.Object({ id: Type.String() })) }, {}, { 200: OK });
row(
  "GET /path-number/:id",
  echo("path-number"),
  { input: path(Type.Object({ id: Type.Number({ maximum: 9 }) })) },
  {},
  {
    200: OK,
    400: { path: "/path-number/x" },
    422: { path: "/path-number/10" },
  },
);
row(
  "GET /path-integer/:id",
  echo("path-integer"),
  { input: path(Type.Object({ id: Type.Integer() })) },
  {},
  {
    200: OK,
    400: { path: "/path-integer/x" },
    422: { path: "/path-integer/1.5" },
  },
);
row(
  "GET /path-key/:id",
  Axon.start<void>("path-key").thenFn("echo", (_, bus) => bus.get(param("id")), { reads: [param("id")] }),
  {},
  {},
  { 200: OK },
);
row(
  "GET /query",
  echo("query"),
  { input: query(Type.Object({ q: Type.Optional(Type.String()) })) },
  {},
  {
    200: OK,
    400: { path: "/query?q=a&q=b" },
  },
);
row(
  "GET /query-list",
  echo("query-list"),
  { input: query(Type.Object({ q: Type.Array(Type.Integer(), { maxItems: 2 }) })) },
  { path: "/query-list?q=1" },
  {
    200: OK,
    400: { path: "/query-list" },
    422: { path: "/query-list?q=1&q=2&q=3" },
  },
);
row(
  "GET /query-closed",
  echo("query-closed"),
  { input: query(Type.Object({}, { additionalProperties: false })) },
  {},
  {
    200: OK,
    400: { path: "/query-closed?__proto__=1" },
    422: { path: "/query-closed?x=1" },
  },
);
row(
  "GET /parameters/:id",
  Axon.start(
    "parameters",
    Type.Object({
      id: Type.String(),
      depth: Type.Optional(Type.Union([Type.Literal("a"), Type.Literal("b")])),
    }),
  ).thenFn("echo", (input) => input),
  {},
  {},
  {
    200: OK,
    400: { path: "/parameters/1?depth=a&depth=b" },
    422: { path: "/parameters/1?depth=c" },
  },
);
row(
  "GET /header",
  echo("header"),
  { input: header(Type.Object({ "x-count": Type.Integer({ minimum: 1 }) })) },
  { headers: { "x-count": "1" } },
  {
    200: OK,
    400: { headers: { "x-count": "x" } },
    422: { headers: { "x-count": "0" } },
  },
);
row(
  "GET /header-key",
  Axon.start<void>("header-key").thenFn("echo", (_, bus) => bus.get(header("x-team")), {
    reads: [header("x-team")],
  }),
  {},
  { headers: { "x-team": "ops" } },
  {
    200: OK,
    400: { headers: { "x-team": "" } },
  },
);
row(
  "GET /header-found",
  Axon.start<void>("header-found").thenFn("echo", (_, bus) => bus.find(header("x-team")) ?? "none", {
    mayRead: [header("x-team")],
  }),
  {},
  {},
  { 200: OK },
);
row(
  "GET /cookie",
  echo("cookie"),
  { input: cookie(Type.Object({ sid: Type.String({ minLength: 3 }) })) },
  { headers: { cookie: "sid=abc" } },
  {
    200: OK,
    400: { headers: { cookie: "" } },
    422: { headers: { cookie: "sid=a" } },
  },
);
const FORM = { "content-type": "application/x-www-form-urlencoded" };
row(
  "POST /form",
  echo("form"),
  { input: form(Type.Object({ name: Type.String({ minLength: 2 }), age: Type.Optional(Type.Integer()) })) },
  { headers: FORM, body: "name=Ada" },
  {
    ...OF_BODY,
    200: OK,
    400: { body: "name=%zz" },
    422: { body: "name=A" },
  },
);
row(
  "POST /form-open",
  echo("form-open"),
  { input: form(Type.Object({})) },
  { headers: FORM, body: "a=1" },
  {
    ...OF_BODY,
    200: OK,
    400: { body: "a=%zz" },
  },
);
const PART = '--b\r\ncontent-disposition: form-data; name="note"\r\n\r\nhi\r\n--b--\r\n';
const PARTS = { headers: { "content-type": "multipart/form-data; boundary=b" }, body: PART };
row("POST /multipart", echo("multipart"), { input: multipart() }, PARTS, {
  ...OF_BODY,
  200: OK,
  400: { body: "--b" },
});
row(
  "POST /multipart-fields",
  echo("multipart-fields"),
  { input: multipart({ schema: Type.Object({ note: Type.String({ maxLength: 2 }) }) }) },
  PARTS,
  {
    ...OF_BODY,
    200: OK,
    400: { body: "--b" },
    422: { body: PART.replace("hi", "hello") },
  },
);
const FILE_PART =
  '--b\r\ncontent-disposition: form-data; name="note"; filename="n.txt"\r\n\r\nhi\r\n--b--\r\n';
row(
  "POST /multipart-files",
  echo("multipart-files"),
  { input: multipart({ files: { note: { required: true, maxSize: 100 } } }) },
  { ...PARTS, body: FILE_PART },
  {
    ...OF_BODY,
    200: OK,
    400: { body: "--b" },
    413: { body: FILE_PART.replace("hi", "x".repeat(101)) },
    422: { body: PART },
  },
);
row(
  "POST /text",
  echo("text"),
  { input: text() },
  { headers: { "content-type": "text/plain" }, body: "hi" },
  {
    ...OF_BODY,
    200: OK,
    400: { body: Uint8Array.of(0xff) },
  },
);
row("POST /bytes", echo("bytes"), { input: bytes() }, { body: "hi" }, { ...OF_BODY, 200: OK });
const readAll = Axon.start<AsyncIterable<Uint8Array>>("stream").thenFn("read", async (pieces) => {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return { length };
});
row("POST /stream", readAll, { input: stream() }, { body: "hi" }, { ...OF_BODY, 200: OK });
row(
  "PATCH /combine/:id",
  echo("combine"),
  { input: combine({ at: path(Type.Object({ id: Type.Integer() })), order: json(Order) }) },
  posted(ORDER),
  {
    ...OF_BODY,
    200: OK,
    400: { path: "/combine/x" },
    422: { body: "{}" },
  },
);
