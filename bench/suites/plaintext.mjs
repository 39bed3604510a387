import { serverSuite } from "../measure/server.mjs";
import { plaintext } from "../subjects/greeting.mjs";

export default serverSuite({
  name: "plaintext",
  title: "Plaintext, 64 connections",
  measures: "GET / answered with 13 bytes of text, one request at a time on each of 64 connections.",
  leavesOut: "latency, bodies, more than one core, connections that come and go, TLS.",
  request: { path: "/" },
  answer: { status: 200, type: /^text\/plain/, text: plaintext },
  arms: [
    { name: "raw native", server: "raw.mjs" },
    { name: "hand-written with the same gate", server: "gated.mjs" },
    { name: "ours", ours: true, server: "ours.mjs" },
    { name: "hyper-express", server: "hyper-express.mjs" },
    { name: "Fastify", server: "fastify.mjs" },
    { name: "Hono", server: "hono.mjs" },
    { name: "Express", server: "express.mjs" },
  ],
  bars: [{ arm: "ours", atLeast: 0.9, aim: 0.97 }],
});
