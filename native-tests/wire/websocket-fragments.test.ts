// Autobahn's group 5: messages in fragments, and what may stand between them.

import { describe } from "node:test";

import { served } from "../support/served.js";
import {
  type FrameCase,
  inThreeWays,
  PROTOCOL_ERROR,
  pong,
  testFrames,
  text,
} from "../support/websocket-cases.js";
import { CONTINUATION, frame, PING, PONG, TEXT } from "../support/websocket-frames.js";
import { ingress } from "../support/websocket-ingress.js";

const server = served(ingress);
const address = () => server.address;

const first = (payload: string) => frame(TEXT, payload, { fin: false });
const more = (payload: string) => frame(CONTINUATION, payload, { fin: false });
const last = (payload: string) => frame(CONTINUATION, payload);

describe("a message in fragments comes back whole", () => {
  testFrames(address, [
    ...inThreeWays(["5.3", "5.4", "5.5"], "of two", {
      sent: [first("fragment1"), last("fragment2")],
      comes: [text("fragment1fragment2")],
    }),
    ...inThreeWays(["5.6", "5.7", "5.8"], "with a ping between them, which is answered at once", {
      sent: [first("fragment1"), frame(PING, "ping payload"), last("fragment2")],
      comes: [pong("ping payload"), text("fragment1fragment2")],
    }),
    ...inThreeWays(["5.19", "5.19", "5.20"], "of five with pings between them", {
      sent: [
        first("fragment1"),
        more("fragment2"),
        frame(PING, "pongme 1!"),
        more("fragment3"),
        more("fragment4"),
        frame(PING, "pongme 2!"),
        last("fragment5"),
      ],
      comes: [pong("pongme 1!"), pong("pongme 2!"), text("fragment1fragment2fragment3fragment4fragment5")],
    }),
    {
      name: "with a pong that nobody asked for between them",
      sent: [first("fragment1"), frame(PONG, "unasked"), last("fragment2")],
      comes: [text("fragment1fragment2")],
    },
    {
      name: "and the next one by itself",
      sent: [first("a"), last("b"), frame(TEXT, "c"), first("d"), last("e")],
      comes: [text("ab"), text("c"), text("de")],
    },
  ]);
});

describe("a control frame in fragments ends the connection", () => {
  const parts = (opcode: number) => [frame(opcode, "fragment1", { fin: false }), last("fragment2")];
  testFrames(address, [
    { name: "5.1 a ping", sent: parts(PING), ends: PROTOCOL_ERROR },
    { name: "5.2 a pong", sent: parts(PONG), ends: PROTOCOL_ERROR },
  ]);
});

describe("a fragment where none may be ends the connection", () => {
  const refused = (sent: FrameCase["sent"], comes: FrameCase["comes"] = []) => ({
    sent,
    comes,
    ends: PROTOCOL_ERROR,
  });
  const whole = frame(TEXT, "Hello, world!");
  testFrames(address, [
    ...inThreeWays(
      ["5.9", "5.10", "5.11"],
      "the last of a message that never began",
      refused([last("non-continuation payload"), whole]),
    ),
    ...inThreeWays(
      ["5.12", "5.13", "5.14"],
      "one of a message that never began",
      refused([more("non-continuation payload"), whole]),
    ),
    {
      name: "5.15 behind a message that is whole",
      ...refused(
        [first("fragment1"), last("fragment2"), more("fragment3"), whole],
        [text("fragment1fragment2")],
      ),
    },
    {
      name: "5.16 twice, one of no message and the beginning of another",
      ...refused([more("fragment1"), first("fragment2"), last("fragment3")]),
    },
    {
      name: "5.17 twice, the last of no message and the beginning of another",
      ...refused([last("fragment1"), first("fragment2"), last("fragment3")]),
    },
    {
      name: "5.18 the beginning of a message within another",
      ...refused([first("fragment1"), frame(TEXT, "fragment2")]),
    },
  ]);
});
