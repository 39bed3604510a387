// One line for each answer, whoever makes it; and what is not to be in the log is not.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";

import { AccessLogEntry, Axon, fault, guard, pass, type RunningServer } from "framework";
import { header } from "framework/core";
import { AccessLogGuard, CorsConfig, CorsGuard } from "framework/std";
import { answering, KINDS, type Kind } from "../support/answer-kinds.js";
import { stdoutLog } from "../support/stdout-log.js";
import { dial, get, post, talk } from "../support/wire.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const HUGE = 16 * 1024 * 1024;
const huge = "x".repeat(HUGE);

const hello = Axon.start("hello").thenFn("hello", () => "hello");
/** Ends when nobody waits for it any more: a server waits for its runs when it stops. */
const never = Axon.start("never").thenFn(
  "never",
  (_, bus) => new Promise<void>((resolve) => bus.signal.addEventListener("abort", () => resolve())),
);
const noting = Axon.start("noting").thenFn(
  "note",
  async (_, bus) => {
    bus.get(AccessLogEntry).add({ order_id: "a-1", status: "forged" });
    return "noted";
  },
  { reads: [AccessLogEntry] },
);
const refusing = guard({
  name: "refusing",
  mayRead: [header("x-refuse")],
  run: (input, bus) => (bus.find(header("x-refuse")) === undefined ? pass(input) : fault("no")),
});

const access = new AccessLogGuard({
  headers: ["authorization", "cookie", "x-plain"],
  query: ["page"],
}).redactPaths(["/users/*"]);

const ingress = answering()
  .guard(access)
  .guard(new CorsGuard(CorsConfig.default()))
  .guard(refusing)
  .get("/users/:token", hello)
  .get("/noted", noting)
  .get("/never", never)
  .get(
    "/huge",
    Axon.start("huge").thenFn("huge", () => huge),
  )
  .get("/timed", never, { timeoutMs: 50 })
  .healthEndpoint("/health");
const { answered, text } = stdoutLog();

let server: RunningServer;
before(async () => {
  server = await ingress.bind("127.0.0.1:0").run();
});
after(() => server.close());

/** What was written since `before` lines; waits for as many as `count`, since an answer may arrive before its line is written. */
async function linesAfter(before: number, count: number): Promise<readonly Record<string, any>[]> {
  const late = Date.now() + 30_000;
  while (answered().length < before + count && Date.now() < late)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return answered().slice(before);
}

/** The line of the only answer to what was sent, and the answer. */
async function exchange(request: string, options: Parameters<typeof talk>[2] = {}) {
  const before = answered().length;
  const { replies } = await talk(server.address, request, { waitMs: 10_000, until: 1, ...options });
  const lines = await linesAfter(before, 1);
  assert.equal(lines.length, 1, JSON.stringify(lines));
  assert.ok(replies[0]);
  return { reply: replies[0], line: lines[0] as Record<string, any> };
}

const withHeaders = (request: string, ...headers: readonly string[]): string =>
  request.replace("\r\n", `\r\n${headers.map((line) => `${line}\r\n`).join("")}`);

