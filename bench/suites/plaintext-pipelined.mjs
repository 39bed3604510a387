import { serverSuite } from "../measure/server.mjs";
import { plaintext } from "../subjects/greeting.mjs";

export default serverSuite({
  name: "plaintext-pipelined",
  title: "Plaintext, 16 pipelined",
  measures:
    "GET / answered with 13 bytes of text, 64 connections with 16 requests at once each: so many that system calls weigh little and what a server does per request shows. Raw is the native server without any check; ours has its full gate, and the hand-written arm has the same gate and nothing else, which is the ceiling.",
  leavesOut:
    "latency, real clients (who do not pipeline), bodies, request ids, more than one core, connections that come and go.",
  request: { path: "/", pipelined: 16 },
  answer: { status: 200, type: /^text\/plain/, text: plaintext },
  arms: [
    { name: "raw native", server: "raw.mjs" },
    { name: "hand-written with the same gate", server: "gated.mjs" },
    { name: "ours", ours: true, server: "ours.mjs" },
    { name: "hyper-express", server: "hyper-express.mjs" },
    { name: "Fastify", server: "fastify.mjs" },
  ],
  bars: [
    { arm: "ours", atLeast: 0.68, aim: 0.78 },
    { arm: "ours", to: "hyper-express", atLeast: 1.5 },
    { arm: "ours", to: "Fastify", atLeast: 8 },
  ],
});
