// What every request passes before it is routed: how it is framed, what it
// expects, whom it addresses, its method and its target.
//
//   G1. The headers of every request are walked over once: only a walk shows what
//       stands there twice, and tells an empty length from none. For a request with
//       one header it costs what four look-ups would (docs/decisions/0003).
//   G2. A refusal here ends the connection, because what follows on it cannot be
//       trusted; only a malformed query, which says nothing of framing, keeps it.

import { methods } from "#core/route-row.js";
import { Refusal } from "../refusal.js";
import { bodyLength } from "./framing.js";
import { HeadFields } from "./head-fields.js";
import { isHost } from "./host-header.js";
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
  /** "" where it is absent. */
  contentType: string;
  contentEncoding: string;
}

const METHODS: ReadonlySet<string> = new Set(methods);

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
  readonly #fields = new HeadFields();

  /** Fills `head`, whose method is there already; answers why the request is refused, or null. */
  pass(request: NativeRequest, head: Head): Refusal | null {
    const { method } = head;
    head.path = request.getUrl();
    head.query = request.getQuery();
    const fields = this.#fields;
    fields.read(request);
    const length = bodyLength(fields);
    if (length instanceof Refusal) return length;
    head.bodyLength = length;
    head.contentType = fields.contentType;
    head.contentEncoding = fields.contentEncoding;
    const { host, expect } = fields;
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
