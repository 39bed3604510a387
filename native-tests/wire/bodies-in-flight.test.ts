// The bodies of all requests together have a limit in memory.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import {
  Axon,
  bytes,
  Framework,
  form,
  guard,
  json,
  layer,
  multipart,
  pass,
  type RunningServer,
  stream,
  Type,
  text,
} from "framework";

import { until } from "../support/patience.js";
import { caughtUp, dial, get, post, talk } from "../support/wire.js";

const MAX = 40_000;
/** Longer than what is free while `held` is in flight, and shorter than the limit. */
const LARGE = 30_000;

const Note = Type.Object({ note: Type.String() });
const later = guard({
  name: "later",
  async run(input) {
    await wait(20);
    return pass(input);
  },
});
const around = layer({ name: "around", run: (_, next) => next() });
const done = (name: string) => Axon.start<any>(name).thenFn("done", () => "done");
const waits = new Set<() => void>();
const pending = Axon.start<any>("pending").thenFn(
  "wait",
  () => new Promise<string>((resolve) => waits.add(() => resolve("done"))),
);
/** Reads the first piece of a stream, then waits. */
const slowly = Axon.start<any>("slowly").thenFn("read", async (body: AsyncIterable<Uint8Array>) => {
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    await wait(1);
  }
  return length;
});

const sized = (path: string, body: string, type: string): string =>
  post(path, body, `Content-Type: ${type}`, `Content-Length: ${body.length}`);
const chunked = (path: string, body: string): string =>
  post(path, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, "Transfer-Encoding: chunked");
const formWith = (name: string, body: string): string =>
  `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${body}\r\n--b--\r\n`;
const MULTIPART = "multipart/form-data; boundary=b";
const FILE = 'name="f"; filename="a"';
const xs = "x".repeat(LARGE);

