// What every request passes before it is routed: how it is framed, what it
// expects, whom it addresses, its method and its target.
//
//   G1. The headers of every request are walked over once: only a walk shows what
//       stands there twice, and tells an empty length from none. For a request with
//       one header it costs what four look-ups would (docs/decisions/0003).
//   G2. Where a field may stand there twice, they are walked over again: no line of one
//       decides for another. What has one value is refused, a list is joined.
//   G3. A refusal here ends the connection, because what follows on it cannot be
//       trusted; only a malformed query, which says nothing of framing, keeps it.

import { methods } from "#core/route-row.js";
import { Refusal } from "../refusal.js";
import { bodyLength } from "./framing.js";
import { HeadFields, joinedFields, type ReadHead } from "./head-fields.js";
import { isHost } from "./host-header.js";
import { HostRules } from "./host-rules.js";
import type { NativeRequest } from "./port.js";
import { refusalOfRepeated, repeatedFields } from "./single-fields.js";

export interface GateRules {
  /** The longest target: path, "?" and query. */
  readonly targetLimit: number;
  /** Rules as HostRules takes them; none for every host. */
  readonly allowedHosts: readonly string[];
}

/** What the gate learns of a request. */
export interface Head extends ReadHead {
  method: string;
  /** Raw. */
  path: string;
  /** Raw; undefined without a "?". */
  query: string | undefined;
  /** Bytes of the body, CHUNKED, or 0. */
  bodyLength: number;
  /** Whether some header has several lines, of which a look-up by name shows the first. */
  repeats: boolean;
}

/** Those of the gate's fields that may have several lines. */
const LISTS = ["expect", "content-encoding"];

const METHODS: ReadonlySet<string> = new Set(methods);

const UNKNOWN_METHOD = new Refusal("METHOD_UNKNOWN", { ends: true });
const UNKNOWN_EXPECTATION = new Refusal("EXPECTATION_UNKNOWN", {
  detail: "Only '100-continue' can be expected",
  ends: true,
});
const INVALID_HOST = new Refusal("HOST_INVALID", { ends: true });
const HOST_UNSERVED = new Refusal("HOST_UNSERVED", { ends: true });
const INVALID_QUERY = new Refusal("TARGET_INVALID", { detail: "The query is not percent-encoded ASCII" });

// Visible ASCII without "#", which no request target can hold.
const QUERY = /^[!"$-~]*$/;

export class Gate {
  // Clients of one server send one Host; comparing is cheaper than parsing. It
  // begins as what no Host is.
  #lastHost = " ";
  readonly #fields = new HeadFields();
  readonly #hosts: HostRules;
  readonly #targetLimit: number;
  readonly #tooLong: Refusal;

  /** Throws CONFIG_INVALID for rules of hosts that are none. */
  constructor({ targetLimit, allowedHosts }: GateRules) {
    this.#hosts = new HostRules(allowedHosts);
    this.#targetLimit = targetLimit;
    this.#tooLong = new Refusal("TARGET_TOO_LONG", {
      detail: `At most ${targetLimit} characters`,
      ends: true,
    });
  }

  /** Fills `head`, which is new and has its method already; answers why the request is refused, or null. */
  pass(request: NativeRequest, head: Head): Refusal | null {
    const { method } = head;
    head.path = request.getUrl();
    head.query = request.getQuery();
    const fields = this.#fields;
    fields.read(request, head);
    const length = bodyLength(fields);
    if (length instanceof Refusal) return length;
    head.bodyLength = length;
    if (fields.mayRepeat) {
      const refusal = this.#readRepeated(request, head);
      if (refusal !== null) return refusal;
    }
    const { expect } = fields;
    const { host } = head;
    if (method !== "GET" && !METHODS.has(method)) return UNKNOWN_METHOD;
    if (expect !== "" && !isKnown(expect)) return UNKNOWN_EXPECTATION;
    if (host !== this.#lastHost) {
      if (!isHost(host)) return INVALID_HOST;
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
    head.repeats = true;
    [this.#fields.expect = "", head.contentEncoding = ""] = joinedFields(request, LISTS);
    return refusalOfRepeated(repeated);
  }
}

const isKnown = (expectations: string): boolean =>
  expectations
    .toLowerCase()
    .split(",")
    .every((expectation) => expectation.trim() === "100-continue");

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