describe("the access log", () => {
  const kinds: Readonly<Record<string, Kind>> = {
    ...KINDS,
    "a refusal of a guard": { status: 500, request: get("/", "X-Refuse: yes") },
    "a time-out": { status: 504, request: get("/timed") },
    "a preflight": {
      status: 204,
      request: withHeaders(
        "OPTIONS /json HTTP/1.1\r\nHost: a\r\n\r\n",
        "Origin: https://b",
        "Access-Control-Request-Method: POST",
      ),
    },
  };
  for (const [name, { status, request, options }] of Object.entries(kinds)) {
    test(`has one line for ${name}, with what the answer says of itself`, async () => {
      const started = performance.now();
      const { reply, line } = await exchange(
        withHeaders(request, "User-Agent: tests", `traceparent: 00-${TRACE}-b7ad6b7169203331-01`),
        options,
      );
      const took = performance.now() - started;

      const [method, target = ""] = request.split(" ");
      assert.deepEqual([line["status"], reply.status], [status, status]);
      assert.deepEqual(
        [line["method"], line["path"]],
        [
          method,
          target.length < 1024
            ? target.split("?")[0]
            : `${target.slice(0, 1024)}... ${target.length - 1024} more`,
        ],
      );
      assert.equal(line["request_id"], reply.headers["x-request-id"]);
      assert.equal(line["bytes"], Buffer.byteLength(reply.body));
      assert.equal(line["client"], "127.0.0.1");
      assert.equal(line["user_agent"], "tests");
      assert.equal(line["trace_id"], TRACE);
      assert.ok(
        line["duration_ms"] >= 0 && line["duration_ms"] <= took,
        `${line["duration_ms"]} of ${took} ms`,
      );
      assert.deepEqual([line["msg"], line["aborted"]], ["answered", undefined]);
    });
  }

  test("has one line for each of several on a connection, in their order", async () => {
    const before = answered().length;
    await talk(server.address, get("/") + get("/nowhere") + get("/later") + get("/id"), {
      until: 4,
      waitMs: 10_000,
    });
    const lines = await linesAfter(before, 4);

    assert.deepEqual(
      lines.map(({ path, route, status }) => [path, route, status]),
      [
        ["/", "/", 200],
        ["/nowhere", undefined, 404],
        ["/later", "/later", 200],
        ["/id", "/id", 200],
      ],
    );
  });

  test("has a long answer when it is taken, whole", async () => {
    const before = answered().length;
    const socket = dial(server.address);
    socket.write(get("/huge"));
    let received = 0;
    for await (const piece of socket) {
      received += (piece as Buffer).length;
      if (received >= HUGE) break;
    }
    const [line] = await linesAfter(before, 1);

    assert.deepEqual([line?.["status"], line?.["bytes"], line?.["aborted"]], [200, HUGE, undefined]);
  });

  test("says of a client that goes away during its answer how much of it was handed over", async () => {
    const before = answered().length;
    const socket = dial(server.address);
    socket.write(get("/huge"));
    await once(socket, "data");
    socket.destroy();
    const lines = await linesAfter(before, 1);

    assert.equal(lines.length, 1);
    const [{ status, bytes, aborted, msg } = {}] = lines;
    assert.deepEqual([status, aborted, msg], [200, true, "aborted"]);
    assert.ok(bytes > 0 && bytes < HUGE, `${bytes} bytes`);
  });

  test("says of a client that goes away before its answer that there was none", async () => {
    const before = answered().length;
    const socket = dial(server.address);
    socket.write(get("/never", "X-Request-Id: gone"));
    // The request has reached its route once another one is answered.
    await once(socket, "connect");
    await talk(server.address, get("/health"), { until: 1, waitMs: 10_000 });
    socket.destroy();
    const lines = await linesAfter(before, 1);

    assert.deepEqual(
      lines.map(({ path, route, status, bytes, aborted, request_id }) => [
        path,
        route,
        status,
        bytes,
        aborted,
        request_id,
      ]),
      [["/never", "/never", 0, 0, true, "gone"]],
    );
  });

  test("says of a client that goes away with its body half sent that there was no answer", async () => {
    const before = answered().length;
    const socket = dial(server.address);
    socket.write(post("/json", '{"n"', "Content-Length: 7", "Content-Type: application/json"));
    await once(socket, "connect");
    await talk(server.address, get("/health"), { until: 1, waitMs: 10_000 });
    socket.destroy();

    assert.deepEqual(
      (await linesAfter(before, 1)).map(({ path, status, aborted }) => [path, status, aborted]),
      [["/json", 0, true]],
    );
  });

  test("says how long an answer took, from the first look at its request", async () => {
    const late = await exchange(post("/bytes", "x", "Content-Length: 2"));
    const timed = await exchange(get("/timed"));

    assert.ok(late.line["duration_ms"] >= 200, `${late.line["duration_ms"]} of 250 ms`);
    assert.ok(timed.line["duration_ms"] >= 40, `${timed.line["duration_ms"]} of 50 ms`);
  });

  test("has what steps add, renamed where the line has it already", async () => {
    const { line } = await exchange(get("/noted"));

    assert.deepEqual([line["order_id"], line["status"], line["status_"]], ["a-1", 200, "forged"]);
  });

  test("has nothing of probes, which nobody asks about", async () => {
    const before = answered().length;
    await talk(server.address, get("/health"), { until: 1, waitMs: 10_000 });
    await talk(server.address, get("/"), { until: 1, waitMs: 10_000 });

    assert.deepEqual(
      (await linesAfter(before, 1)).map(({ path }) => path),
      ["/"],
    );
  });

  test("shows no secret, wherever it is sent", async () => {
    const secret = "hunter22";
    const requests = [
      get(`/users/${secret}`),
      get(`/%75sers/${secret}`),
      get(`/users/${secret}?page=2`),
      get(`/users/${secret}/more`),
      get(`//users/${secret}`),
      get(`/USERS/${secret}`),
      get(`/users/%zz${secret}`),
      get(`/?token=${secret}&page=2`),
      get(`/?page%5B=${secret}`),
      get("/", `Authorization: Bearer ${secret}`, `Cookie: sid=${secret}`, `X-Api-Key: ${secret}`),
      get("/", `Referer: https://a/?token=${secret}`, `Proxy-Authorization: Basic ${secret}`),
    ];
    for (const request of requests) await exchange(request);

    assert.doesNotMatch(text(), new RegExp(secret));
    assert.match(text(), /"path":"\/users\/\[redacted\]"/);
    assert.match(text(), /"headers":\{"authorization":"\[redacted\]","cookie":"\[redacted\]"\}/);
  });

  test("cannot be made to hold a line that nobody wrote", async () => {
    const forged = '","status":999,"x":"%0d%0a{"level":30,"msg":"forged"}%1b[2J';
    const before = answered().length;
    for (const byte of ["\x1b", "\x00", "\x7f", "\x85", "\xe2\x80\xa8", "\x0b", '"', "\\"]) {
      await talk(server.address, get(`/${byte}${forged}`), { waitMs: 1000, until: 1 });
      await talk(server.address, get("/", `User-Agent: a${byte}${forged}`, `X-Plain: ${byte}${forged}`), {
        waitMs: 1000,
        until: 1,
      });
    }
    const lines = await linesAfter(before, 4);

    assert.ok(lines.length >= 4, "some of them pass the engine");
    assert.ok(lines.every(({ status, msg }) => status < 500 && msg === "answered"));
    assert.doesNotMatch(text().replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
    assert.equal(
      text()
        .split("\n")
        .filter((line) => line.startsWith('{"level":30,"msg":"forged"')).length,
      0,
    );
  });
});
