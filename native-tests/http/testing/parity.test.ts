// One table of requests, through a TestApp and through a socket: the same status,
// headers and body.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";

import {
  Axon,
  bytes,
  cookie,
  Framework,
  fault,
  form,
  guard,
  header,
  multipart,
  ProblemDetail,
  pass,
  query,
  type RunningServer,
  respond,
  setCookie,
  stream,
  Type,
  text,
} from "framework";
import { type MemoryFile, type Multipart, TestApp, type TestRequest } from "framework/http";
import { type SentRequest, sentRequest } from "#http/testing/test-request.js";
import { site } from "../../support/site.js";
import { talk } from "../../support/wire.js";

const step = (name: string, run: (input: unknown) => unknown) => Axon.start(name).thenFn(name, run);
const Order = Type.Object({ id: Type.String({ maxLength: 4 }), qty: Type.Integer() });

const Form = Type.Object({ n: Type.Integer(), tags: Type.Array(Type.String()) });
const upload = Axon.start<Multipart<Readonly<Record<string, unknown>>, MemoryFile>>("upload").thenFn(
  "list",
  ({ fields, files }) => ({ fields, files: files.map(({ name, size }) => ({ name, size })) }),
);
const measure = Axon.start<AsyncIterable<Uint8Array>>("measure").thenFn("measure", async (pieces) => {
  let size = 0;
  for await (const piece of pieces) size += piece.length;
  return { size };
});
const half = Axon.start<AsyncIterable<Uint8Array>>("half").thenFn("half", async (pieces) => {
  for await (const piece of pieces) return { first: piece.length > 0 };
  return { first: false };
});
/** Decides when the body has begun to arrive. */
const slowGuard = guard({
  name: "slow guard",
  reads: [header("x-pass")],
  run: async (input, bus) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (bus.get(header("x-pass")) === "yes") return pass(input);
    return fault(new ProblemDetail({ status: 403, code: "NO", title: "No" }));
  },
});

const files = site({
  "a.txt": "0123456789".repeat(50),
  "a.txt.gz": gzipSync("0123456789".repeat(50)),
  "b/index.html": "b",
});

const ingress = () =>
  Framework.http({ processGuards: false, reporter: () => {}, bodyTimeoutMs: 500 })
    .bind("127.0.0.1:0")
    .requestIdLayer()
    .bodyLimit(1000)
    .get(
      "/text",
      step("text", () => "héllo"),
    )
    .get(
      "/json",
      step("json", async () => ({ a: [1, "x"] })),
    )
    .get(
      "/bytes",
      step("bytes", () => Uint8Array.of(0, 255)),
    )
    .get(
      "/nothing",
      step("nothing", () => undefined),
    )
    .get(
      "/big",
      step("big", () => "x".repeat(200_000)),
    )
    .get(
      "/boom",
      step("boom", () => {
        // Who called it is the one thing that differs.
        throw Object.assign(new Error("boom"), { stack: "Error: boom" });
      }),
    )
    .get(
      "/refused",
      step("refused", () => fault(new ProblemDetail({ status: 409, code: "NO", title: "No" }))),
    )
    .get(
      "/moved",
      step("moved", () => respond({ status: 303, headers: { location: "/text", "x-list": "a, b" } })),
    )
    .get(
      "/facts",
      Axon.start("facts").thenFn(
        "facts",
        (_, bus) => [bus.find(header("x-a")), bus.find(cookie("sid")), bus.get(header("host"))],
        { reads: [header("host")], mayRead: [header("x-a"), cookie("sid")] },
      ),
    )
    .get("/query", Axon.start<{ q: string; n?: number }>("query"), {
      input: query(Type.Object({ q: Type.String(), n: Type.Optional(Type.Integer()) })),
    })
    .post("/order", Axon.start("order", Order))
    .post("/echo", Axon.start<Uint8Array>("echo"), { input: bytes() })
    .post("/say", Axon.start<string>("say"), { input: text() })
    .post(
      "/unread",
      step("unread", () => "unread"),
    )
    .post(
      "/later",
      step("later", async () => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        return "later";
      }),
    )
    .get(
      "/set",
      step("set", () => respond({ cookies: [setCookie("a", "1 2"), setCookie("b", "2")] })),
    )
    .get(
      "/slow",
      Axon.start("slow").thenFn(
        "slow",
        (_, bus) => new Promise<void>((resolve) => bus.signal.addEventListener("abort", () => resolve())),
      ),
      { timeoutMs: 250 },
    )
    .post("/form", Axon.start<{ n: number; tags: string[] }>("form"), { input: form(Form) })
    .post("/upload", upload, { input: multipart({ maxFiles: 2 }) })
    .post("/stream", measure, { input: stream() })
    .post("/half", half, { input: stream() })
    .post("/guarded", Axon.start<Uint8Array>("guarded"), { input: bytes(), guards: [slowGuard] })
    .readinessLivenessDefault()
    .serveDir("/files", files)
    .serveDir("/disk", files, { cache: false })
    .fallback(step("fallback", () => respond({ status: 404, body: "nothing here" })));

