// Fields that have one value and no more (RFC 9110, section 5.3). Whoever stands in front
// of this server may take the first line of two, and a step the last: neither is served.

import { Refusal } from "../refusal.js";
import type { NativeRequest } from "./port.js";

/** Those that say who asks, of what page, for what part, and what the body is. The framing has its own rules. */
const SINGLE = [
  "authorization",
  "content-range",
  "content-type",
  "host",
  "idempotency-key",
  "if-modified-since",
  "if-range",
  "if-unmodified-since",
  "origin",
  "proxy-authorization",
  "range",
].map((name) => {
  const detail = `'${name}' stands there more than once`;
  return { name, refusal: new Refusal("HEADER_REPEATED", { detail, ends: true }) };
});

/** The names that stand there more than once. */
export function repeatedFields(request: NativeRequest): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  request.forEach((name) => {
    if (seen.has(name)) repeated.add(name);
    else seen.add(name);
  });
  return repeated;
}

/** Why a request is refused that has these fields more than once, or null. */
export const refusalOfRepeated = (repeated: ReadonlySet<string>): Refusal | null =>
  SINGLE.find(({ name }) => repeated.has(name))?.refusal ?? null;
