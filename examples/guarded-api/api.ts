// The gauge behind guards: each is a line, drawn in the Schematic in front of what it guards.

import { Framework } from "framework";
import {
  AccessLogGuard,
  BodyLimitGuard,
  ContentTypeGuard,
  CorsGuard,
  IpFilterGuard,
  RateLimitGuard,
  SecurityHeadersGuard,
  SecurityPolicy,
} from "framework/std";

import { Gauge, readLevel, recordLevel } from "./gauge.js";

export interface ApiOptions {
  /** The one origin whose pages may use the API. */
  readonly pageOrigin: string;
  /** Addresses and ranges that gauges send from. Default: this machine. */
  readonly gauges?: readonly string[];
  /** Addresses and ranges that nobody is served from. Default: none. */
  readonly blocked?: readonly string[];
  /** Milliseconds that never go back. Tests pass their own. */
  readonly now?: () => number;
}

const thisMachine = ["127.0.0.0/8", "::1"];

export function guardedApi({ pageOrigin, gauges = thisMachine, blocked = [], now }: ApiOptions) {
  // A burst of five, then one every two seconds, for each client.
  const readings = new RateLimitGuard(5, 10_000, { name: "readings", ...(now && { now }) });

  return (
    Framework.http({ resources: [Gauge] })
      // Of the ingress: they stand before every route, and before a path is said to be unknown.
      .guard(new AccessLogGuard())
      .guard(new SecurityHeadersGuard(SecurityPolicy.default().withCsp({ "default-src": "'none'" })))
      .guard(
        new CorsGuard({
          allowedOrigins: [pageOrigin],
          allowedMethods: ["GET", "POST"],
          allowedHeaders: ["Content-Type"],
          // Without these a page sees that it was refused, and not when it may come again.
          exposedHeaders: ["RateLimit", "RateLimit-Policy", "Retry-After"],
        }),
      )
      .guard(IpFilterGuard.denyList(blocked))
      .get("/level", readLevel, { guards: [readings] })
      .post("/level", recordLevel, {
        guards: [
          IpFilterGuard.allowList(gauges),
          new ContentTypeGuard(["application/json"]),
          new BodyLimitGuard(100),
        ],
      })
  );
}
