// What an HTTP ingress knows of a request, as Bus keys. It fetches those that steps declare.

import { type BusKey, namedKey } from "../bus/bus-key.js";
import type { FailureLog, Log } from "../bus/log.js";
import type { IamToken } from "../iam/iam-identity.js";
import type { Rooms } from "./web-socket.js";

/** The request's id: the client's own where it is well-formed, else a UUIDv7. */
export const RequestId = namedKey<string, "RequestId">("RequestId");

/**
 * The client's address in its canonical form, IPv4-mapped IPv6 as IPv4: the socket's peer, or
 * the one that a trusted proxy names. Absent where neither is known.
 */
export const ClientIp = namedKey<string, "ClientIp">("ClientIp");

/**
 * What counts as one client: "id:" and its {@link VerifiedIdentity}, else its address, of
 * IPv6 the first 64 bits; "unknown" for all that have none. Looked up at first read: an
 * identity that is put on the Bus later changes nothing.
 */
export const ClientIdentity = namedKey<string, "ClientIdentity">("ClientIdentity");

/**
 * Who sent the request, written by a guard or layer that has verified it: a subject, the
 * name of an API key. Never what the client merely says.
 */
export const VerifiedIdentity = namedKey<string, "VerifiedIdentity">("VerifiedIdentity");

/** The `origin` header: which page of a browser sends the request. Absent where it names none. */
export const RequestOrigin = namedKey<string, "RequestOrigin">("RequestOrigin");

/**
 * The origin of this server as the client sees it: "https://api.example", with the port
 * where it is not the scheme's own. From the Host header and {@link RequestScheme}.
 */
export const OwnOrigin = namedKey<string, "OwnOrigin">("OwnOrigin");

/** How the client spoke: "https" to a server that speaks TLS, or where a trusted proxy says so. */
export const RequestScheme = namedKey<"http" | "https", "RequestScheme">("RequestScheme");

/** The method as the client wrote it: "GET". */
export const RequestMethod = namedKey<string, "RequestMethod">("RequestMethod");

/** The path as it came, still percent-encoded, without the query. */
export const RequestPath = namedKey<string, "RequestPath">("RequestPath");

/** What follows the "?" of the target, still percent-encoded; "" for nothing. Absent where there is no "?". */
export const RequestQuery = namedKey<string, "RequestQuery">("RequestQuery");

/** The decoded parameters of the route's pattern. No prototype. */
export const PathParams = namedKey<Readonly<Record<string, string>>, "PathParams">("PathParams");

/** The decoded query; a key that came more than once has an array. No prototype. */
export const QueryParams = namedKey<Readonly<Record<string, string | readonly string[]>>, "QueryParams">(
  "QueryParams",
);

/**
 * All headers by their names in lower case; one that came in several lines has an array. No
 * prototype. Costs a walk over the head for each request: {@link header} asks for a single one.
 */
export const RequestHeaders = namedKey<
  Readonly<Record<string, string | readonly string[]>>,
  "RequestHeaders"
>("RequestHeaders");

/** Where a request stands in a distributed trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits in lower case: the caller's, or a new one where it gave none that is valid. */
  readonly traceId: string;
  /** 16 digits: this server's own part of the trace, made for this request. */
  readonly spanId: string;
  /** The caller's part of the trace; undefined where the trace begins here. */
  readonly parentSpanId: string | undefined;
  /** Whether the caller may have recorded its part. False where the trace begins here: nothing is recorded yet. */
  readonly sampled: boolean;
  /** Whether whoever began the trace says that its id is random (level 2 of the specification). */
  readonly random: boolean;
  /** What other tracing systems pass along, as `key=value,key=value`; "" for nothing. */
  readonly traceState: string;
}

/** The request's place in its trace: the caller's trace continued, or a new one. */
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
 * The key of one request header; absent when the request has none. `get` in a
 * step makes it required: a request without it is answered 400. Lines of one
 * that is repeated are joined by ", ". An empty one counts as absent, except
 * conditions and standard lists such as If-Match and Accept: their value is "".
 */
export const header = <const Name extends string>(name: Name): BusKey<string, `header:${Lowercase<Name>}`> =>
  namedKey(`header:${name.toLowerCase() as Lowercase<Name>}`);

/** The key of one cookie, its value percent-decoded. Required by `get`, like {@link header}. */
export const cookie = <const Name extends string>(name: Name): BusKey<string, `cookie:${Name}`> =>
  namedKey(`cookie:${name}`);

/** The key of one decoded parameter of the route's pattern. */
export const param = <const Name extends string>(name: Name): BusKey<string, `param:${Name}`> =>
  namedKey(`param:${name}`);
