import { serverSuite } from "../measure/server.mjs";
import { receiptOf, sampleOrder } from "../subjects/order.mjs";

export default serverSuite({
  name: "validated-order",
  title: "JSON body of 0.9 KB, validated, answered by schema",
  measures:
    "POST /order with an order of eight items: the body collected, parsed, checked against its schema, a receipt computed and serialised by its schema; 64 connections. Both hand-written arms do the same work (TypeBox's compiled check, fast-json-stringify), one of them behind the same gate: whether a length stands there twice shows only when all headers are looked at, which no native server does by itself and which must not be left out. The bar is against the one without; the same is shown against the other. Fastify checks with ajv.",
  leavesOut:
    "bodies that are refused, bodies in several pieces, guards, request ids, logging, latency, more than one core.",
  request: { path: "/order", body: JSON.stringify(sampleOrder()) },
  answer: { status: 200, type: /^application\/json/, json: receiptOf(sampleOrder()) },
  arms: [
    { name: "raw native, same work by hand", server: "raw.mjs" },
    { name: "the same behind a gate like ours", server: "gated.mjs" },
    { name: "ours", ours: true, server: "ours.mjs" },
    { name: "Fastify", server: "fastify.mjs" },
  ],
  bars: [
    { arm: "ours", atLeast: 0.93, aim: 0.98 },
    { arm: "ours", to: "the same behind a gate like ours", atLeast: 0.93 },
    { arm: "ours", to: "Fastify", atLeast: 2 },
  ],
});
