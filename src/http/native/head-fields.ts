import { Refusal } from "../refusal/refusal.js";
import type { NativeRequest } from "./port.js";

/** Whether Connection has `close`: "alone" in the first line, where the engine sees it, or "listed". */
export type Closing = "no" | "alone" | "listed";

/** Header values read before routing; "" or false if a field is absent. */
export interface ReadHead {
  host: string;
  origin: string;
  /** True if a traceparent exists, valid or not. */
  isTraced: boolean;
  closing: Closing;
  contentType: string;
  contentEncoding: string;
}

const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/** A power of two, large enough that usual header names do not collide. */
const STAMPS = 2048;

/** Header fields needed before routing, read in one walk. Holds the last line of a repeated field: see `mayRepeat`. */
export class HeadFields {
  contentLength = "";
  transferEncoding = "";
  /** Number of Content-Length and of Transfer-Encoding lines. */
  lengths = 0;
  codings = 0;
  expect = "";
  hasTrailer = false;
  /** True if a field is repeated. Rarely true without a repeated field (hash collision). */
  mayRepeat = false;
  hasEmpty = false;
  /** By hash of the field name: number of the last request with such a field. */
  readonly #stamps = new Int32Array(STAMPS);
  #request = 0;
  #head: ReadHead = {
    host: "",
    origin: "",
    isTraced: false,
    closing: "no",
    contentType: "",
    contentEncoding: "",
  };

  read(request: NativeRequest, head: ReadHead): void {
    this.#head = head;
    this.contentLength = "";
    this.transferEncoding = "";
    this.lengths = 0;
    this.codings = 0;
    this.expect = "";
    this.hasTrailer = false;
    this.mayRepeat = false;
    this.hasEmpty = false;
    this.#request = (this.#request + 1) | 0;
    request.forEach(this.#take);
  }

  // Made once: a closure per request would cost more. The stamps cost 3 ns per header
  // (docs/decisions/0003).
  readonly #take = (name: string, value: string): void => {
    const place = placeOf(name);
    if (this.#stamps[place] === this.#request) this.mayRepeat = true;
    else this.#stamps[place] = this.#request;
    if (value.length === 0) this.hasEmpty = true;
    switch (name.length) {
      case 4:
        if (name === "host") this.#head.host = value;
        break;
      case 6:
        if (name === "expect") this.expect = value;
        else if (name === "origin") this.#head.origin = value;
        break;
      case 7:
        if (name === "trailer") this.hasTrailer = true;
        break;
      case 10:
        if (name === "connection" && value !== "keep-alive" && CLOSE.test(value))
          this.#head.closing = value.length === 5 && !this.mayRepeat ? "alone" : "listed";
        break;
      case 11:
        if (name === "traceparent") this.#head.isTraced = true;
        break;
      case 12:
        if (name === "content-type") this.#head.contentType = value;
        break;
      case 14:
        if (name === "content-length") {
          this.lengths += 1;
          this.contentLength = value;
        }
        break;
      case 16:
        if (name === "content-encoding") this.#head.contentEncoding = value;
        break;
      case 17:
        if (name === "transfer-encoding") {
          // hole: a repeated Transfer-Encoding would pass
          this.codings += 1;
          this.transferEncoding = value;
        }
        break;
    }
  };
}

/** A perfect hash of the names that are read. */
function placeOf(name: string): number {
  const { length } = name;
  const spread = name.charCodeAt(length - 2) * 65 + name.charCodeAt(length >> 1) * 131 + length * 127;
  return spread & (STAMPS - 1);
}

/** Values by name, undefined for absent fields. Repeated lines are joined (RFC 9110, section 5.3; cookies: RFC 9113, section 8.2.3). */
export function joinedFields(
  request: NativeRequest,
  names: readonly string[],
): readonly (string | undefined)[] {
  const found = names.map((): string | undefined => undefined);
  request.forEach((name, value) => {
    const at = names.indexOf(name);
    if (at < 0) return;
    const before = found[at];
    if (before === undefined || before === "") found[at] = value;
    else if (value !== "") found[at] = `${before}${name === "cookie" ? "; " : ", "}${value}`;
  });
  return found;
}

/**
 * Fields whose empty value differs from an absent field: lists, which may have no elements (RFC
 * 9110, section 5.6.1), conditions, and keys. Any other empty field counts as absent.
 */
export const MEANT_IF_EMPTY: ReadonlySet<string> = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "access-control-request-headers",
  "cache-control",
  "connection",
  "content-encoding",
  "content-language",
  "expect",
  "forwarded",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "range",
  "sec-websocket-extensions",
  "sec-websocket-protocol",
  "te",
  "trailer",
  "upgrade",
  "via",
  "x-forwarded-for",
]);

/** Single-value fields (RFC 9110, section 5.3). Repeated, a proxy may use the first line and a step the last. */
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

export function repeatedFields(request: NativeRequest): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  request.forEach((name) => {
    if (seen.has(name)) repeated.add(name);
    else seen.add(name);
  });
  return repeated;
}

export const refusalOfRepeated = (repeated: ReadonlySet<string>): Refusal | null =>
  SINGLE.find(({ name }) => repeated.has(name))?.refusal ?? null;
