import { serverSuite } from "../measure/server.mjs";
import { plaintext } from "../subjects/greeting.mjs";
import { makeToken } from "../subjects/guarded.mjs";

export default serverSuite({
  name: "identity",
  title: "What asking who it is costs",
  unit: "us of CPU a request",
  better: "lower",
  measures:
    "plaintext, 16 pipelined, with a bearer token on each request: that nobody looks at; that an `authorize` layer compares; and that `withIam` verifies (HS256, remembered by `cached`), whose identity it puts on the Bus. 64 connections.",
  leavesOut: "tokens that are not remembered, refusals, many tokens at once, latency, more than one core.",
  request: { path: "/", pipelined: 16, headers: { authorization: `Bearer ${makeToken()}` } },
  answer: { status: 200, type: /^text\/plain/, text: plaintext },
  arms: ["neither", "authorize", "withIam"].map((name) => ({
    name,
    ours: true,
    server: "identity.mjs",
    args: [name],
  })),
  bars: ["authorize", "withIam"].map((arm) => ({ arm, over: "neither", atMost: 2, aim: 1 })),
});
