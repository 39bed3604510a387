// What telling many clients by server-sent events takes of the server's time, and what having
// them takes of its memory.

import { asManyAs, audienceMemorySuite, audienceSuite } from "../measure/audience.mjs";

const CLIENTS = asManyAs(10_000);

const arms = [
  { name: "by hand on the native server", server: "sse-native.mjs" },
  { name: "ours", ours: true, server: "sse-ours.mjs" },
  { name: "by hand on node:http", server: "sse-node.mjs" },
];

export const eventFanOut = audienceSuite({
  name: "sse",
  title: `Server-sent events to ${CLIENTS} clients`,
  measures:
    "an event of 128 bytes with an id, made text once and sent to all, the next one in a later turn. Ours is a channel, which keeps a history for clients that come back, and tells them in several turns: what is published meanwhile goes with it, in one write. By hand each event is written at once, and there is no history.",
  leavesOut: "clients that come and go, read slowly or come back, filters, TLS, workers.",
  kind: "sse",
  clients: CLIENTS,
  messages: 5,
  how: "turns",
  arms,
  bars: [{ arm: "ours", atLeast: 0.9, aim: 1 }],
});

export const clientMemory = audienceMemorySuite({
  name: "sse-memory",
  title: "Memory of a client of server-sent events that is idle",
  measures:
    "how much more of the machine's memory the process holds with 10 000 clients, or as many as it may have files open, than with 200, garbage collected before each look, a process for each round. By hand a client is a place in a Set.",
  leavesOut: "events on their way, the history, which is one for all, the kernel's buffers.",
  kind: "sse",
  clients: CLIENTS,
  arms,
  bars: [{ arm: "ours", over: "by hand on the native server", atMost: 1024 }],
});
