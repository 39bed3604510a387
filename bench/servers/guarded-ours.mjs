// The guarded order as an application of this framework writes it. `node guarded-ours.mjs PORT [HS256|EdDSA [RATIO|off]]`,
// with a ratio beside an Inspector that records so many of the runs, or with one that is declared and off.

import { Axon, Framework, IamPolicy } from "../../dist/index.js";
import {
  AccessLogGuard,
  CorsGuard,
  cached,
  IpFilterGuard,
  JwtKeys,
  JwtVerifier,
  RateLimitGuard,
  SecurityHeadersGuard,
} from "../../dist/std/index.js";
import { AUDIENCE, BLOCKED, ISSUER, ORIGIN, PUBLIC_KEY, RATE, SECRET } from "../subjects/guarded.mjs";
import { receiptOf } from "../subjects/order.mjs";
import { Order, Receipt } from "../subjects/schemas.mjs";
import { host, port, readyAside } from "./arguments.mjs";
import { inspect } from "./inspected.mjs";

const signed =
  process.argv[3] === "EdDSA"
    ? { algorithm: "EdDSA", keys: JwtKeys.pem(PUBLIC_KEY) }
    : { algorithm: "HS256", keys: JwtKeys.secret(SECRET) };
const verifier = cached(new JwtVerifier({ ...signed, issuer: ISSUER, audience: AUDIENCE }));

const order = Axon.start("order", Order)
  .withIam(IamPolicy.requireIdentity(), verifier)
  .thenFn("receipt", receiptOf)
  .withOutputSchema(Receipt);
const cors = new CorsGuard({
  allowedOrigins: [ORIGIN],
  allowCredentials: true,
  exposedHeaders: ["x-request-id"],
});

const ingress = Framework.http()
  .guard(new AccessLogGuard())
  .guard(IpFilterGuard.denyList(BLOCKED))
  .guard(new RateLimitGuard(RATE.requests, RATE.windowMs))
  .guard(cors)
  .guard(new SecurityHeadersGuard())
  .requestIdLayer()
  .post("/order", order)
  .bind(`${host}:${port}`);
inspect(ingress, process.argv[4]);
await ingress.run();
readyAside();
