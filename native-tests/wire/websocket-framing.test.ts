// Autobahn's groups 1 to 4: framing, pings and pongs, reserved bits, opcodes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { served } from "../support/served.js";
import {
  binary,
  type FrameCase,
  PROTOCOL_ERROR,
  pong,
  testFrames,
  text,
} from "../support/websocket-cases.js";
import { WebSocketClient } from "../support/websocket-client.js";
import { BINARY, CLOSE, closePayload, frame, PING, PONG, TEXT } from "../support/websocket-frames.js";
import { ingress } from "../support/websocket-ingress.js";

const server = served(ingress);
const address = () => server.address;

const HELLO = "Hello, world!";
const BYTES = Uint8Array.of(0x00, 0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0x00, 0xff);
const stars = (count: number) => "*".repeat(count);
const noise = (count: number) => Buffer.alloc(count, 0xfe);

describe("a message comes back as it was sent (1)", () => {
  const sizes = [0, 125, 126, 127, 128, 65_535, 65_536];
  const texts = sizes.map(
    (size, i): FrameCase => ({
      name: `1.1.${i + 1} a text of ${size} bytes`,
      sent: [frame(TEXT, stars(size))],
      comes: [text(stars(size))],
    }),
  );
  const bytes = sizes.map(
    (size, i): FrameCase => ({
      name: `1.2.${i + 1} ${size} bytes`,
      sent: [frame(BINARY, noise(size))],
      comes: [binary(noise(size))],
    }),
  );
  testFrames(address, [
    ...texts,
    {
      name: "1.1.8 a text of 65536 bytes in pieces of 997",
      sent: [frame(TEXT, stars(65_536))],
      pieceBytes: 997,
      comes: [text(stars(65_536))],
    },
    ...bytes,
    {
      name: "1.2.8 65536 bytes in pieces of 997",
      sent: [frame(BINARY, noise(65_536))],
      pieceBytes: 997,
      comes: [binary(noise(65_536))],
    },
  ]);
});

describe("a ping is answered by its pong (2)", () => {
  const ten = Array.from({ length: 10 }, (_, i) => `payload-${i}`);
  testFrames(address, [
    { name: "2.1 without a payload", sent: [frame(PING)], comes: [pong()] },
    { name: "2.2 with a text", sent: [frame(PING, HELLO)], comes: [pong(HELLO)] },
    { name: "2.3 with bytes that are no text", sent: [frame(PING, BYTES)], comes: [pong(BYTES)] },
    { name: "2.4 with 125 bytes", sent: [frame(PING, noise(125))], comes: [pong(noise(125))] },
    { name: "2.5 but one of 126 bytes is refused", sent: [frame(PING, noise(126))], ends: PROTOCOL_ERROR },
    {
      name: "2.6 with 125 bytes, byte by byte",
      sent: [frame(PING, noise(125))],
      pieceBytes: 1,
      comes: [pong(noise(125))],
    },
    { name: "2.7 and a pong that nobody asked for by nothing", sent: [frame(PONG)] },
    { name: "2.8 nor one with a payload", sent: [frame(PONG, "unsolicited pong payload")] },
    {
      name: "2.9 also behind a pong that nobody asked for",
      sent: [frame(PONG, "unsolicited pong payload"), frame(PING, "ping payload")],
      comes: [pong("ping payload")],
    },
    {
      name: "2.10 ten of them in their order",
      sent: ten.map((each) => frame(PING, each)),
      comes: ten.map(pong),
    },
    {
      name: "2.11 ten of them in their order, byte by byte",
      sent: ten.map((each) => frame(PING, each)),
      pieceBytes: 1,
      comes: ten.map(pong),
    },
  ]);
});

const refusedBehindText = (
  name: string,
  refused: Uint8Array,
  pieceBytes?: FrameCase["pieceBytes"],
): FrameCase => ({
  name,
  sent: [frame(TEXT, HELLO), refused, frame(PING)],
  ...(pieceBytes !== undefined && { pieceBytes }),
  comes: [text(HELLO)],
  ends: PROTOCOL_ERROR,
});

