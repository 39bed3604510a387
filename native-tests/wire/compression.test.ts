// Compressed answers, byte by byte.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

import { Axon, bytes, Framework, param, type RunningServer } from "framework";
import { AccessLogGuard } from "framework/std";
import { stdoutLog } from "../support/stdout-log.js";
import { type Conversation, dial, get, inTurn, post, talk } from "../support/wire.js";

/** Text that does not repeat: half of its length is left of it. */
function textOf(length: number): string {
  let seed = 1;
  let text = "";
  while (text.length < length) {
    seed = (seed * 48_271) % 2_147_483_647;
    text += seed.toString(36);
  }
  return text.slice(0, length);
}

const SIZES = [0, 1, 1023, 1024, 16_384, 16_385, 100_000, 3_000_000];
const TEXTS = new Map(SIZES.map((size) => [String(size), textOf(size)]));

const decodings: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  none: (body) => body,
};

type Reply = Conversation["replies"][number];

/** What a client reads of a reply. */
function read({ headers, body }: Reply): string {
  const coding = headers["content-encoding"] ?? "none";
  return (decodings[coding] as (body: Buffer) => Buffer)(Buffer.from(body, "latin1")).toString();
}

const accepting = (value: string): string => `Accept-Encoding: ${value}`;

describe("a server that compresses", () => {
  let server: RunningServer;
  let address: string;
  const log = stdoutLog();
  before(async () => {
    const text = Axon.start("text").thenFn("text", (_, bus) => TEXTS.get(bus.get(param("size"))), {
      reads: [param("size")],
    });
    const later = Axon.start("later").thenFn("later", async (_, bus) => TEXTS.get(bus.get(param("size"))), {
      reads: [param("size")],
    });
    const echo = Axon.start<Uint8Array>("echo").thenFn("echo", (body) => Buffer.from(body).toString());
    const ingress = Framework.http({ processGuards: false })
      .bind("127.0.0.1:0")
      .compressionLayer({ maxConcurrent: 4 })
      .get("/text/:size", text)
      .get("/later/:size", later)
      .get("/logged/:size", text, { guards: [new AccessLogGuard()] })
      .post("/echo", echo, { input: bytes() });
    server = await ingress.run();
    address = server.address;
  });
  after(() => server.close());

  for (const coding of ["br", "gzip"])
    test(`sends what ${coding} makes of each body, with its length, and serves the connection on`, async () => {
      for (const target of SIZES.flatMap((size) => [`/text/${size}`, `/later/${size}`])) {
        const [reply, next] = await inTurn(address, [get(target, accepting(coding)), get("/text/1")]);

        const size = Number(target.slice(target.lastIndexOf("/") + 1));
        assert.equal(read(reply as Reply), TEXTS.get(String(size)), target);
        assert.equal(reply?.headers["content-encoding"], size < 1024 ? undefined : coding, target);
        assert.equal(reply?.headers["vary"], "accept-encoding");
        assert.equal(next?.body, TEXTS.get("1"));
      }
    });

  test("answers requests of one segment in their order, as long as no thread compresses", async () => {
    const sizes = ["16384", "1024", "1", "1023", "16384"];
    const asked = sizes
      .map((size, n) => get(`/text/${size}`, accepting(n % 2 === 0 ? "gzip" : "br")))
      .join("");
    const { replies } = await talk(address, asked, { until: sizes.length });

    assert.deepEqual(
      replies.map((reply) => read(reply).length),
      sizes.map(Number),
    );
  });

  test("answers HEAD with the headers of GET, and no byte behind them", async () => {
    for (const size of ["1024", "100000"]) {
      const asked = get(`/text/${size}`, accepting("br"));
      const [head, whole] = await inTurn(address, [asked.replace("GET", "HEAD"), asked], [0]);

      // A second may begin in between.
      assert.deepEqual({ ...head?.headers, date: "" }, { ...whole?.headers, date: "" });
      assert.equal(read(whole as Reply), TEXTS.get(size));
    }
  });

  test("joins an Accept-Encoding of several lines", async () => {
    const lines = [accepting("br;q=0"), accepting("identity;q=0.5"), accepting("gzip, br")];
    const { replies } = await talk(address, get("/text/1024", ...lines), { until: 1 });

    assert.equal(replies[0]?.headers["content-encoding"], "gzip");
  });

  test("answers every Accept-Encoding, whatever stands there", async () => {
    const values = [
      "",
      ",",
      ";",
      "q=1",
      "gzip;q=",
      "gzip;q=9e99",
      "gzip;q=-0",
      "gzip;;q=1",
      "*;q=0",
      "identity;q=0",
      "identity;q=0, *;q=0",
      "__proto__, constructor, toString",
      "gzip\t;\tq=1",
      '"gzip", "br"',
      "\u00ff\u00fe",
      "gzip,".repeat(2000),
      "x".repeat(10_000),
      `${"a;q=0.1,".repeat(1000)}br`,
      "br;q=0.000, gzip;q=0.001, *;q=1",
      "chunked, deflate, compress, zstd, dcb, dcz",
    ];
    for (const value of values) {
      const { replies } = await talk(address, get("/text/1024", accepting(value)), { until: 1 });

      assert.equal(replies[0]?.status, 200, value.slice(0, 40));
      assert.equal(read(replies[0] as Reply), TEXTS.get("1024"), value.slice(0, 40));
    }
  });

  test("answers whom it takes no more from, compressed and whole", async () => {
    const body = TEXTS.get("100000") as string;
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const request = post("/echo", chunks, "Transfer-Encoding: chunked", accepting("gzip"));
    const { replies } = await talk(address, request, { until: 1 });

    assert.equal(read(replies[0] as Reply), body);
    assert.equal(replies[0]?.headers["connection"], "close");
  });

  test("compresses no more at a time than it may, and answers everybody", async () => {
    const asked = get("/text/100000", accepting("br"));
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => (await talk(address, asked, { until: 1 })).replies[0]),
    );

    for (const answer of answers) assert.equal(read(answer as Reply), TEXTS.get("100000"));
    const coded = answers.filter((answer) => answer?.headers["content-encoding"] === "br");
    assert.ok(coded.length > 0);
  });

  test("goes on when clients leave while their answers are compressed", async () => {
    for (let n = 0; n < 100; n += 1) {
      const socket = dial(address);
      socket.on("error", () => {});
      socket.write(get("/text/3000000", accepting("gzip")), () => socket.destroy());
      await once(socket, "close");
    }
    const { replies } = await talk(address, get("/later/16385", accepting("gzip")), { until: 1 });

    assert.equal(read(replies[0] as Reply), TEXTS.get("16385"));
  });

  test("logs the bytes that it sent", async () => {
    const asked = ["br", "identity"].map((value) => get("/logged/100000", accepting(value)));
    const replies = await inTurn(address, asked);

    assert.deepEqual(
      log.answered().map(({ bytes }) => bytes),
      replies.map(({ headers }) => Number(headers["content-length"])),
    );
  });
});

test("A server that stops while a thread compresses sends the answer whole, and ends its connection", async () => {
  const body = TEXTS.get("3000000") as string;
  let stopping: Promise<void> | undefined;
  const server: RunningServer = await Framework.http({ processGuards: false })
    .bind("127.0.0.1:0")
    .compressionLayer()
    .get(
      "/",
      Axon.start("page").thenFn("page", () => {
        // Behind this handler, and before any thread can have answered.
        queueMicrotask(() => {
          stopping = server.close();
        });
        return body;
      }),
    )
    .run();
  const { replies, end } = await talk(server.address, get("/", accepting("gzip")), {
    until: 1,
    lingerMs: 50,
  });
  await stopping;

  assert.equal(replies[0]?.headers["content-encoding"], "gzip");
  assert.equal(read(replies[0] as Reply), body);
  assert.deepEqual([replies[0]?.headers["connection"], end], ["close", "closed"]);
});
