// Which headers a relayed request may have: those that a client of the service sends itself.
// What a connection or a proxy says is none of them: it would be believed.

import { isHeaderValue, isToken } from "#core/header-syntax.js";

const REFUSED: ReadonlySet<string> = new Set([
  // Of one connection (RFC 9110, section 7.6.1).
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // Of the message's own framing and place.
  "content-length",
  "expect",
  "host",
  // What a proxy says of whom it speaks for.
  "cf-connecting-ip",
  "client-ip",
  "fastly-client-ip",
  "forwarded",
  "true-client-ip",
  "via",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-original-url",
  "x-real-ip",
  "x-rewrite-url",
]);

const REFUSED_BEGINNINGS = ["x-forwarded-", "x-original-", "sec-websocket-"];

const MAX_HEADERS = 64;

/** Why a request with these headers is not relayed; undefined where it is. */
export function refusalOfHeaders(headers: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) return `It has more than ${MAX_HEADERS} headers`;
  const lower = names.map((name) => name.toLowerCase());
  if (new Set(lower).size < lower.length) return "It has a header twice, in different cases";
  for (const [i, name] of names.entries()) {
    const small = lower[i] as string;
    if (!isToken(name)) return `${JSON.stringify(name)} is no name of a header`;
    if (REFUSED.has(small) || REFUSED_BEGINNINGS.some((beginning) => small.startsWith(beginning)))
      return `The header '${small}' is not relayed: it is the connection's or a proxy's to say`;
    if (!isHeaderValue(headers[name] as string)) return `The value of '${small}' is no header's`;
  }
  return undefined;
}