describe("a reserved bit that nothing was agreed on ends the connection (3)", () => {
  testFrames(address, [
    { name: "3.1 of a text", sent: [frame(TEXT, HELLO, { rsv: 1 })], ends: PROTOCOL_ERROR },
    refusedBehindText("3.2 behind a message", frame(TEXT, HELLO, { rsv: 2 })),
    refusedBehindText("3.3 frame by frame", frame(TEXT, HELLO, { rsv: 3 }), "frame"),
    refusedBehindText("3.4 byte by byte", frame(TEXT, HELLO, { rsv: 4 }), 1),
    { name: "3.5 of bytes", sent: [frame(BINARY, BYTES, { rsv: 5 })], ends: PROTOCOL_ERROR },
    { name: "3.6 of a ping", sent: [frame(PING, HELLO, { rsv: 6 })], ends: PROTOCOL_ERROR },
    { name: "3.7 of a close frame", sent: [frame(CLOSE, "", { rsv: 7 })], ends: PROTOCOL_ERROR },
  ]);
});

describe("an opcode that is reserved ends the connection (4)", () => {
  const group = (numbers: string, [first, ...others]: readonly number[]): readonly FrameCase[] => {
    const [second, third, fourth, fifth] = others as [number, number, number, number];
    return [
      {
        name: `${numbers}.1 ${first} without a payload`,
        sent: [frame(first as number)],
        ends: PROTOCOL_ERROR,
      },
      { name: `${numbers}.2 ${second} with one`, sent: [frame(second, HELLO)], ends: PROTOCOL_ERROR },
      refusedBehindText(`${numbers}.3 ${third} behind a message`, frame(third), "frame"),
      refusedBehindText(`${numbers}.4 ${fourth} with a payload behind a message`, frame(fourth, HELLO)),
      refusedBehindText(`${numbers}.5 ${fifth} behind a message, byte by byte`, frame(fifth, HELLO), 1),
    ];
  };
  testFrames(address, [...group("4.1", [3, 4, 5, 6, 7]), ...group("4.2", [11, 12, 13, 14, 15])]);
});

// Not of Autobahn, which masks each frame and tells each length in as few bytes as there can be.
describe("a frame that no client may send", () => {
  testFrames(address, [
    {
      name: "ends the connection where the first bit of its length is set",
      sent: [frame(BINARY, "", { told: 2n ** 63n + 1n, lengthBytes: 8 })],
      ends: { failed: [1002, 1009] },
    },
    {
      name: "ends it where it is a ping whose length is told in two bytes",
      sent: [frame(PING, HELLO, { lengthBytes: 2 })],
      ends: PROTOCOL_ERROR,
    },
    {
      name: "ends it where it is a close frame of 126 bytes",
      sent: [frame(CLOSE, closePayload(1000, stars(124)))],
      ends: PROTOCOL_ERROR,
    },
    {
      name: "is not one that is masked by zeros",
      sent: [frame(TEXT, HELLO, { mask: new Uint8Array(4) })],
      comes: [text(HELLO)],
    },
  ]);

  // Section 5.1: the server must close. The engine takes the first four bytes for a mask.
  test("is never understood where it is not masked", async () => {
    const client = await WebSocketClient.open(address());
    client.send(TEXT, HELLO, { mask: false });
    // Bytes for those that the engine took for a mask.
    await client.write(Buffer.from("mask"));
    client.closeWith(1000);
    const { close } = await client.ended();

    assert.deepEqual(client.violations, []);
    assert.ok(close?.code !== 1000 || client.reads.length === 1, "it was taken for something");
    for (const read of client.reads)
      assert.notEqual(read.kind === "message" && read.message.payload.toString(), HELLO);
  });

  // Section 5.2: the least bytes must be used. The engine takes more; another may refuse them.
  for (const lengthBytes of [2, 8] as const)
    test(`is taken, or refused, but nothing else where its length has ${lengthBytes} bytes in place of none`, async () => {
      const client = await WebSocketClient.open(address());
      client.send(TEXT, HELLO, { lengthBytes });
      client.closeWith(1000);
      const { close } = await client.ended();
      const texts = client.reads.map((read) => read.kind === "message" && read.message.payload.toString());

      assert.deepEqual(client.violations, []);
      if (close?.code === 1000) assert.deepEqual(texts, [HELLO]);
      else assert.ok(close?.code === undefined || close.code === 1002, `failed with ${close?.code}`);
    });
});
