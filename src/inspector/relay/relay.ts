// Sends requests that operators write into the running circuits, in process.

import { type Clock, systemClock } from "#core/clock.js";
import type { Fault } from "#core/outcome.js";
import type { ExtensionHost } from "#http/extension.js";
import { newRequestId } from "#http/request-id.js";
import type { RelayRequest } from "../api/relay.js";
import { type InspectorFault, inspectorFault } from "../fault.js";
import type { Recording } from "../recording/recording.js";
import type { Circuits } from "../server/circuits.js";
import { refusalOfHeaders } from "./relay-headers.js";
import { type ShownBody, shownBody } from "./shown-body.js";

export interface RelayOptions {
  /** The ingress's own. */
  readonly send: ExtensionHost["send"];
  /** Knows which run answered. */
  readonly recording: Pick<Recording, "runOf">;
  readonly circuits: Pick<Circuits, "serving">;
  /** Default 8. */
  readonly limit?: number;
  /** Default 30 000. */
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
  readonly #send: ExtensionHost["send"];
  readonly #limit: number;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #recording: RelayOptions["recording"];
  readonly #circuits: RelayOptions["circuits"];
  #running = 0;

  constructor({
    send,
    recording,
    circuits,
    limit = 8,
    timeoutMs = 30_000,
    clock = systemClock,
  }: RelayOptions) {
    this.#send = send;
    this.#recording = recording;
    this.#circuits = circuits;
    this.#limit = limit;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  async send(request: RelayRequest): Promise<Relayed | Fault<InspectorFault>> {
    const { method, path, headers = {} } = request;
    if (!METHODS.has(method)) return refused(`The method is none of ${[...METHODS].join(", ")}`);
    if (!TARGET.test(path)) return refused("The path is to begin with '/', and to be percent-encoded");
    const problem = refusalOfHeaders(headers);
    if (problem !== undefined) return refused(problem);
    if (this.#running >= this.#limit)
      return inspectorFault("RELAY_BUSY", { headers: { "retry-after": "1" } });
    return this.#relay(request, headers);
  }

  async #relay(
    { method, path, body: given }: RelayRequest,
    headers: Readonly<Record<string, string>>,
  ): Promise<Relayed | Fault<InspectorFault>> {
    const { body, type } = bodyOf(given);
    const isTyped = type === "" || Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
    const lines = [...Object.entries(headers), ...(isTyped ? [] : [["content-type", type] as const])];
    const requestId = newRequestId();
    const late = new AbortController();
    const cancel = this.#clock.after(this.#timeoutMs, () => late.abort());
    const startedAt = this.#clock.now();
    const request = { method, target: path, headers: lines, body, requestId, signal: late.signal };
    const circuit = this.#circuits.serving(method, path.split("?", 1)[0] as string);
    this.#running += 1;
    try {
      const { answer, runId } = await this.#recording.runOf(circuit, requestId, () =>
        this.#send({ ...request, maxAnswerBytes: MAX_ANSWER_BYTES }),
      );
      const duration_ms = this.#clock.now() - startedAt;
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

/** A text as it is, anything else as JSON, and what its content type is where none is given. */
function bodyOf(body: unknown): { readonly body: Uint8Array | undefined; readonly type: string } {
  if (body === undefined) return { body: undefined, type: "" };
  if (typeof body === "string") return { body: Buffer.from(body), type: "text/plain; charset=utf-8" };
  return { body: Buffer.from(JSON.stringify(body)), type: "application/json" };
}

const typeIn = (headers: readonly (readonly [string, string])[]): string =>
  headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
