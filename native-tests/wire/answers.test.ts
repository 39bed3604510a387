// Each row of the table of answers, on a raw socket: status, headers, body, and what
// becomes of the connection.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { until } from "../support/patience.js";
import { type ServerProcess, startIngress } from "../support/server-process.js";
import { get, post, type TalkOptions, talk } from "../support/wire.js";

const json = (body: string): string =>
  post("/order", body, `Content-Length: ${body.length}`, "Content-Type: application/json");

/** Until the answer itself and the one behind it are there. */
const ANSWERED: TalkOptions = { until: 2, lingerMs: 20 };
/** Where one request is sent. */
const ONE: TalkOptions = { until: 1 };

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the connection ends with it. */
  readonly ends?: true;
  /** Pointers of its errors. */
  readonly errors?: readonly string[];
}

const VALUES: Readonly<Record<string, readonly [string, Answer]>> = {
  "a text": [
    get("/text"),
    { status: 200, body: "hello", headers: { "content-type": "text/plain; charset=utf-8" } },
  ],
  data: [get("/json"), { status: 200, body: '{"a":1}', headers: { "content-type": "application/json" } }],
  bytes: [
    get("/bytes"),
    { status: 200, body: "\x01\x02", headers: { "content-type": "application/octet-stream" } },
  ],
  "a page": [
    get("/page"),
    { status: 200, body: "<p>\xc3\xa9</p>", headers: { "content-type": "text/html; charset=utf-8" } },
  ],
  nothing: [
    get("/nothing"),
    { status: 204, body: "", headers: { "content-type": undefined, "content-length": undefined } },
  ],
  "a reply": [
    get("/created"),
    { status: 201, body: '{"id":7}', headers: { location: "/orders/7", "content-type": "application/json" } },
  ],
  "a reply without a body": [
    get("/see-other"),
    { status: 303, body: "", headers: { location: "/text", "content-length": "0" } },
  ],
  "a reply that says nothing has changed": [
    get("/not-modified"),
    { status: 304, body: "", headers: { etag: '"1"', "content-length": undefined } },
  ],
  "OPTIONS of a path": [
    "OPTIONS /text HTTP/1.1\r\nHost: a\r\n\r\n",
    { status: 204, body: "", headers: { allow: "GET, HEAD, OPTIONS" } },
  ],
};

const REFUSALS: Readonly<Record<string, readonly [string, Refusal, TalkOptions?]>> = {
  "JSON that is none": [json("{"), { status: 400, code: "JSON_INVALID" }],
  "no body where one is needed": [json(""), { status: 400, code: "BODY_MISSING" }],
  "a parameter that is none": [
    get("/page-number?n=x"),
    { status: 400, code: "PARAMETER_INVALID", errors: ["/n"] },
  ],
  "a header that is needed": [get("/required"), { status: 400, code: "HEADER_MISSING" }],
  "a body against its schema": [
    json('{"id":"secret","qty":"many"}'),
    { status: 422, code: "INPUT_INVALID", errors: ["/id", "/qty"] },
  ],
  "a parameter against its schema": [
    get("/page-number?n=0"),
    { status: 422, code: "INPUT_INVALID", errors: ["/n"] },
  ],
  "a request that is not allowed": [get("/closed"), { status: 403, code: "FORBIDDEN" }],
  "an unknown path": [get("/nowhere"), { status: 404, code: "NOT_FOUND" }],
  "an unknown method of a path": [
    "DELETE /text HTTP/1.1\r\nHost: a\r\n\r\n",
    { status: 405, code: "METHOD_NOT_ALLOWED", headers: { allow: "GET, HEAD, OPTIONS" } },
  ],
  "a body that does not come": [
    post("/bytes", "x", "Content-Length: 50"),
    { status: 408, code: "BODY_TIMEOUT", ends: true },
    { waitMs: 30_000 },
  ],
  "a body that is too large": [
    post("/bytes", "", "Content-Length: 101"),
    { status: 413, code: "BODY_TOO_LARGE", ends: true },
  ],
  "a target that is too long": [
    get(`/${"a".repeat(9000)}`),
    { status: 414, code: "TARGET_TOO_LONG", ends: true },
  ],
  "a content type that is not accepted": [
    post("/order", "a", "Content-Length: 1", "Content-Type: text/csv"),
    { status: 415, code: "MEDIA_TYPE_UNSUPPORTED", headers: { "accept-post": "application/json" } },
  ],
  "an unknown expectation": [
    get("/text", "Expect: tea"),
    { status: 417, code: "EXPECTATION_UNKNOWN", ends: true },
  ],
  "a method that is not in the list": [
    "BREW / HTTP/1.1\r\nHost: a\r\n\r\n",
    { status: 501, code: "METHOD_UNKNOWN", ends: true },
  ],
  "a fault that says its status": [get("/conflict"), { status: 409, code: "TAKEN" }],
  "a fault that its route maps": [
    get("/mapped"),
    { status: 503, code: "BUSY", headers: { "retry-after": "5" } },
  ],
  "a step that takes too long": [get("/too-slow"), { status: 504, code: "STEP_TIMEOUT" }, { pauseMs: 500 }],
  "a fault that says no status": [get("/unmapped"), { status: 500, code: "INTERNAL_ERROR" }],
  "a step that throws": [get("/throws"), { status: 500, code: "INTERNAL_ERROR" }],
  "an output that has no form": [get("/unwritable"), { status: 500, code: "INTERNAL_ERROR" }],
  "a stream that fails before its first piece": [get("/stream"), { status: 500, code: "INTERNAL_ERROR" }],
};

