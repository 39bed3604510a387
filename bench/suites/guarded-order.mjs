import { serverSuite } from "../measure/server.mjs";
import { makeToken, ORIGIN } from "../subjects/guarded.mjs";
import { receiptOf, sampleOrder } from "../subjects/order.mjs";

export default serverSuite({
  name: "guarded-order",
  title:
    "The same order behind guards: IP filter, token bucket, CORS, 12 security headers, request id, HS256, access log",
  measures:
    "POST /order from another origin's page, with a bearer token that is verified once and then found in a bounded cache: the client's address filtered and counted, the body checked and answered by schema, twelve security headers, an id and the rate's headers on the answer, and a line of the access log to a file that takes all (/dev/null). The hand-written arms use the tricks that ours does, with pino as it comes, gathering its lines; one of them stands behind the same gate as ours. Fastify has its cors, helmet, rate-limit and jwt plug-ins and pino. 64 connections.",
  leavesOut:
    "requests that are refused, many clients at once, the verification of tokens that are not cached, latency, more than one core.",
  discardsOutput: true,
  request: {
    path: "/order",
    body: JSON.stringify(sampleOrder()),
    headers: { origin: ORIGIN, authorization: `Bearer ${makeToken()}` },
  },
  answer: {
    status: 200,
    type: /^application\/json/,
    json: receiptOf(sampleOrder()),
    headers: {
      "access-control-allow-origin": /^https:\/\/app\.example\.com$/,
      "access-control-allow-credentials": /^true$/,
      vary: /Origin/i,
      "content-security-policy": /default-src/,
      "x-content-type-options": /^nosniff$/,
      "x-request-id": /./,
    },
  },
  arms: [
    { name: "by hand on the native server", server: "guarded-raw.mjs" },
    { name: "the same behind a gate like ours", server: "guarded-gated.mjs" },
    { name: "ours", ours: true, server: "guarded-ours.mjs" },
    {
      name: "ours, EdDSA",
      ours: true,
      server: "guarded-ours.mjs",
      args: ["EdDSA"],
      request: { headers: { origin: ORIGIN, authorization: `Bearer ${makeToken("EdDSA")}` } },
    },
    { name: "Fastify with its plug-ins", server: "guarded-fastify.mjs" },
  ],
  bars: [
    { arm: "ours", atLeast: 0.95, aim: 1.2 },
    { arm: "ours", to: "the same behind a gate like ours", atLeast: 0.95 },
    { arm: "ours, EdDSA", to: "ours", atLeast: 0.9 },
    { arm: "ours", to: "Fastify with its plug-ins", atLeast: 4, aim: 5 },
  ],
});