const pieces = (...all: readonly string[]) => all;

/** Method, target, and what else a test says. */
const REQUESTS: readonly (readonly [string, string, TestRequest?])[] = [
  ["GET", "/files/a.txt"],
  ["HEAD", "/files/a.txt"],
  ["GET", "/files/a.txt", { headers: { range: "bytes=5-9" } }],
  ["GET", "/files/a.txt", { headers: { range: "bytes=500-" } }],
  ["GET", "/files/a.txt", { headers: { "if-none-match": "*" } }],
  ["GET", "/files/a.txt", { headers: { "if-match": '"x"' } }],
  ["GET", "/files/b"],
  ["GET", "/files/b/"],
  ["GET", "/files/none"],
  ["POST", "/files/a.txt"],
  ["GET", "/disk/a.txt"],
  ["HEAD", "/disk/a.txt"],
  ["GET", "/disk/a.txt", { headers: { range: "bytes=5-9" } }],
  ["GET", "/disk/a.txt", { headers: { "accept-encoding": "gzip", range: "bytes=0-3" } }],
  ["GET", "/text"],
  ["HEAD", "/text"],
  ["OPTIONS", "/text"],
  ["DELETE", "/text"],
  ["BREW", "/text"],
  ["GET", "/json"],
  ["HEAD", "/json"],
  ["GET", "/bytes"],
  ["GET", "/nothing"],
  ["HEAD", "/nothing"],
  ["GET", "/big"],
  ["HEAD", "/big"],
  ["GET", "/boom"],
  ["GET", "/refused"],
  ["GET", "/moved"],
  ["GET", "/nowhere"],
  ["GET", "/%74ext"],
  ["GET", "/%zz"],
  ["GET", "/text?a=%"],
  ["GET", `/${"a".repeat(9000)}`],
  ["GET", "/facts", { headers: { "X-A": [" first\t", "second"] }, cookies: { sid: "a b;c", other: "é" } }],
  ["GET", "/facts", { headers: { cookie: ["other=1", "", "sid=2"], "X-A": ["", "last"] } }],
  ["GET", "/facts", { headers: { authorization: ["Bearer a", "Bearer a"] } }],
  ["GET", "/facts", { headers: { expect: ["", "tea"] } }],
  ["POST", "/order", { json: { id: "a", qty: 1 }, headers: { "content-encoding": ["", "gzip"] } }],
  ["POST", "/order", { body: "{}", headers: { "content-type": ["application/json", "text/plain"] } }],
  ["GET", "/facts", { headers: { host: "other:80", "x-a": "" } }],
  ["GET", "/facts", { headers: { host: "a b" } }],
  ["GET", "/facts", { headers: { expect: "tea" } }],
  ["GET", "/query", { query: { q: "ü & x", n: 7 } }],
  ["GET", "/query?q=1", { query: { n: "x" } }],
  ["GET", "/query", { query: { q: ["a", "b"] } }],
  ["POST", "/order", { json: { id: "a", qty: 1 } }],
  ["POST", "/order", { json: { id: "abcde", qty: "x" } }],
  ["POST", "/order", { body: "{", headers: { "content-type": "application/json" } }],
  ["POST", "/order", { body: "a", headers: { "content-type": "text/plain" } }],
  ["POST", "/order"],
  ["POST", "/order", { json: {}, headers: { "content-length": ["2", "2"] } }],
  ["POST", "/order", { headers: { "transfer-encoding": "gzip" } }],
  ["POST", "/echo", { form: { a: "b c", d: ["é", 1], none: undefined } }],
  ["POST", "/echo", { body: Uint8Array.of(0, 1, 255) }],
  ["POST", "/echo", { body: "x".repeat(1001) }],
  ["POST", "/echo", { body: pieces("one", "", "two") }],
  ["POST", "/echo", { body: pieces("x".repeat(900), "y".repeat(900)) }],
  ["POST", "/echo", { body: pieces("one", "two"), headers: { "content-length": "6" } }],
  ["POST", "/echo", { body: pieces("x"), headers: { "content-length": "2" } }],
  ["POST", "/say", { body: Uint8Array.of(0xff) }],
  ["POST", "/unread", { json: { a: 1 } }],
  ["POST", "/unread", { body: pieces("a", "b") }],
  ["POST", "/later", { json: { a: 1 } }],
  ["POST", "/later", { body: pieces("a", "b") }],
  ["POST", "/later", { json: { a: 1 }, headers: { connection: "TE, close" } }],
  ["POST", "/later", { body: pieces("a"), headers: { "content-length": "2" } }],
  ["GET", "/disk/a.txt", { body: pieces("a") }],
  ["HEAD", "/text", { headers: { connection: "close" } }],
  ["HEAD", "/text", { headers: { connection: "TE, close" } }],
  ["HEAD", "/disk/a.txt", { headers: { connection: "TE, close" } }],
  ["GET", "/nothing", { headers: { connection: "TE, close" } }],
  ["OPTIONS", "/text", { headers: { connection: "TE, close" } }],
  ["GET", "/big", { headers: { connection: "TE, close" } }],
  ["GET", "/set"],
  ["HEAD", "/set"],
  ["GET", "/slow"],
  ["GET", "/ready"],
  ["HEAD", "/live"],
  ["POST", "/form", { form: { n: 7, tags: ["a", "b"] } }],
  ["POST", "/form", { form: { n: "x", tags: "a" } }],
  ["POST", "/form", { json: { n: 7 } }],
  ["POST", "/upload", { multipart: { note: ["a", "b"], file: new File(["héllo"], "ü/a.txt") } }],
  ["POST", "/upload", { multipart: { file: [new Blob(["a"]), new Blob(["b"]), new Blob(["c"])] } }],
  ["POST", "/upload", { body: "--x", headers: { "content-type": "multipart/form-data; boundary=x" } }],
  ["POST", "/stream", { body: "x".repeat(900) }],
  ["POST", "/stream", { body: pieces("x".repeat(400), "y".repeat(400)) }],
  ["POST", "/stream", { body: pieces("x".repeat(800), "y".repeat(800)) }],
  ["POST", "/stream", { body: pieces("x"), headers: { "content-length": "2" } }],
  ["POST", "/stream"],
  ["POST", "/half", { body: pieces("one", "two") }],
  ["POST", "/guarded", { body: "whole", headers: { "x-pass": "yes" } }],
  ["POST", "/guarded", { body: pieces("in ", "pieces"), headers: { "x-pass": "yes" } }],
  ["POST", "/guarded", { body: pieces("in ", "pieces"), headers: { "x-pass": "no" } }],
  ["POST", "/guarded", { body: "whole" }],
  ["POST", "/guarded", { body: "x".repeat(1001), headers: { "x-pass": "yes" } }],
];