describe("bodies in flight", () => {
  let server: RunningServer;
  let address: string;
  const reports: string[] = [];
  before(async () => {
    server = await Framework.http({
      ...{ processGuards: false, maxBodyBytesInFlight: MAX, routeTimeoutMs: 1000 },
      reporter: ({ code, message }) => void reports.push(`${code} ${message}`),
    })
      .gracefulShutdown(3000)
      .bind("127.0.0.1:0")
      .post("/json", done("json"), { input: json(Note) })
      .post("/text", done("text"), { input: text() })
      .post("/bytes", done("bytes"), { input: bytes() })
      .post("/form", done("form"), { input: form(Note) })
      .post("/guarded", done("guarded"), { input: bytes(), guards: [later] })
      .post("/layered", done("layered"), { input: bytes(), layers: [around] })
      .post("/memory", done("memory"), { input: multipart() })
      .post("/disk", done("disk"), { input: multipart({ files: "disk", maxFieldSize: 100_000 }) })
      .post("/named", done("named"), {
        input: multipart({ files: { f: { store: "disk" }, small: { store: "memory" } } }),
      })
      .post("/stream", slowly, { input: stream() })
      .post("/pending", pending, { input: bytes() })
      .post("/unread", done("unread"))
      .get("/", done("hello"))
      .run();
    address = server.address;
  });
  after(() => server.close());

  /** A body that arrives as long as the socket is open. */
  async function holding(path = "/bytes", length = 20_000) {
    const socket = dial(address);
    socket.on("error", () => {});
    socket.write(post(path, "half", `Content-Length: ${length}`));
    await caughtUp(address, "/");
    return socket;
  }

  const ask = async (request: string) => {
    const { replies } = await talk(address, request, { until: 1 });
    const { status, headers, body } = replies[0] ?? { status: 0, headers: {}, body: "" };
    return { status, retryAfter: headers["retry-after"], detail: /no room for this one/.test(body) };
  };
  const full = { status: 503, retryAfter: "1", detail: true };
  const served = { status: 200, retryAfter: undefined, detail: false };
  const isFree = () => until("there is room", async () => (await ask(chunked("/bytes", xs))).status === 200);

  const kinds: readonly (readonly [string, string])[] = [
    ["JSON", sized("/json", `{"note":"${xs}"}`, "application/json")],
    ["text", sized("/text", xs, "text/plain")],
    ["bytes", sized("/bytes", xs, "text/plain")],
    ["chunked", chunked("/bytes", xs)],
    ["a form", sized("/form", `note=${xs}`, "application/x-www-form-urlencoded")],
    ["behind an asynchronous guard", sized("/guarded", xs, "text/plain")],
    ["chunked behind an asynchronous guard", chunked("/guarded", xs)],
    ["behind a layer", sized("/layered", xs, "text/plain")],
    ["multipart in memory", sized("/memory", formWith(FILE, xs), MULTIPART)],
    [
      "a file in memory beside files on disk",
      sized("/named", formWith('name="small"; filename="a"', xs), MULTIPART),
    ],
    ["a field of multipart with files on disk", sized("/disk", formWith('name="f"', xs), MULTIPART)],
  ];
  for (const [kind, request] of kinds)
    test(`${kind}: 503 with Retry-After where there is no room, 200 where there is`, async () => {
      const held = await holding();
      assert.deepEqual(await ask(request), full);
      held.destroy();
      await isFree();

      assert.deepEqual(await ask(request), served);
    });

  test("are refused by their length, before a byte of them has come", async () => {
    const held = await holding();
    const { replies } = await talk(address, post("/bytes", "", `Content-Length: ${LARGE}`), { until: 1 });
    held.destroy();

    assert.equal(replies[0]?.status, 503);
  });

  test("do not count where they are small, absent, unread, streamed or written to disk", async () => {
    const held = await holding();

    assert.deepEqual(await ask(sized("/bytes", "small", "text/plain")), served);
    assert.deepEqual(await ask(get("/")), served);
    assert.deepEqual(await ask(sized("/unread", xs, "text/plain")), served);
    assert.deepEqual(await ask(sized("/stream", xs, "text/plain")), served);
    assert.deepEqual(await ask(sized("/disk", formWith(FILE, xs), MULTIPART)), served);
    assert.deepEqual(await ask(sized("/named", formWith(FILE, xs), MULTIPART)), served);
    held.destroy();
    await isFree();
  });

  test("count until their run is over, also if the client is gone or has its 504", async () => {
    for (const leaves of [true, false]) {
      const socket = dial(address);
      socket.on("error", () => {});
      const answered = new Promise((resolve) => socket.once("data", resolve));
      socket.write(sized("/pending", xs, "text/plain"));
      await until("its run waits", () => waits.size === 1);
      if (!leaves) assert.match(String(await answered), / 504 /);
      socket.destroy();
      await caughtUp(address, "/");
      assert.deepEqual(await ask(sized("/bytes", xs, "text/plain")), full);
      for (const goOn of waits) goOn();
      waits.clear();
      await isFree();
    }
  });

  test("count no longer than twice the time of the route, where their run never settles", async () => {
    const { replies } = await talk(address, sized("/pending", xs, "text/plain"), { until: 1 });
    assert.equal(replies[0]?.status, 504);
    assert.deepEqual(await ask(sized("/bytes", xs, "text/plain")), full);
    await isFree();

    for (const goOn of waits) goOn();
    waits.clear();
    assert.equal((await ask(sized("/bytes", xs, "text/plain"))).status, 200);
  });

  test("leave room for others once they are refused", async () => {
    for (let n = 0; n < 10; n += 1) {
      const { status } = await ask(sized("/json", `{"nope":"${xs}"}`, "application/json"));
      assert.equal(status, 422);
    }
    for (let n = 0; n < 10; n += 1) (await holding("/bytes", 39_000)).destroy();

    await isFree();
  });

  test("are 413 where one alone is above the limit", async () => {
    assert.equal((await ask(post("/bytes", "", `Content-Length: ${MAX + 1}`))).status, 413);
    assert.equal((await ask(sized("/stream", "x".repeat(MAX + 1), "text/plain"))).status, 200);
    const reduced = reports.flatMap(
      (line) => /^BODY_LIMIT_REDUCED POST (\S+) .* is 40000: larger/.exec(line)?.[1] ?? [],
    );
    assert.deepEqual(reduced.sort(), [
      ...["/bytes", "/form", "/guarded", "/json", "/layered", "/memory", "/pending", "/text"],
    ]);
  });
});