// In production, and told of by its log.
let server: ServerProcess;
before(async () => {
  server = await startIngress("answers-ingress.ts");
});
after(() => server.end());

describe("answers on the wire", () => {
  for (const [name, [request, { status, body, headers = {} }]] of Object.entries(VALUES)) {
    test(`${name}: ${status}, and the connection stays`, async () => {
      const { replies, end } = await talk(server.address, [request, get("/text")], ANSWERED);
      const [reply, next] = replies;

      assert.deepEqual([reply?.status, reply?.body], [status, body]);
      for (const [header, value] of Object.entries(headers))
        assert.equal(reply?.headers[header], value, header);
      assert.match(reply?.headers["x-request-id"] ?? "", /^[0-9a-f-]{36}$/);
      assert.deepEqual([next?.body, end], ["hello", "open"]);
    });
  }

  for (const [name, [request, expected, options]] of Object.entries(REFUSALS)) {
    const { status, code, headers = {}, ends = false, errors } = expected;
    test(`${name}: ${status} as a problem, and the connection ${ends ? "ends" : "stays"}`, async () => {
      const { replies, end, raw } = await talk(server.address, ends ? [request] : [request, get("/text")], {
        ...(ends ? { waitMs: 30_000 } : ANSWERED),
        ...options,
      });
      const [reply] = replies;
      const {
        request_id,
        errors: told,
        ...problem
      } = JSON.parse(reply?.body ?? "null") as Record<string, unknown>;

      assert.deepEqual([reply?.status, problem["status"], problem["code"]], [status, status, code], raw);
      assert.deepEqual(
        [reply?.headers["content-type"], problem["type"], typeof problem["title"]],
        ["application/problem+json", "about:blank", "string"],
      );
      assert.equal(problem["instance"], /^\S+ ([^?\s]+)/.exec(request)?.[1]);
      assert.equal(request_id, reply?.headers["x-request-id"]);
      assert.deepEqual(
        (told as { pointer: string }[] | undefined)?.map(({ pointer }) => pointer),
        errors,
      );
      for (const [header, value] of Object.entries(headers))
        assert.equal(reply?.headers[header], value, header);
      assert.doesNotMatch(raw, /secret/, "neither a value of the client nor what went wrong inside");
      assert.deepEqual(
        [replies.length, reply?.headers["connection"], end],
        ends ? [1, "close", "closed"] : [2, undefined, "open"],
        raw,
      );
    });
  }

  test("of a reply have each cookie and each value of a list in a line of its own", async () => {
    const { raw } = await talk(server.address, get("/created"), ONE);
    const lines = raw.split("\r\n\r\n")[0]?.split("\r\n") ?? [];

    assert.deepEqual(
      lines
        .filter((line) => /^(vary|set-cookie)/.test(line))
        .map((line) => line.replace(/=a\.\S+/, "=SEALED;")),
      [
        "vary: accept",
        "vary: origin",
        "set-cookie: a=1; Path=/; HttpOnly; Secure; SameSite=Lax",
        "set-cookie: b=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
        "set-cookie: sid=SEALED; Path=/; HttpOnly; Secure; SameSite=Lax",
      ],
    );
  });

  test("to HEAD have the headers of GET, and no body", async () => {
    for (const path of ["/created", "/see-other", "/page", "/conflict", "/not-modified"]) {
      const [head, got] = await Promise.all([
        talk(server.address, `HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n${get("/text")}`, {
          ...ANSWERED,
          heads: [0],
        }),
        talk(server.address, get(path) + get("/text"), ANSWERED),
      ]);
      const names = ({ replies }: typeof head) => Object.keys(replies[0]?.headers ?? {}).sort();

      assert.equal(head.replies[0]?.status, got.replies[0]?.status);
      assert.deepEqual(names(head), names(got), path);
      assert.equal(head.replies[0]?.headers["content-length"], got.replies[0]?.headers["content-length"]);
      assert.deepEqual([head.replies[1]?.body, head.end], ["hello", "open"], head.raw);
    }
  });

  test("show a sealed cookie to the server that sealed it, and nobody who was changed", async () => {
    const { raw } = await talk(server.address, get("/created"), ONE);
    const sealed = /set-cookie: (sid=[^;]+)/.exec(raw)?.[1] ?? "";
    const whoami = async (cookie: string) =>
      (await talk(server.address, get("/whoami", `Cookie: ${cookie}`), ONE)).replies[0]?.body;

    assert.equal(await whoami(`x=1; ${sealed}`), "ada");
    assert.equal(await whoami(sealed.replace("a.", "b.")), "nobody");
    assert.equal(await whoami(`${sealed.slice(0, -1)}${sealed.endsWith("A") ? "B" : "A"}`), "nobody");
    assert.equal(await whoami("sid=\xff"), "nobody");
  });

  test("tell the cookies that came, whatever they are called, and set one", async () => {
    const cookie = "Cookie: a=1; b=%C3%A9; __proto__=x; constructor=y; a=2; bad=%zz; =; ;;";
    const { replies, raw } = await talk(server.address, get("/cookie", cookie), ONE);

    const told = JSON.parse(replies[0]?.body ?? "") as Record<string, string>;
    assert.deepEqual(Object.entries(told).slice(0, 5), [
      ["a", "1"],
      ["b", "\xc3\xa9"],
      ["__proto__", "x"],
      ["constructor", "y"],
      ["bad", "%zz"],
    ]);
    assert.match(raw, /\r\nset-cookie: seen=yes; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Lax\r\n/);
  });
});

