// Checks every request before routing: framing, expectation, host, method, target. Headers are read
// in one walk, because a look-up by name hides repeated and empty fields. Repeated single-value
// fields are refused; lists are joined in a second walk. A refusal closes the connection, as its
// framing cannot be trusted. The refusal of a malformed query keeps it open.

import { methods } from "#core/wire/route-row.js";
import { Refusal } from "../refusal/refusal.js";
import { bodyLength, CHUNKED } from "./framing.js";
import { HeadFields, joinedFields, type ReadHead, refusalOfRepeated, repeatedFields } from "./head-fields.js";
import { HostRules, isHost } from "./host-rules.js";
import type { NativeRequest } from "./port.js";

export interface GateRules {
  /** Largest path, "?" and query. */
  readonly targetLimit: number;
  readonly allowedHosts: readonly string[];
}

export interface Head extends ReadHead {
  method: string;
  path: string;
  /** Raw query; undefined without a "?". */
  query: string | undefined;
  /** Length in bytes, CHUNKED, or 0 without a body. */
  bodyLength: number;
  /** True if a header is repeated or empty: a look-up by name returns the first line, and "" for an absent one too. */
  needsWalk: boolean;
}

const LISTS = ["expect", "content-encoding"];

const METHODS: ReadonlySet<string> = new Set(methods);

const UNKNOWN_METHOD = new Refusal("METHOD_UNKNOWN", { ends: true });
const UNKNOWN_EXPECTATION = new Refusal("EXPECTATION_UNKNOWN", {
  detail: "Only '100-continue', in lower case, can be expected",
  ends: true,
});
// The engine parses trailer fields as the start of the next request.
const TRAILER = new Refusal("CODING_UNSUPPORTED", { detail: "Trailer fields are not supported", ends: true });
const INVALID_HOST = new Refusal("HOST_INVALID", { ends: true });
const HOST_UNSERVED = new Refusal("HOST_UNSERVED", { ends: true });
const INVALID_QUERY = new Refusal("TARGET_INVALID", { detail: "The query is not percent-encoded ASCII" });

// Visible ASCII without "#".
const QUERY = /^[!"$-~]*$/;

export class Gate {
  // Comparing is cheaper than parsing. The initial value matches no Host.
  #lastHost = " ";
  readonly #fields = new HeadFields();
  readonly #hosts: HostRules;
  readonly #targetLimit: number;
  readonly #tooLong: Refusal;

  constructor({ targetLimit, allowedHosts }: GateRules) {
    this.#hosts = new HostRules(allowedHosts);
    this.#targetLimit = targetLimit;
    this.#tooLong = new Refusal("TARGET_TOO_LONG", {
      detail: `At most ${targetLimit} characters`,
      ends: true,
    });
  }

  /** Fills `head`, whose method is set already. Returns the refusal, or null. */
  pass(request: NativeRequest, head: Head): Refusal | null {
    const { method } = head;
    head.path = request.getUrl();
    head.query = request.getQuery();
    const fields = this.#fields;
    fields.read(request, head);
    const length = bodyLength(fields);
    if (length instanceof Refusal) return length;
    head.bodyLength = length;
    head.needsWalk = fields.hasEmpty;
    if (fields.mayRepeat) {
      const refusal = this.#readRepeated(request, head);
      if (refusal !== null) return refusal;
    }
    if (fields.hasTrailer && length === CHUNKED) return TRAILER;
    const { expect } = fields;
    const { host } = head;
    if (method !== "GET" && !METHODS.has(method)) return UNKNOWN_METHOD;
    if (expect !== "" && !isKnown(expect)) return UNKNOWN_EXPECTATION;
    if (host !== this.#lastHost) {
      // hole: any text would reach links and redirects as the server's own name
      if (!isHost(host)) return INVALID_HOST;
      // hole: a page under a rebound name could read responses
      if (!this.#hosts.allows(host)) return HOST_UNSERVED;
      this.#lastHost = host;
    }
    const { path, query } = head;
    if (query === undefined) return path.length > this.#targetLimit ? this.#tooLong : null;
    if (path.length + 1 + query.length > this.#targetLimit) return this.#tooLong;
    return query === "" || isQuery(query) ? null : INVALID_QUERY;
  }

  #readRepeated(request: NativeRequest, head: Head): Refusal | null {
    const repeated = repeatedFields(request);
    if (repeated.size === 0) return null;
    head.needsWalk = true;
    [this.#fields.expect = "", head.contentEncoding = ""] = joinedFields(request, LISTS);
    return refusalOfRepeated(repeated);
  }
}

/** The engine sends 100 Continue for exactly this value. */
const isKnown = (expectations: string): boolean =>
  expectations.split(",").every((expectation) => expectation.trim() === "100-continue");

function isQuery(query: string): boolean {
  if (!QUERY.test(query)) return false;
  return !query.includes("%") || (!query.includes("%00") && decodes(query));
}

function decodes(text: string): boolean {
  try {
    // Its result is used: a bundler may drop a call whose result is not.
    return decodeURIComponent(text) !== "";
  } catch {
    return false;
  }
}
