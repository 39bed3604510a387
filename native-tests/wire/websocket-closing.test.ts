// Autobahn's group 7: how a connection is closed.

import { describe } from "node:test";

import { served } from "../support/served.js";
import { type FrameCase, PROTOCOL_ERROR, testFrames, text } from "../support/websocket-cases.js";
import { CLOSE, CONTINUATION, closePayload, frame, PING, TEXT } from "../support/websocket-frames.js";
import { ingress } from "../support/websocket-ingress.js";

const server = served(ingress);
const address = () => server.address;

const HELLO = "Hello World!";
const closeFrame = frame(CLOSE, closePayload(1000));
const NORMAL = { closed: [1000] };

describe("a close frame is answered, and nothing behind it counts (7.1)", () => {
  const large = "BAsd7&jh23".repeat(26_000);
  testFrames(address, [
    {
      name: "7.1.1 a message before it comes back",
      sent: [frame(TEXT, HELLO), closeFrame],
      comes: [text(HELLO)],
      ends: NORMAL,
    },
    { name: "7.1.2 a second one is not answered", sent: [closeFrame, closeFrame], ends: NORMAL },
    { name: "7.1.3 nor a ping", sent: [closeFrame, frame(PING)], ends: NORMAL },
    { name: "7.1.4 nor a message", sent: [closeFrame, frame(TEXT, HELLO)], ends: NORMAL },
    {
      name: "7.1.5 nor the rest of a message that began before",
      sent: [frame(TEXT, "fragment1", { fin: false }), closeFrame, frame(CONTINUATION, "fragment2")],
      ends: NORMAL,
    },
    {
      name: "7.1.6 a large message before it comes back, a ping behind it is not answered",
      sent: [frame(TEXT, large), closeFrame, frame(PING)],
      comes: [text(large)],
      ends: NORMAL,
    },
  ]);
});

describe("a close frame may be empty, or say why (7.3)", () => {
  testFrames(address, [
    { name: "7.3.1 nothing", sent: [frame(CLOSE)], ends: { closed: [undefined, 1000] } },
    { name: "7.3.2 but one byte is too few", sent: [frame(CLOSE, "a")], ends: PROTOCOL_ERROR },
    { name: "7.3.3 a code", sent: [closeFrame], ends: NORMAL },
    {
      name: "7.3.4 a code and a reason",
      sent: [frame(CLOSE, closePayload(1000, "Hello World!"))],
      ends: NORMAL,
    },
    {
      name: "7.3.5 a reason of 123 bytes",
      sent: [frame(CLOSE, closePayload(1000, "*".repeat(123)))],
      ends: NORMAL,
    },
    {
      name: "7.3.6 but one of 124 is too long",
      sent: [frame(CLOSE, closePayload(1000, "*".repeat(124)))],
      ends: PROTOCOL_ERROR,
    },
    {
      name: "7.5.1 nor may a reason be no UTF-8",
      sent: [
        frame(CLOSE, closePayload(1000, Buffer.from("cebae1bdb9cf83cebcceb5eda080656469746564", "hex"))),
      ],
      ends: { failed: [1002, 1007] },
    },
  ]);
});

const closing = (number: string, code: number, ends: FrameCase["ends"]): FrameCase => ({
  name: `${number} ${code}`,
  sent: [frame(CLOSE, closePayload(code, "why"))],
  ...(ends !== undefined && { ends }),
});

describe("a code that may be sent is sent back (7.7)", () => {
  const codes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999];
  testFrames(
    address,
    // Of those for libraries the engine sends none back: section 5.5.1 says that it typically is.
    codes.map((code, i) =>
      closing(`7.7.${i + 1}`, code, { closed: code >= 3000 && code < 4000 ? [code, undefined] : [code] }),
    ),
  );
  // Registered since: the engine takes them for unknown, and sends none back.
  testFrames(
    address,
    [1012, 1013, 1014].map((code) => closing("registered later:", code, { closed: [code, undefined] })),
  );
});

describe("a code that may not be sent is not sent back (7.9)", () => {
  const codes = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999];
  testFrames(
    address,
    codes.map((code, i) => closing(`7.9.${i + 1}`, code, PROTOCOL_ERROR)),
  );
  testFrames(address, [closing("of TLS alone:", 1015, PROTOCOL_ERROR)]);
});

describe("a code that nobody has a meaning for is not sent back (7.13)", () => {
  testFrames(address, [closing("7.13.1", 5000, PROTOCOL_ERROR), closing("7.13.2", 65_535, PROTOCOL_ERROR)]);
});
