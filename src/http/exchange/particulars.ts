// Fields that few requests need, created on demand: each field of an Exchange costs every request.

import type { TraceContext } from "#core/facts/ingress-facts.js";
import type { RunState } from "#runtime/run/run-state.js";
import type { RawParameters } from "#schema/compile/coercion.js";
import type { RequestTrace } from "#telemetry/tracing/request-trace.js";
import type { Client } from "../client/client.js";
import type { KeyedAnswer } from "../idempotency/keyed-answer.js";
import type { NativeUpgrade } from "../native/port.js";
import type { Refusal } from "../refusal/refusal.js";
import type { Disposals } from "../request/disposal.js";
import type { Observation } from "../request/observation.js";
import type { BodyStream } from "./body-stream.js";

const NONE: readonly undefined[] = [];
const NO_FIELDS: RawParameters = Object.create(null);

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
  /** The response where no route serves it, if the guards pass. */
  refusal: Refusal | null = null;
  disposals: Disposals | null = null;
  /** Null where its trace is not kept. */
  kept: RequestTrace | null = null;
  observation: Observation | null = null;
  /** Null without an idempotency key. */
  keyed: KeyedAnswer | null = null;
  /** A run that waits for the body. */
  suspended: RunState | null = null;
  /** When its time began, in ticks. */
  suspendedAt = 0;
  /** Null outside of WebSocket handshakes. */
  upgrade: NativeUpgrade | null = null;
  /** The connection that `open` has admitted. */
  opening: { lost(): void } | null = null;
}

export const noParticulars: Readonly<Particulars> = new Particulars();

/** Kept while a response lasts: all for an observer, else nothing. */
export const lasting = (own: Readonly<Particulars>): Readonly<Particulars> =>
  own.observation === null ? noParticulars : own;
