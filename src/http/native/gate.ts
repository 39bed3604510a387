// What every request passes before it is routed: how it is framed, what it
// expects, whom it addresses, its method and its target.
//
//   G1. Four headers of a GET are looked up: each look-up crosses into the engine. All
//       other requests, and a GET with a body, have their headers walked over, which
//       alone shows what stands there twice. A look-up cannot tell an empty length
//       from none: docs/errors.md says what that means for a GET.
//   G2. A refusal here ends the connection, because what follows on it cannot be
//       trusted; only a malformed query, which says nothing of framing, keeps it.

import { Refusal } from "../refusal.js";
import { BodyFields } from "./body-fields.js";
import { bodyLength } from "./framing.js";
import { isHost } from "./host-header.js";
import { nativeText } from "./native-text.js";
import type { NativeRequest } from "./port.js";

/** The longest target: path, "?" and query. */
const MAX_TARGET_LENGTH = 8192;

/** What the gate learns of a request. */
export interface Head {
  method: string;
  /** Raw. */
  path: string;
  /** Raw; undefined without a "?". */
  query: string | undefined;
  /** Bytes of the body, CHUNKED, or 0. */
  bodyLength: number;
  /** Of a request with a body; else "". */
  contentType: string;
  contentEncoding: string;
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const CONTENT_LENGTH = nativeText("content-length");
const TRANSFER_ENCODING = nativeText("transfer-encoding");
const EXPECT = nativeText("expect");
const HOST = nativeText("host");

const UNKNOWN_METHOD = new Refusal("METHOD_UNKNOWN", { ends: true });
const UNKNOWN_EXPECTATION = new Refusal("EXPECTATION_UNKNOWN", {
  detail: "Only '100-continue' can be expected",
  ends: true,
});
const INVALID_HOST = new Refusal("HOST_INVALID", { ends: true });
const TOO_LONG = new Refusal("TARGET_TOO_LONG", {
  detail: `At most ${MAX_TARGET_LENGTH} characters`,
  ends: true,
});
const INVALID_QUERY = new Refusal("TARGET_INVALID", { detail: "The query is not percent-encoded ASCII" });

// Visible ASCII without "#", which no request target can hold.
const QUERY = /^[!"$-~]*$/;

export class Gate {
  // Clients of one server send one Host; comparing is cheaper than parsing. It
  // begins as what no Host is.
  #lastHost = " ";
  readonly #fields = new BodyFields();

  /** Fills `head`, whose method is there already; answers why the request is refused, or null. */
  pass(request: NativeRequest, head: Head): Refusal | null {
    const { method } = head;
    head.path = request.getUrl();
    head.query = request.getQuery();
    let host: string;
    let expect: string;
    if (
      method === "GET" &&
      request.getHeader(CONTENT_LENGTH) === "" &&
      request.getHeader(TRANSFER_ENCODING) === ""
    ) {
      host = request.getHeader(HOST);
      expect = request.getHeader(EXPECT);
    } else {
      const fields = this.#fields;
      fields.read(request);
      const length = bodyLength(fields);
      if (length instanceof Refusal) return length;
      head.bodyLength = length;
      head.contentType = fields.contentType;
      head.contentEncoding = fields.contentEncoding;
      ({ host, expect } = fields);
    }
    if (method !== "GET" && !METHODS.has(method)) return UNKNOWN_METHOD;
    if (expect !== "" && expect.toLowerCase() !== "100-continue") return UNKNOWN_EXPECTATION;
    if (host !== this.#lastHost) {
      if (!isHost(host)) return INVALID_HOST;
      this.#lastHost = host;
    }
    const { path, query } = head;
    if (query === undefined) return path.length > MAX_TARGET_LENGTH ? TOO_LONG : null;
    if (path.length + 1 + query.length > MAX_TARGET_LENGTH) return TOO_LONG;
    return query === "" || isQuery(query) ? null : INVALID_QUERY;
  }
}

function isQuery(query: string): boolean {
  if (!QUERY.test(query)) return false;
  return !query.includes("%") || (!query.includes("%00") && decodes(query));
}

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
