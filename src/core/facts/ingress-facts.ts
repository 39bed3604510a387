// Facts of a request as Bus keys. An HTTP ingress provides only those that steps declare.

import { type BusKey, namedKey } from "../bus/bus-key.js";
import type { FailureLog, Log } from "../bus/log.js";
import type { IamToken } from "../iam/iam-identity.js";
import type { Rooms } from "./web-socket.js";

/** The request's id: the client's own if well-formed, else a UUIDv7. */
export const RequestId = namedKey<string, "RequestId">("RequestId");

/**
 * The client's address in canonical form, IPv4-mapped IPv6 as IPv4: the socket's peer, or the
 * address that a trusted proxy names. Absent if neither is known.
 */
export const ClientIp = namedKey<string, "ClientIp">("ClientIp");

/**
 * Identifies one client: "id:" and its {@link VerifiedIdentity}, else its address (the first 64
 * bits of IPv6), else "unknown" for all clients without either. Computed at first read: an
 * identity written later does not change it.
 */
export const ClientIdentity = namedKey<string, "ClientIdentity">("ClientIdentity");

/**
 * Identity of the caller, written by a guard or layer that has verified it: a subject, the
 * name of an API key. Never an unverified claim of the client.
 */
export const VerifiedIdentity = namedKey<string, "VerifiedIdentity">("VerifiedIdentity");

/** The `origin` header: the origin of the page that sends the request. Absent without the header. */
export const RequestOrigin = namedKey<string, "RequestOrigin">("RequestOrigin");

/**
 * The origin of this server as the client sees it: "https://api.example", with the port if it
 * is not the default of the scheme. From the Host header and {@link RequestScheme}.
 */
export const OwnOrigin = namedKey<string, "OwnOrigin">("OwnOrigin");

/** Scheme of the request: "https" if the server uses TLS or a trusted proxy reports it. */
export const RequestScheme = namedKey<"http" | "https", "RequestScheme">("RequestScheme");

/** The method as the client wrote it: "GET". */
export const RequestMethod = namedKey<string, "RequestMethod">("RequestMethod");

/** The path as received: percent-encoded, without the query; with slashes for those that the route takes encoded. */
export const RequestPath = namedKey<string, "RequestPath">("RequestPath");

/** The query after the "?", percent-encoded; "" if it is empty. Absent without a "?". */
export const RequestQuery = namedKey<string, "RequestQuery">("RequestQuery");

/** The decoded parameters of the route's pattern. No prototype. */
export const PathParams = namedKey<Readonly<Record<string, string>>, "PathParams">("PathParams");

/** The decoded query. A repeated key has an array. No prototype. */
export const QueryParams = namedKey<Readonly<Record<string, string | readonly string[]>>, "QueryParams">(
  "QueryParams",
);

/**
 * All headers by lower-case name. A repeated header has an array. No prototype. Costs a pass
 * over the head for each request: {@link header} reads a single one.
 */
export const RequestHeaders = namedKey<
  Readonly<Record<string, string | readonly string[]>>,
  "RequestHeaders"
>("RequestHeaders");

/** Position of a request in a distributed trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits: the caller's, or new if the caller sent none or an invalid one. */
  readonly traceId: string;
  /** 16 digits: the span of this server, made for this request. */
  readonly spanId: string;
  /** Span of the caller; undefined if the trace begins here. */
  readonly parentSpanId: string | undefined;
  /** True if the caller may have recorded its span. False if the trace begins here. */
  readonly sampled: boolean;
  /** True if the origin of the trace declares its id random (level 2 of the specification). */
  readonly random: boolean;
  /** State of other tracing systems, as `key=value,key=value`; "" if none. */
  readonly traceState: string;
}

/** The request's position in its trace: the caller's trace continued, or a new one. */
export const TraceContext = namedKey<TraceContext, "TraceContext">("TraceContext");

export type IngressFact =
  | typeof RequestId
  | typeof TraceContext
  | typeof ClientIp
  | typeof ClientIdentity
  | typeof RequestScheme
  | typeof RequestOrigin
  | typeof OwnOrigin
  | typeof Log
  | typeof FailureLog
  | typeof IamToken
  | typeof RequestMethod
  | typeof RequestPath
  | typeof RequestQuery
  | typeof PathParams
  | typeof QueryParams
  | typeof Rooms
  | typeof RequestHeaders
  | BusKey<string, `header:${string}`>
  | BusKey<string, `cookie:${string}`>
  | BusKey<string, `signed cookie:${string}`>
  | BusKey<string, `encrypted cookie:${string}`>;

/**
 * The key of one request header; absent if the request has none. `get` in a step makes it
 * required: a request without it is refused with 400. Lines of a repeated header are joined
 * by ", ". An empty header counts as absent, except conditions and standard lists such as
 * If-Match and Accept: their value is "".
 */
export const header = <const Name extends string>(name: Name): BusKey<string, `header:${Lowercase<Name>}`> =>
  namedKey(`header:${name.toLowerCase() as Lowercase<Name>}`);

/** The key of one cookie. Its value is percent-decoded. `get` makes it required, like {@link header}. */
export const cookie = <const Name extends string>(name: Name): BusKey<string, `cookie:${Name}`> =>
  namedKey(`cookie:${name}`);

/** The key of one decoded parameter of the route's pattern. */
export const param = <const Name extends string>(name: Name): BusKey<string, `param:${Name}`> =>
  namedKey(`param:${name}`);
