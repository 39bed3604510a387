// What telling many subscribers takes of the server's time, and what having them takes of its memory.

import { asManyAs, audienceMemorySuite, audienceSuite } from "../measure/audience.mjs";

const arms = [
  { name: "native publish", server: "fanout-native.mjs" },
  { name: "ours", ours: true, server: "fanout-ours.mjs" },
  { name: "ws", server: "fanout-ws.mjs" },
];

const fanOutBy = (suite) =>
  audienceSuite({
    leavesOut:
      "messages that come in, subscribers that come and go or read slowly, compression, TLS, workers.",
    kind: "websocket",
    clients: 2001,
    speakers: 1,
    messages: 20,
    arms,
    ...suite,
  });

export const fanOut = fanOutBy({
  name: "websocket-fanout",
  title: "WebSocket fan-out, 2000 subscribers, bursts",
  measures:
    "one connection publishes 20 texts of 128 bytes in one turn to 2000 others, again when all of them have all of it: what is published in a turn the engine writes at once. The native server and ours by a topic, ws by a loop over its clients, without compression.",
  how: "burst",
  bars: [
    { arm: "ours", atLeast: 0.95, aim: 1 },
    { arm: "ours", to: "ws", atLeast: 3.5, aim: 4 },
  ],
});

export const fanOutInTurns = fanOutBy({
  name: "websocket-fanout-turns",
  title: "WebSocket fan-out, 2000 subscribers, one message at a time",
  measures:
    "the same, each text in a turn of its own: nearly all of it is the kernel's, a write for each subscriber.",
  how: "turns",
  bars: [{ arm: "ours", atLeast: 0.95, aim: 1 }],
});

export const connectionMemory = audienceMemorySuite({
  name: "websocket-memory",
  title: "Memory of a WebSocket connection that is idle and has subscribed",
  measures:
    "how much more of the machine's memory the process holds with 10 000 connections than with 200, garbage collected before each look, a process for each round.",
  leavesOut:
    "messages on their way, what a step keeps as the connection's state, compression, the kernel's buffers.",
  kind: "websocket",
  clients: asManyAs(10_000),
  arms,
  bars: [{ arm: "ours", over: "native publish", atMost: 1024, aim: 512 }],
});
