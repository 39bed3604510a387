// The guarded order as an application of this framework writes it.

import {
  Axon,
  Framework,
  fault,
  guard,
  header,
  ProblemDetail,
  pass,
  VerifiedIdentity,
} from "../../dist/index.js";
import {
  AccessLogGuard,
  CorsGuard,
  IpFilterGuard,
  RateLimitGuard,
  SecurityHeadersGuard,
} from "../../dist/std/index.js";
import { Bearers, BLOCKED, ORIGIN, RATE } from "../subjects/guarded.mjs";
import { receiptOf } from "../subjects/order.mjs";
import { Order, Receipt } from "../subjects/schemas.mjs";
import { host, port, readyAside } from "./arguments.mjs";

const Authorization = header("authorization");
const bearers = new Bearers();
const unauthorized = fault(
  new ProblemDetail({ status: 401, code: "TOKEN_INVALID", title: "The token is not good" }),
);
const bearer = guard({
  name: "bearer",
  mayRead: [Authorization],
  mayWrite: [VerifiedIdentity],
  run(input, bus) {
    const subject = bearers.subject(bus.find(Authorization));
    if (subject === undefined) return unauthorized;
    bus.set(VerifiedIdentity, subject);
    return pass(input);
  },
});

const order = Axon.start("order", Order).thenFn("receipt", receiptOf).withOutputSchema(Receipt);
const cors = new CorsGuard({
  allowedOrigins: [ORIGIN],
  allowCredentials: true,
  exposedHeaders: ["x-request-id"],
});

await Framework.http()
  .guard(new AccessLogGuard())
  .guard(IpFilterGuard.denyList(BLOCKED))
  .guard(new RateLimitGuard(RATE.requests, RATE.windowMs))
  .guard(cors)
  .guard(new SecurityHeadersGuard())
  .guard(bearer)
  .requestIdLayer()
  .post("/order", order)
  .bind(`${host}:${port}`)
  .run();
readyAside();
