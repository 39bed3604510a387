// Sends requests that operators write into the running circuits, in process: no connection
// is opened, and the ingress's own circuits serve it like one of its clients' requests. It
// carries what the operator wrote and nothing of the Inspector's request: no token, no
// cookie, no address.

import { isUtf8 } from "node:buffer";
import type { Fault } from "#core/bus/outcome.js";
import { type Clock, systemClock } from "#core/clock.js";
import { isHeaderValue, isToken } from "#core/wire/header-syntax.js";
import { newRequestId } from "#http/exchange/request-id.js";
import type { ExtensionHost, RunEntry } from "#http/plan/extension.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { RelayRequest } from "../api/relay.js";
import type { Recording } from "../recording/recording.js";
import type { Circuits } from "../server/circuits.js";

export interface RelayOptions {
  /** The ingress's own. */
  readonly send: ExtensionHost["send"];
  readonly recording: Pick<Recording, "runOf">;
  readonly circuits: Pick<Circuits, "serving">;
  /** Default 8. */
  readonly limit?: number;
  /** Default 30 000. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

export interface ShownBody {
  /** What `body` is. */
  readonly encoding: "json" | "text" | "base64" | "none";
  readonly body: unknown;
}

export interface Relayed extends ShownBody {
  readonly status: number;
  readonly headers: [string, string][];
  readonly duration_ms: number;
  readonly run_id: string | null;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Visible ASCII without "#", which no target holds. */
const TARGET = /^\/[!"$-~]*$/;
const MAX_ANSWER_BYTES = 1_048_576;

export class Relay {
  readonly #options: Required<RelayOptions>;
  #running = 0;

  constructor(options: RelayOptions) {
    this.#options = { limit: 8, timeoutMs: 30_000, clock: systemClock, ...options };
  }

  /** `entry`: the node at which its run begins. `requestId` must be new. */
  async send(
    request: RelayRequest,
    entry?: RunEntry,
    requestId: string = newRequestId(),
  ): Promise<Relayed | Fault<InspectorFault>> {
    const { method, path, headers = {} } = request;
    if (!METHODS.has(method)) return refused(`The method is none of ${[...METHODS].join(", ")}`);
    if (!TARGET.test(path)) return refused("The path is to begin with '/', and to be percent-encoded");
    const problem = refusalOfHeaders(headers);
    if (problem !== undefined) return refused(problem);
    if (this.#running >= this.#options.limit)
      return inspectorFault("RELAY_BUSY", { headers: { "retry-after": "1" } });
    return this.#relay(request, headers, requestId, entry);
  }

  async #relay(
    { method, path, body: given }: RelayRequest,
    headers: Readonly<Record<string, string>>,
    requestId: string,
    entry: RunEntry | undefined,
  ): Promise<Relayed | Fault<InspectorFault>> {
    const { send, recording, circuits, timeoutMs, clock } = this.#options;
    const { body, type } = bodyOf(given);
    const isTyped = type === "" || Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
    const lines = [...Object.entries(headers), ...(isTyped ? [] : [["content-type", type] as const])];
    const late = new AbortController();
    const cancel = clock.after(timeoutMs, () => late.abort());
    const startedAt = clock.now();
    const request = { method, target: path, headers: lines, body, requestId, signal: late.signal, entry };
    const circuit = circuits.serving(method, path.split("?", 1)[0] as string)?.axon;
    this.#running += 1;
    try {
      const { answer, runId } = await recording.runOf(circuit, requestId, () =>
        send({ ...request, maxAnswerBytes: MAX_ANSWER_BYTES }),
      );
      const duration_ms = clock.now() - startedAt;
      if (answer.isWhole)
        return {
          status: answer.status,
          headers: answer.headers.map(([name, value]) => [name, value]),
          ...shownBody(answer.body, typeIn(answer.headers)),
          duration_ms,
          run_id: runId ?? null,
        };
      if (late.signal.aborted) return inspectorFault("RELAY_TIMEOUT");
      return inspectorFault(
        answer.body.length > MAX_ANSWER_BYTES ? "RELAY_ANSWER_TOO_LARGE" : "RELAY_UNANSWERED",
      );
    } finally {
      cancel();
      this.#running -= 1;
    }
  }
}

const refused = (detail: string): Fault<InspectorFault> => inspectorFault("RELAY_REFUSED", { detail });

/** A text is sent unchanged, any other value as JSON, each with its default content type. */
function bodyOf(body: unknown): { readonly body: Uint8Array | undefined; readonly type: string } {
  if (body === undefined) return { body: undefined, type: "" };
  if (typeof body === "string") return { body: Buffer.from(body), type: "text/plain; charset=utf-8" };
  return { body: Buffer.from(JSON.stringify(body)), type: "application/json" };
}

const typeIn = (headers: readonly (readonly [string, string])[]): string =>
  headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;
const TEXT_TYPE =
  /^(?:text\/|application\/(?:xml|javascript|x-www-form-urlencoded)\b|[\w.-]+\/[\w.-]+\+xml\b)/i;

/** A body as JSON can hold it: its data, its text, or its bytes in base64. */
export function shownBody(bytes: Uint8Array, type: string): ShownBody {
  if (bytes.length === 0) return { encoding: "none", body: null };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isUtf8(buffer)) return { encoding: "base64", body: buffer.toString("base64") };
  if (JSON_TYPE.test(type)) {
    try {
      return { encoding: "json", body: JSON.parse(buffer.toString("utf8")) };
    } catch {
      return { encoding: "text", body: buffer.toString("utf8") };
    }
  }
  return TEXT_TYPE.test(type) || type === ""
    ? { encoding: "text", body: buffer.toString("utf8") }
    : { encoding: "base64", body: buffer.toString("base64") };
}

/**
 * Headers that a client of the service does not send itself: those of a connection, and those of
 * a proxy, which the service would believe.
 */
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
  // Set by a proxy to describe its client.
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

/** Why a request with these headers is not relayed; undefined if it is. */
function refusalOfHeaders(headers: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) return `It has more than ${MAX_HEADERS} headers`;
  const lower = names.map((name) => name.toLowerCase());
  if (new Set(lower).size < lower.length) return "It has a header twice, in different cases";
  for (const [i, name] of names.entries()) {
    const small = lower[i] as string;
    if (!isToken(name)) return `${JSON.stringify(name)} is no name of a header`;
    // hole: an operator's page could pose as a proxy
    if (REFUSED.has(small) || REFUSED_BEGINNINGS.some((beginning) => small.startsWith(beginning)))
      return `The header '${small}' is not relayed: it is the connection's or a proxy's to say`;
    if (!isHeaderValue(headers[name] as string)) return `The value of '${small}' is no header's`;
  }
  return undefined;
}