const FIXED = { "x-request-id": "parity" };

/** Head and body as a client reads them. */
interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

/** The bytes of a request, a segment for each piece of its body. */
async function onWire(method: string, { target, headers, body }: SentRequest): Promise<readonly string[]> {
  const head = `${method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const latin1 = (piece: string | Uint8Array) => Buffer.from(piece as string).toString("latin1");
  const sent = [Buffer.from(head).toString("latin1")];
  if (body instanceof Uint8Array) return [sent[0] + latin1(body)];
  const chunked = headers.some(([name]) => name === "transfer-encoding");
  for await (const piece of body) {
    const bytesOfIt = latin1(piece);
    if (!chunked) sent.push(bytesOfIt);
    else if (bytesOfIt !== "") sent.push(`${bytesOfIt.length.toString(16)}\r\n${bytesOfIt}\r\n`);
  }
  return chunked ? [...sent, "0\r\n\r\n"] : sent;
}

async function bySocket(address: string, method: string, sent: SentRequest): Promise<Answer> {
  const heads = method === "HEAD" ? [0] : [];
  const { raw, replies } = await talk(address, await onWire(method, sent), { until: 1, heads });
  const lines = raw.slice(0, raw.indexOf("\r\n\r\n")).split("\r\n").slice(1);
  const headers = lines.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()));
  return {
    status: replies[0]?.status ?? 0,
    headers: headers.filter((line) => !line.startsWith("date:")).sort(),
    body: replies[0]?.body ?? "",
  };
}

async function inMemory(
  app: TestApp<never>,
  method: string,
  target: string,
  request: TestRequest,
): Promise<Answer> {
  const { status, headers, setCookies, bytes: body } = await app.send(method, target, request);
  const single = Object.entries(headers).filter(([name]) => name !== "set-cookie" && name !== "date");
  const lines = [...single, ...setCookies.map((line) => ["set-cookie", line] as const)];
  return {
    status,
    headers: lines.map(([name, value]) => `${name}: ${value}`).sort(),
    body: Buffer.from(body).toString("latin1"),
  };
}

describe("a TestApp and a socket", () => {
  let server: RunningServer;
  let app: TestApp<never>;
  before(async () => {
    server = await ingress().run();
    app = new TestApp(ingress());
  });
  after(async () => {
    await server.close();
    await app.close();
  });

  for (const [method, target, request = {}] of REQUESTS) {
    test(`answer ${method} ${target.slice(0, 40)} ${JSON.stringify(request).slice(0, 90)} alike`, async () => {
      const whole = { ...request, headers: { ...FIXED, ...request.headers } };
      const expected = await bySocket(server.address, method, await sentRequest(target, whole, []));

      assert.ok(expected.status > 0);
      assert.deepEqual(await inMemory(app, method, target, whole), expected);
    });
  }
});
