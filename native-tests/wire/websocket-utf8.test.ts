// Autobahn's group 6: a text is UTF-8 or ends the connection. That it ends at its first wrong
// byte is not asked for: the engine looks at a message when it is whole.

import { describe } from "node:test";

import { served } from "../support/served.js";
import { NOT_UTF8, UTF8 } from "../support/utf8-sequences.js";
import { type FrameCase, NO_TEXT, testFrames, text } from "../support/websocket-cases.js";
import { BINARY, CONTINUATION, frame, TEXT } from "../support/websocket-frames.js";
import { ingress } from "../support/websocket-ingress.js";

const server = served(ingress);
const address = () => server.address;

/** A text in fragments of these payloads. */
const fragments = (payloads: readonly Uint8Array[]): Buffer[] =>
  payloads.map((payload, i) =>
    frame(i === 0 ? TEXT : CONTINUATION, payload, { fin: i === payloads.length - 1 }),
  );
const inBytes = (bytes: Buffer) => Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));

const KOSME = Buffer.from("\u03ba\u1f79\u03c3\u03bc\u03b5");
const GREETING = Buffer.from("Hello-\u00b5@\u00df\u00f6\u00e4\u00fc\u00e0\u00e1-UTF-8!!");
/** A surrogate and what is not even that, behind a text and before another. */
const BROKEN = Buffer.concat([KOSME, Buffer.from("eda080656469746564", "hex")]);

describe("a text that is UTF-8 comes back", () => {
  const empty = Buffer.alloc(0);
  testFrames(address, [
    { name: "6.1.1 an empty one", sent: [frame(TEXT)], comes: [text("")] },
    {
      name: "6.1.2 three fragments that are empty",
      sent: fragments([empty, empty, empty]),
      comes: [text("")],
    },
    {
      name: "6.1.3 three fragments of which the second is not empty",
      sent: fragments([empty, Buffer.from("middle frame payload"), empty]),
      comes: [text("middle frame payload")],
    },
    { name: "6.2.1 whole", sent: [frame(TEXT, GREETING)], comes: [text(GREETING)] },
    {
      name: "6.2.2 in two fragments, between characters",
      sent: fragments([GREETING.subarray(0, 8), GREETING.subarray(8)]),
      comes: [text(GREETING)],
    },
    {
      name: "6.2.3 in fragments of a byte, which cut characters",
      sent: fragments(inBytes(GREETING)),
      comes: [text(GREETING)],
    },
    { name: "6.2.4 another in fragments of a byte", sent: fragments(inBytes(KOSME)), comes: [text(KOSME)] },
    ...UTF8.map(
      ([number, what, bytes]): FrameCase => ({
        name: `${number} ${what}`,
        sent: [frame(TEXT, bytes)],
        comes: [text(bytes)],
      }),
    ),
  ]);
});

describe("a text that is not UTF-8 ends the connection", () => {
  const behind = Buffer.from("edited");
  testFrames(address, [
    { name: "6.3.1 whole", sent: [frame(TEXT, BROKEN)], ends: NO_TEXT },
    { name: "6.3.2 in fragments of a byte", sent: fragments(inBytes(BROKEN)), ends: NO_TEXT },
    {
      name: "6.4.1 in three fragments, the second being wrong",
      sent: fragments([KOSME, Buffer.from("f4908080", "hex"), behind]),
      pieceBytes: "frame",
      ends: NO_TEXT,
    },
    {
      name: "6.4.2 the same, wrong at the end of its second",
      sent: fragments([Buffer.concat([KOSME, Buffer.from("f4", "hex")]), Buffer.from("90", "hex"), behind]),
      pieceBytes: "frame",
      ends: NO_TEXT,
    },
    {
      name: "6.4.3 whole, in pieces cut where it is wrong",
      sent: [frame(TEXT, Buffer.concat([KOSME, Buffer.from("f4908080", "hex"), behind]))],
      pieceBytes: 6 + KOSME.length,
      ends: NO_TEXT,
    },
    {
      name: "6.4.4 whole, byte by byte",
      sent: [frame(TEXT, Buffer.concat([KOSME, Buffer.from("f4908080", "hex"), behind]))],
      pieceBytes: 1,
      ends: NO_TEXT,
    },
    ...NOT_UTF8.map(
      ([number, what, bytes]): FrameCase => ({
        name: `${number} ${what}`,
        sent: [frame(TEXT, bytes)],
        ends: NO_TEXT,
      }),
    ),
  ]);
});

describe("bytes may be anything", () => {
  testFrames(
    address,
    NOT_UTF8.slice(0, 12).map(([, what, bytes]) => ({
      name: what,
      sent: [frame(BINARY, bytes)],
      comes: [{ kind: "binary", payload: bytes }],
    })),
  );
});
