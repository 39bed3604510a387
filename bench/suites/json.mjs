import { serverSuite } from "../measure/server.mjs";
import { greeting } from "../subjects/greeting.mjs";

export default serverSuite({
  name: "json",
  title: "JSON, 64 connections",
  measures:
    "GET /json answered with an object made for each request. Ours serialises it by its output schema, raw and Fastify with fast-json-stringify by the same schema; hyper-express, Hono and Express by JSON.stringify, which is what they offer.",
  leavesOut: "latency, bodies, large answers, more than one core, connections that come and go, TLS.",
  request: { path: "/json" },
  answer: { status: 200, type: /^application\/json/, json: greeting() },
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
