// What the framework's own keys have: they have no schema, and a known meaning.

import type { Category } from "#core/secrets/sensitive.js";
import { isSensitiveName } from "#core/secrets/sensitive-names.js";
import { type Carried, carriedOf, NOTHING } from "./carried.js";

const CATEGORIES: Readonly<Record<string, Category>> = {
  ClientIp: "ip_address",
  ClientIdentity: "ip_address",
  VerifiedIdentity: "identity",
  IamIdentity: "identity",
  Session: "identity",
  SessionLookup: "identity",
  SessionIssued: "credential",
  IamToken: "credential",
  RequestHeaders: "credential",
};

/** Keys without data of persons, or with data that the route's schemas declare. */
const PLAIN: ReadonlySet<string> = new Set(
  `RequestId TraceContext RequestOrigin OwnOrigin RequestScheme RequestMethod RequestPath RequestQuery PathParams
   QueryParams WebSocketConnection Rooms TenantId CorsHeaders RateLimitHeaders SecurityHeaders ValidatorHeaders
   AccessLogEntry Log FailureLog RunId RunEpoch IdempotentRequest SessionForgotten FencingToken`.split(/\s+/),
);

const HEAD = /^(?:header|cookie|signed cookie|encrypted cookie|param):(.*)$/s;

/** Undefined for a key that is not the framework's. */
export function factOf(key: string): Carried | undefined {
  const named = HEAD.exec(key)?.[1];
  const category = named !== undefined && isSensitiveName(named) ? "credential" : CATEGORIES[key];
  if (category !== undefined)
    return { ...carriedOf({ name: key, level: "confidential", category }), isDeclared: false };
  return named !== undefined || PLAIN.has(key) || key.startsWith("framework:") ? NOTHING : undefined;
}
