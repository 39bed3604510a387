// Autobahn's groups 12 and 13: messages that are compressed, by each offer a client can make.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";

import { served } from "../support/served.js";
import { type FrameCase, NO_TEXT, PROTOCOL_ERROR, testFrames, text } from "../support/websocket-cases.js";
import { WebSocketClient } from "../support/websocket-client.js";
import { agreedOf, MessageCodec } from "../support/websocket-deflate.js";
import { BINARY, CONTINUATION, frame, PING, RSV1, TEXT } from "../support/websocket-frames.js";
import { ingress } from "../support/websocket-ingress.js";

const server = served(ingress);
const address = () => server.address;

const PLAIN = "permessage-deflate";
const handshake = (offer: string) => ({ path: "/deflate", headers: { "Sec-WebSocket-Extensions": offer } });

async function connect(offer: string) {
  const client = await WebSocketClient.open(address(), handshake(offer));
  assert.equal(client.answer?.status, 101);
  const agreed = agreedOf(client.answer.headers["sec-websocket-extensions"], offer);
  return { client, agreed };
}

/** A text that says itself again and again, as JSON does. */
const likeJson = (size: number): Buffer =>
  Buffer.alloc(size, '{"id":1234567,"name":"A name that is like the others","tags":["one","two"]},');

describe("messages that are compressed come back (12, 13)", () => {
  const offers = [
    PLAIN,
    `${PLAIN}; client_no_context_takeover`,
    `${PLAIN}; server_no_context_takeover`,
    `${PLAIN}; client_max_window_bits`,
    `${PLAIN}; client_max_window_bits=9`,
    `${PLAIN}; client_max_window_bits=15`,
    `${PLAIN}; server_max_window_bits=9`,
    `${PLAIN}; server_max_window_bits=15`,
    `${PLAIN}; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=12; client_max_window_bits=10`,
    `${PLAIN}; server_no_context_takeover; server_max_window_bits=9, ${PLAIN}; server_no_context_takeover, ${PLAIN}`,
    "x-unknown; a=1, permessage-deflate",
  ];
  for (const offer of offers)
    test(`by the offer ${offer}`, async () => {
      const { client, agreed } = await connect(offer);
      const codec = agreed && new MessageCodec(agreed);
      let [compressed, answered] = [0, 0];
      for (const [n, size] of [0, 1, 16, 64, 256, 1024, 4096, 8192, 32_768, 131_072, 16, 16].entries()) {
        const binary = n % 2 === 1;
        const bytes = binary && n > 5 ? randomBytes(size) : likeJson(size);
        const payload = codec === undefined ? bytes : await codec.compressed(bytes);
        client.send(binary ? BINARY : TEXT, payload, { rsv: codec === undefined ? 0 : RSV1 });
        const message = await client.nextMessage();
        assert.ok(message, `message ${n} of ${size} bytes: ${client.violations}`);
        if (size >= 1024 && !binary) answered += 1;
        if (size >= 1024 && !binary && message.compressed) compressed += 1;
        const back = message.compressed ? await codec?.read(message.payload) : message.payload;
        assert.equal(message.binary, binary);
        assert.ok(back !== undefined && bytes.equals(back), `message ${n} of ${size} bytes`);
      }
      client.closeWith(1000);

      assert.equal((await client.ended()).close?.code, 1000);
      assert.deepEqual(client.violations, []);
      assert.ok(answered > 0);
      assert.equal(compressed, agreed === undefined ? 0 : answered, "what is long comes back compressed");
    });

  test("and so are answers, unless they are short", async () => {
    const { client } = await connect(PLAIN);

    client.text("x".repeat(255));
    assert.equal((await client.nextMessage())?.compressed, false);
    client.text("x".repeat(256));
    const message = await client.nextMessage();
    assert.equal(message?.compressed, true);
    assert.ok(message.payload.length < 64);
    client.destroy();
  });

  test("and are not where the client offers nothing, or what nobody knows", async () => {
    for (const headers of [{}, { "Sec-WebSocket-Extensions": "x-unknown; a=1" }]) {
      const client = await WebSocketClient.open(address(), { path: "/deflate", headers });
      client.text("plain");

      assert.equal(client.answer?.headers["sec-websocket-extensions"], undefined);
      assert.equal(await client.nextText(), "plain");
      client.destroy();
    }
  });

  test("and are not where what the client asks for is not kept, or is nothing that may be asked for", async () => {
    for (const parameters of [
      "server_max_window_bits=9",
      "server_max_window_bits=14; client_max_window_bits",
      "server_max_window_bits",
      "server_max_window_bits=99",
      "client_max_window_bits=7",
      "client_max_window_bits=16",
      "server_no_context_takeover=1",
      "server_no_context_takeover; server_no_context_takeover",
      "unknown",
    ]) {
      const { client, agreed } = await connect(`${PLAIN}; ${parameters}`);
      client.text("plain");

      assert.equal(agreed, undefined, parameters);
      assert.equal(await client.nextText(), "plain");
      client.destroy();
    }
  });

  test("and are by the first offer that is kept, also where a value is quoted", async () => {
    for (const offer of [
      `${PLAIN}; server_max_window_bits=9, ${PLAIN}`,
      `${PLAIN}; unknown=1, x-other, ${PLAIN}; client_max_window_bits="12"`,
    ]) {
      const { client, agreed } = await connect(offer);

      assert.notEqual(agreed, undefined, offer);
      client.destroy();
    }
  });

  test("and are not on a route that has it off, whatever is offered", async () => {
    const { headers } = handshake(PLAIN);
    const client = await WebSocketClient.open(address(), { headers });

    assert.equal(client.answer?.headers["sec-websocket-extensions"], undefined);
    client.send(TEXT, deflated(Buffer.from("hello")), { rsv: RSV1 });
    assert.notEqual((await client.ended()).close?.code, 1000);
    assert.deepEqual(client.reads, []);
  });
});