/** The report of a request, which may come after its answer. */
async function reported(id: string): Promise<string> {
  const line = () =>
    server
      .log()
      .split("\n")
      .find((text) => text.includes(id));
  await until(`${id} is reported`, () => line() !== undefined);
  return line() as string;
}

describe("a text of the client in a header of the answer", () => {
  const NAUGHTY: Readonly<Record<string, string>> = {
    CRLF: "a\r\nset-cookie: evil=1",
    "two lines and a body": "a\r\n\r\n<script>",
    CR: "a\rset-cookie: evil=1",
    LF: "a\nset-cookie: evil=1",
    NUL: "a\0b",
    DEL: "a\x7fb",
    "8-bit": "\xe9",
    // Written as bytes, the one below would be CR and LF.
    "what is CR and LF in its low bytes": "\u010d\u010aset-cookie: evil=1",
    "a line separator": "\u2028",
    emoji: "\u{1f36a}",
  };

  test("stands there as it came, where it can", async () => {
    for (const value of ["", "plain", 'a b\tc "d"; e=f, \\', "x".repeat(7000)]) {
      const { replies } = await talk(server.address, get(`/reflect?name=${encodeURIComponent(value)}`), ONE);

      assert.deepEqual([replies[0]?.status, replies[0]?.headers["x-reflect"]], [200, value]);
    }
  });

  for (const [name, value] of Object.entries(NAUGHTY)) {
    test(`${name}: is refused, and nothing is split`, async () => {
      const { replies, raw, end } = await talk(
        server.address,
        get(`/reflect?name=${encodeURIComponent(value)}`) + get("/text"),
        ANSWERED,
      );

      // A NUL is refused with the target.
      const code = value.includes("\0") ? "TARGET_INVALID" : "NAME_UNFIT";
      assert.deepEqual(
        replies.map(({ status, body }) => [status, body.includes(code)]),
        [
          [400, true],
          [200, false],
        ],
      );
      assert.doesNotMatch(raw, /evil|script|x-reflect/);
      assert.equal(end, "open");
    });

    test(`${name}: where nobody looks, is a 500 that is reported, and nothing is split`, async () => {
      for (const place of ["name", "value", "list", "cookie-name", "cookie-path"]) {
        const request = get(`/anywhere/${place}`, `x-hex: ${Buffer.from(value).toString("hex")}`);
        const { replies, raw } = await talk(server.address, request + get("/text"), ANSWERED);

        assert.deepEqual(
          replies.map(({ status }) => status),
          [500, 200],
          place,
        );
        assert.doesNotMatch(raw, /evil|script/);
        const { request_id } = JSON.parse(replies[0]?.body ?? "{}") as { request_id: string };
        assert.match(await reported(request_id), /Header name|of header 'x-a'|Cookie/);
      }
    });

    test(`${name}: in the value of a cookie is encoded`, async () => {
      const request = get("/anywhere/cookie", `x-hex: ${Buffer.from(value).toString("hex")}`);
      const { replies } = await talk(server.address, request, ONE);

      assert.deepEqual(
        [replies[0]?.status, replies[0]?.headers["set-cookie"]],
        [204, `a=${encodeURIComponent(value)}; Path=/; HttpOnly; Secure; SameSite=Lax`],
      );
    });
  }

  test("that is longer than heads may be is a 500, and not written", async () => {
    const hex = Buffer.from("x".repeat(6000)).toString("hex");
    const { replies } = await talk(server.address, get("/anywhere/cookie", `x-hex: ${hex}`), ONE);

    assert.equal(replies[0]?.status, 500);
  });
});
