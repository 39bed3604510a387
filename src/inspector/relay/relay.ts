// Sends requests that operators write into the running circuits, in process.
//
//   RY1. Where a request goes nobody chooses: it is answered by this ingress's own circuits,
//        as one of its own clients', and no connection is opened.
//   RY2. It carries what the operator wrote and nothing of the Inspector's request: no token,
//        no cookie, no address.
//   RY3. So many at once, for so long, with answers of so many bytes, and no more.

import { randomUUID } from "node:crypto";

import { type Clock, systemClock } from "#core/clock.js";
import type { Fault } from "#core/outcome.js";
import type { RelayRequest } from "../api/relay.js";
import { type InspectorFault, inspectorFault } from "../fault.js";
import { refusalOfHeaders } from "./relay-headers.js";
import { type ShownBody, shownBody } from "./shown-body.js";

/** A request as it is handed to the ingress. */
export interface SentInProcess {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  /** The answer is broken off beyond that. */
  readonly maxBytes: number;
}

export interface AnsweredInProcess {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  /** Whether more came than was wanted. */
  readonly isCut: boolean;
}

export interface RelayOptions {
  /** Rejects where the connection is ended unanswered, and with the signal's reason. */
  readonly send: (request: SentInProcess) => Promise<AnsweredInProcess>;
  /** The run that answered the request with this id; undefined where none was traced. */
  readonly runOf: (requestId: string) => string | undefined;
  /** Told before a request is sent, and after, whose run will be asked for. */
  readonly follow: (requestId: string) => () => void;
  readonly limit?: number;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
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
  readonly #options: RelayOptions;
  readonly #limit: number;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  #running = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#limit = options.limit ?? 8;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#clock = options.clock ?? systemClock;
  }

  async send(request: RelayRequest): Promise<Relayed | Fault<InspectorFault>> {
    const { method, path, headers = {} } = request;
    if (!METHODS.has(method)) return refused(`The method is none of ${[...METHODS].join(", ")}`);
    if (!TARGET.test(path)) return refused("The path is to begin with '/', and to be percent-encoded");
    const problem = refusalOfHeaders(headers);
    if (problem !== undefined) return refused(problem);
    if (this.#running >= this.#limit)
      return inspectorFault("RELAY_BUSY", { headers: { "retry-after": "1" } });
    this.#running += 1;
    try {
      return await this.#send(request, headers);
    } finally {
      this.#running -= 1;
    }
  }

  async #send(
    { method, path, body }: RelayRequest,
    given: Readonly<Record<string, string>>,
  ): Promise<Relayed | Fault<InspectorFault>> {
    const headers = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
    const bytes = bodyOf(body, headers);
    const requestId = headers.get("x-request-id") ?? randomUUID();
    headers.set("x-request-id", requestId);
    const controller = new AbortController();
    const cancel = this.#clock.after(this.#timeoutMs, () => controller.abort(TIMED_OUT));
    const forget = this.#options.follow(requestId);
    const startedAt = this.#clock.now();
    try {
      const sent = { method, target: path, headers: [...headers], body: bytes };
      const answer = await this.#options.send({
        ...sent,
        signal: controller.signal,
        maxBytes: MAX_ANSWER_BYTES,
      });
      const duration_ms = this.#clock.now() - startedAt;
      if (answer.isCut)
        return inspectorFault("RELAY_ANSWER_TOO_LARGE", { extensions: { answered: answer.status } });
      return {
        status: answer.status,
        headers: answer.headers.map(([name, value]) => [name, value]),
        ...shownBody(answer.body, typeIn(answer.headers)),
        duration_ms,
        run_id: this.#options.runOf(requestId) ?? null,
      };
    } catch (error) {
      return inspectorFault(error === TIMED_OUT ? "RELAY_TIMEOUT" : "RELAY_UNANSWERED");
    } finally {
      cancel();
      forget();
    }
  }
}

const TIMED_OUT = new Error("The answer took too long");

const refused = (detail: string): Fault<InspectorFault> => inspectorFault("RELAY_REFUSED", { detail });

/** A text as it is, anything else as JSON, with a content type where none is given. */
function bodyOf(body: unknown, headers: Map<string, string>): Uint8Array {
  if (body === undefined) return new Uint8Array();
  const isText = typeof body === "string";
  if (!headers.has("content-type"))
    headers.set("content-type", isText ? "text/plain; charset=utf-8" : "application/json");
  return Buffer.from(isText ? body : JSON.stringify(body));
}

const typeIn = (headers: AnsweredInProcess["headers"]): string =>
  headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
