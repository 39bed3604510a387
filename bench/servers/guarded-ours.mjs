// The guarded order as an application of this framework writes it. `node guarded-ours.mjs PORT [EdDSA]`.

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

await Framework.http()
  .guard(new AccessLogGuard())
  .guard(IpFilterGuard.denyList(BLOCKED))
  .guard(new RateLimitGuard(RATE.requests, RATE.windowMs))
  .guard(cors)
  .guard(new SecurityHeadersGuard())
  .requestIdLayer()
  .post("/order", order)
  .bind(`${host}:${port}`)
  .run();
readyAside();
