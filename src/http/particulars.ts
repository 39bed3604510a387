// What few requests have: made for one when it first needs some of it, so that the others
// are no larger for it. Each field of an Exchange costs every request its time.

import type { TraceContext } from "#core/ingress-facts.js";
import type { RunState } from "#runtime/run-state.js";
import type { RawParameters } from "#schema/coercion.js";
import type { RequestTrace } from "#telemetry/tracing/request-trace.js";
import type { Client } from "./client.js";
import type { Disposals } from "./disposal.js";
import type { KeyedAnswer } from "./keyed-answer.js";
import type { BodyStream } from "./native/body-stream.js";
import type { NativeUpgrade } from "./native/port.js";
import type { Observation } from "./observation.js";
import type { Refusal } from "./refusal.js";

const NONE: readonly string[] = [];
const NO_FIELDS: RawParameters = Object.create(null);

export class Particulars {
  /** The decoded query, where the route declares that it reads it. */
  parameters: RawParameters | null = null;
  /** The headers that the route declares, in its order. */
  headers: readonly string[] = NONE;
  /** The headers that the route's input is made of, by their names. */
  fields: RawParameters = NO_FIELDS;
  /** All headers, where the route declares that it reads them. */
  head: RawParameters = NO_FIELDS;
  /** How the client spoke, where the route declares that it reads that. */
  scheme: Client["scheme"] = "http";
  /** Who sent it, where the route declares that it reads that. */
  client: Client | null = null;
  /** The request's place in its trace, where the route declares that it reads it. */
  trace: TraceContext | null = null;
  /** The body, where the route reads it as it arrives. Released when the run is over. */
  stream: BodyStream | null = null;
  /** What the dispatcher answers where no route serves it, once the guards let it. */
  refusal: Refusal | null = null;
  /** What has to be disposed of when its run ends; null where nothing ever has. */
  disposals: Disposals | null = null;
  /** What it leaves of its trace; null where that is not kept. */
  kept: RequestTrace | null = null;
  /** Who is told of its answer; null where nobody is. */
  observation: Observation | null = null;
  /** What becomes of its idempotency key; null where it has none, or none that counts any more. */
  keyed: KeyedAnswer | null = null;
  /** The run that goes on when its body is whole; null where none does. */
  suspended: RunState | null = null;
  /** When its time began, as the route's deadlines count. */
  suspendedAt = 0;
  /** What its connection can be upgraded by; null where it can be none of WebSocket. */
  upgrade: NativeUpgrade | null = null;
  /** The connection that it becomes, where `open` has let the peer in; null where none has. */
  opening: { lost(): void } | null = null;
}

/** Of a request that has none. */
export const noParticulars: Readonly<Particulars> = new Particulars();

/** What is kept where a response lasts, for hours maybe: all of it if an observer reads it at the end, else nothing. */
export const lasting = (own: Readonly<Particulars>): Readonly<Particulars> =>
  own.observation === null ? noParticulars : own;
