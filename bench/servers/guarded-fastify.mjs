// The guarded order on Fastify with its own plug-ins.

import { BlockList } from "node:net";
import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import jwt from "@fastify/jwt";
import rateLimit from "@fastify/rate-limit";
import Fastify from "fastify";
import pino from "pino";

import { BLOCKED, ORIGIN, RATE, SECRET, verifying } from "../subjects/guarded.mjs";
import { receiptOf } from "../subjects/order.mjs";
import { Order, Receipt } from "../subjects/schemas.mjs";
import { host, port, readyAside } from "./arguments.mjs";

const blocked = new BlockList();
blocked.addSubnet("10.66.0.0", 16);
blocked.addAddress(BLOCKED[1]);

let made = 0;
const prefix = `req-${process.pid.toString(36)}-`;
const stream = pino.destination({ dest: "/dev/null", sync: false, minLength: 4096 });
const server = Fastify({
  logger: { level: "info", stream },
  disableRequestLogging: true,
  requestIdHeader: "x-request-id",
  genReqId: () => {
    made += 1;
    return prefix + made.toString(36);
  },
});
await server.register(cors, { origin: [ORIGIN], credentials: true, exposedHeaders: ["x-request-id"] });
await server.register(helmet, {});
await server.register(rateLimit, { max: RATE.requests, timeWindow: RATE.windowMs });
await server.register(jwt, { secret: SECRET, verify: { ...verifying, cache: true } });
server.addHook("onRequest", (request, reply, done) => {
  if (blocked.check(request.ip, "ipv4")) reply.code(403).send();
  else {
    reply.header("x-request-id", request.id);
    done();
  }
});
server.addHook("onRequest", async (request) => {
  await request.jwtVerify();
});
server.addHook("onResponse", (request, reply, done) => {
  const { method, url, ip, user } = request;
  const line = { method, path: url, status: reply.statusCode, duration_ms: reply.elapsedTime };
  request.log.info({ ...line, client: ip, subject: user?.sub }, "request");
  done();
});
server.post("/order", { schema: { body: Order, response: { 200: Receipt } } }, (request, reply) => {
  reply.send(receiptOf(request.body));
});
await server.listen({ host, port });
readyAside();
