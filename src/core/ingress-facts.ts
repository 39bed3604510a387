// What an HTTP ingress knows of a request, as Bus keys. A step declares the ones
// it reads; an ingress fetches those and no others. Interned by name, so that a
// guard of one copy of the package reads what an ingress of another provides.

import { type BusKey, namedKey } from "./bus-key.js";

/** The request's id: the client's own where it is well-formed, else a UUIDv7. */
export const RequestId = namedKey<string, "RequestId">("RequestId");

/** The method as the client wrote it: "GET". */
export const RequestMethod = namedKey<string, "RequestMethod">("RequestMethod");

/** The path as it came, still percent-encoded, without the query. */
export const RequestPath = namedKey<string, "RequestPath">("RequestPath");

/** The decoded parameters of the route's pattern. No prototype. */
export const PathParams = namedKey<Readonly<Record<string, string>>, "PathParams">("PathParams");

/** The decoded query; a key that came more than once has an array. No prototype. */
export const QueryParams = namedKey<Readonly<Record<string, string | readonly string[]>>, "QueryParams">(
  "QueryParams",
);

export type IngressFact =
  | typeof RequestId
  | typeof RequestMethod
  | typeof RequestPath
  | typeof PathParams
  | typeof QueryParams
  | BusKey<string, `header:${string}`>
  | BusKey<string, `cookie:${string}`>;

/**
 * The key of one request header; absent when the request has none. `get` in a
 * step makes it required: a request without it is answered 400.
 */
export const header = <const Name extends string>(name: Name): BusKey<string, `header:${Lowercase<Name>}`> =>
  namedKey(`header:${name.toLowerCase() as Lowercase<Name>}`);

/** The key of one cookie, its value percent-decoded. Required by `get`, like {@link header}. */
export const cookie = <const Name extends string>(name: Name): BusKey<string, `cookie:${Name}`> =>
  namedKey(`cookie:${name}`);

/** The key of one decoded parameter of the route's pattern. */
export const param = <const Name extends string>(name: Name): BusKey<string, `param:${Name}`> =>
  namedKey(`param:${name}`);
