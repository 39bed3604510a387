// Each kind of answer that an ingress makes, and an ingress that makes all of them.

import { Axon, bytes, Framework, type HttpOptions, RequestId, Type } from "framework";
import { get, post, type TalkOptions } from "./wire.js";

const step = (name: string, run: (input: unknown) => unknown) => Axon.start(name).thenFn(name, run);
const big = "x".repeat(1_000_000);

export const answering = (options: Pick<HttpOptions<readonly []>, "reporter"> = {}) =>
  Framework.http({ processGuards: false, bodyTimeoutMs: 250, ...options })
    .requestIdLayer()
    .bodyLimit(100)
    .get(
      "/",
      step("hello", () => "hello"),
    )
    .get(
      "/later",
      step("later", async () => ({ later: true })),
    )
    .get(
      "/nothing",
      Axon.start("nothing").thenFn("nothing", { responses: [{ status: 204 }] }, () => undefined),
    )
    .get(
      "/big",
      step("big", () => big),
    )
    .get(
      "/boom",
      step("boom", () => {
        throw new Error("boom");
      }),
    )
    .get(
      "/boom-later",
      step("boom-later", async () => {
        throw new Error("boom");
      }),
    )
    .get(
      "/unwritable",
      step("unwritable", () => 1n),
    )
    .get(
      "/id",
      Axon.start("id").thenFn("id", (_, bus) => bus.get(RequestId), { reads: [RequestId] }),
    )
    .post("/json", Axon.start("json", Type.Object({ n: Type.Integer() })))
    .post("/bytes", Axon.start<Uint8Array>("bytes"), { input: bytes() });

const line = (text: string): string => `${text} HTTP/1.1\r\nHost: a\r\n`;
const json = (body: string, ...more: readonly string[]): string =>
  post("/json", body, `Content-Length: ${body.length}`, "Content-Type: application/json", ...more);

export interface Kind {
  readonly status: number;
  readonly request: string;
  readonly options?: TalkOptions;
}

/** Each kind of answer. */
export const KINDS: Readonly<Record<string, Kind>> = {
  "a value": { status: 200, request: get("/") },
  "a value that comes later": { status: 200, request: get("/later") },
  nothing: { status: 204, request: get("/nothing") },
  "an answer handed over in pieces": { status: 200, request: get("/big") },
  HEAD: { status: 200, request: `${line("HEAD /")}\r\n`, options: { heads: [0] } },
  "HEAD of what is not there": {
    status: 404,
    request: `${line("HEAD /nowhere")}\r\n`,
    options: { heads: [0] },
  },
  OPTIONS: { status: 204, request: `${line("OPTIONS /")}\r\n` },
  "what is not there": { status: 404, request: get("/nowhere") },
  "another method": { status: 405, request: `${line("DELETE /")}\r\n` },
  "a malformed target": { status: 400, request: get("/%zz") },
  "a malformed query": { status: 400, request: get("/?a=%") },
  "a long target": { status: 414, request: get(`/${"a".repeat(9000)}`) },
  "an unknown method": { status: 501, request: `${line("BREW /")}\r\n` },
  "an unknown expectation": { status: 417, request: get("/", "Expect: tea") },
  "a malformed Host": { status: 400, request: "GET / HTTP/1.1\r\nHost: a b\r\n\r\n" },
  "an ambiguous length": {
    status: 400,
    request: post("/json", "{}", "Content-Length: 2", "Content-Length: 3"),
  },
  "another coding": { status: 501, request: post("/json", "", "Transfer-Encoding: gzip") },
  "JSON that is none": { status: 400, request: json("{") },
  "no body": { status: 400, request: json("") },
  "JSON against the schema": { status: 422, request: json('{"n":"x"}') },
  "another content type": {
    status: 415,
    request: post("/json", "x", "Content-Length: 1", "Content-Type: text/x"),
  },
  "a compressed body": { status: 415, request: json("{}", "Content-Encoding: gzip") },
  "a body that says it is too large": { status: 413, request: post("/bytes", "", "Content-Length: 101") },
  "a body that turns out too large": {
    status: 413,
    request: post("/bytes", `80\r\n${"x".repeat(128)}\r\n0\r\n\r\n`, "Transfer-Encoding: chunked"),
  },
  "a body that is late": {
    status: 408,
    request: post("/bytes", "x", "Content-Length: 2"),
    options: { waitMs: 30_000 },
  },
  "a step that throws": { status: 500, request: get("/boom") },
  "a step that rejects": { status: 500, request: get("/boom-later") },
  "an output that cannot be written": { status: 500, request: get("/unwritable") },
};