/** Compressed by itself, which every client may do. */
function deflated(bytes: Uint8Array, options: { readonly level?: number } = {}): Buffer {
  const all = deflateRawSync(bytes, { ...options, finishFlush: constants.Z_SYNC_FLUSH });
  return all.subarray(0, all.length - 4);
}

describe("a compressed message", () => {
  const HELLO = Buffer.from("Hello, world! Hello, world! Hello, world!");
  const whole = deflated(HELLO);
  const parts = (options: { readonly rsv?: number } = {}) => [
    frame(TEXT, whole.subarray(0, 3), { rsv: RSV1, fin: false }),
    frame(PING, "between"),
    frame(CONTINUATION, whole.subarray(3), options),
  ];
  const back: FrameCase["comes"] = [text(HELLO)];
  const pinged: FrameCase["comes"] = [{ kind: "pong", payload: Buffer.from("between") }, ...back];

  for (const { name, sent, comes, ...more } of [
    { name: "may be in fragments, of which the first alone says so", sent: parts(), comes: pinged },
    { name: "may come byte by byte", sent: parts(), comes: pinged, pieceBytes: 1 },
    {
      name: "may not be compressed at all behind it",
      sent: [frame(TEXT, whole, { rsv: RSV1 }), frame(TEXT, HELLO)],
      comes: [...back, ...back],
    },
    {
      name: "may be stored as it is",
      sent: [frame(TEXT, deflated(HELLO, { level: 0 }), { rsv: RSV1 })],
      comes: back,
    },
    // Section 7.2.3.6: how an empty one is written.
    { name: "may be empty", sent: [frame(TEXT, Uint8Array.of(0), { rsv: RSV1 })], comes: [text("")] },
  ] as const)
    test(name, async () => {
      const { client, agreed } = await connect(PLAIN);
      assert.ok(agreed);
      const codec = new MessageCodec(agreed);
      await client.write([...sent], "pieceBytes" in more ? more.pieceBytes : undefined);
      for (const expected of comes) {
        const read = await client.next();
        assert.ok(read, `nothing came: ${JSON.stringify(client.close)}`);
        const isCompressed = read.kind === "message" && read.message.compressed;
        const payload = read.kind === "message" ? read.message.payload : read.payload;
        const bytes = isCompressed ? await codec.read(payload) : payload;
        assert.equal(bytes.toString(), Buffer.from(expected.payload).toString());
      }
      client.destroy();
      assert.deepEqual(client.violations, []);
    });

  testFrames(
    address,
    [
      {
        name: "ends the connection where a fragment behind the first says so too",
        sent: parts({ rsv: RSV1 }),
        comes: pinged,
        ends: PROTOCOL_ERROR,
      },
      {
        name: "ends it where it is none",
        sent: [frame(TEXT, Buffer.from("ffffffffffff", "hex"), { rsv: RSV1 })],
        ends: { failed: [1002, 1003, 1007] },
      },
      {
        name: "ends it where it is cut",
        sent: [frame(TEXT, deflated(randomBytes(5000)).subarray(0, 2000), { rsv: RSV1 })],
        ends: { failed: [1002, 1003, 1007] },
      },
      {
        name: "ends it where it is a text that is no UTF-8 then",
        sent: [frame(TEXT, deflated(Buffer.from("cebae1bdeda080", "hex")), { rsv: RSV1 })],
        ends: NO_TEXT,
      },
      {
        name: "ends it where another bit is set with it",
        sent: [frame(TEXT, whole, { rsv: RSV1 | 1 })],
        ends: PROTOCOL_ERROR,
      },
    ],
    handshake(PLAIN),
  );
});

// The engine takes the first, which it should refuse, and refuses the second, which it should take.
describe("what the engine may refuse or take", () => {
  test("is a ping that says it is compressed: its pong has what it had, or there is none", async () => {
    const { client } = await connect(PLAIN);
    client.send(PING, "ping", { rsv: RSV1 });
    client.closeWith(1000);
    const { close } = await client.ended();

    assert.deepEqual(client.violations, []);
    const taken = [{ kind: "pong", payload: Buffer.from("ping") }];
    assert.deepEqual(client.reads, close?.code === 1000 ? taken : []);
  });

  // Section 7.2.3.5: a block that says it is the last, and one more byte.
  test("is a message whose last block says that it is the last: it comes back, or the connection ends", async () => {
    const { client, agreed } = await connect(PLAIN);
    const bytes = Buffer.from("Hello, world!");
    client.send(TEXT, Buffer.concat([deflateRawSync(bytes), Buffer.of(0)]), { rsv: RSV1 });
    client.closeWith(1000);
    await client.ended();
    const [read] = client.reads;

    assert.deepEqual(client.violations, []);
    if (read === undefined) return;
    assert.ok(agreed && read.kind === "message");
    const { payload, compressed } = read.message;
    assert.deepEqual(compressed ? await new MessageCodec(agreed).read(payload) : payload, bytes);
  });
});
