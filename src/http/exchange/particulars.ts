// Fields that few requests need, created on demand, because each field of an Exchange costs every request.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { TraceContext } from "#core/facts/ingress-facts.js";
import type { RunAnswer } from "#core/timeline/recorder.js";
import type { RunState } from "#runtime/run/run-state.js";
import type { RawParameters } from "#schema/compile/coercion.js";
import type { RequestTrace } from "#telemetry/tracing/request-trace.js";
import type { Client } from "../client/client.js";
import type { NativeUpgrade } from "../native/port.js";
import type { Refusal } from "../refusal/refusal.js";
import type { AnswerHead } from "./answer-heads.js";
import type { BodyStream } from "./body-stream.js";

const NONE: readonly undefined[] = [];
const NO_FIELDS: RawParameters = Object.create(null);

/** Sends the response of a request with an idempotency key. */
export interface KeyedAnswer {
  /** `since` is the start of the run's time-out, in ticks. */
  answer(outcome: unknown, since: number | undefined): void;
  /** Called with the response, also after a disconnect. `body` is undefined for a streamed response, which is not stored. */
  made(head: AnswerHead, body: string | Uint8Array | null | undefined): void;
}

/** Observes one response. */
export interface ResponseObserver {
  /** Code of the problem document that is sent. */
  code: string | undefined;
  /** The report of a response that could not be made. */
  failure: RunAnswer["failure"];
  /** Notes a key that a guard has written. */
  keep(key: AnyKey, value: unknown): void;
  begin(head: Pick<AnswerHead, "status" | "block">, body: string | Uint8Array | null): void;
  /** Notes the input that was read from the body. */
  read(input: unknown, bytes: number): void;
  /** Called with the number of streamed bytes so far. */
  handed(bytes: number): void;
  end(isAborted: boolean): void;
}

/** Disposes of provided values at the end of a run. */
export interface RunDisposals {
  /** Called before a value is made; `leave` after it. */
  enter(): void;
  leave(): void;
  push(dispose: (outcome: unknown) => unknown): void;
}

export class Particulars {
  /** The decoded query. */
  parameters: RawParameters | null = null;
  /** Declared headers, by index; undefined for absent ones. */
  headers: readonly (string | undefined)[] = NONE;
  /** Headers for the route's input. */
  fields: RawParameters = NO_FIELDS;
  /** All headers. */
  head: RawParameters = NO_FIELDS;
  scheme: Client["scheme"] = "http";
  client: Client | null = null;
  trace: TraceContext | null = null;
  /** A streamed body, released at the end of the run. */
  stream: BodyStream | null = null;
  /** The response to a request without a route, if the guards pass. */
  refusal: Refusal | null = null;
  disposals: RunDisposals | null = null;
  /** Null if the trace is not kept. */
  kept: RequestTrace | null = null;
  /** Null without an idempotency key. */
  keyed: KeyedAnswer | null = null;
  /** A run that waits for the body. */
  suspended: RunState | null = null;
  /** Start of its time-out, in ticks. */
  suspendedAt = 0;
  /** Null outside of WebSocket handshakes. */
  upgrade: NativeUpgrade | null = null;
  /** The WebSocket connection whose `open` runs. From then on the run goes to its end, and `close` follows. */
  opening: { lost(): void } | null = null;
}

export const noParticulars: Readonly<Particulars> = new Particulars();
