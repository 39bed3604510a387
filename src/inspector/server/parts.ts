// The interfaces that the endpoints use. A missing part is undefined, and its endpoints respond
// with 501.

import type { Static, TSchema } from "@sinclair/typebox";

import type { Fault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { AuditEvents, AuditEventsQuery, AuditStatus } from "../api/audit.js";
import type {
  Breakpoint,
  BreakpointChange,
  Breakpoints,
  NewBreakpoint,
  PausedRuns,
  Released,
} from "../api/breakpoints.js";
import type { CircuitRow } from "../api/circuits.js";
import type { DeadLetterQuery, DeadLetters, DiscardedLetter, Redriven } from "../api/dead-letters.js";
import type { InspectorFault } from "../api/fault.js";
import type { CircuitMetrics, Metrics } from "../api/metrics.js";
import type { OffloadAdvice } from "../api/offload.js";
import type { RelayAnswer, RelayRequest } from "../api/relay.js";
import type {
  CancelledRun,
  CancelRequest,
  KeptRun,
  ResumedRun,
  ResumeRequest,
  UnfinishedQuery,
  UnfinishedRuns,
} from "../api/runs.js";
import type { Status } from "../api/status.js";
import type { Trace, TraceDiff, TraceQuery, Traces } from "../api/traces.js";
import type { Unmatched, UnmatchedQuery } from "../api/unmatched.js";
import type { Alerts, Stalls } from "../api/watching.js";
import type { Caller } from "../door/caller.js";
import type { Tickets } from "../door/tickets.js";
import type { Feed } from "../feed/feed.js";
import type { OperatorLog } from "../operators/operator-log.js";
import type { Circuits } from "./circuits.js";

/** A returned value is read-only. */
type Given<T> = T extends readonly (infer I)[]
  ? readonly Given<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T;
type Data<S extends TSchema> = Static<S> extends { readonly data: infer D } ? Given<D> : never;
type Refused = Fault<InspectorFault>;

interface MetricsPart {
  snapshot(): MaybePromise<Data<typeof Metrics>>;
  /** Undefined for an unknown circuit. */
  circuit(name: string): MaybePromise<Given<CircuitMetrics> | undefined>;
  /** Prometheus text format. */
  text(): MaybePromise<string>;
}

interface TracesPart {
  query(query: TraceQuery): MaybePromise<Data<typeof Traces> | Refused>;
  /** TRACE_UNKNOWN for a run that is not stored. */
  get(runId: string): MaybePromise<Trace | Refused>;
  diff(a: string, b: string): MaybePromise<Data<typeof TraceDiff> | Refused>;
}

interface UnmatchedPart {
  list(query: UnmatchedQuery): MaybePromise<Data<typeof Unmatched>>;
}

/** Replaces the held input; without the member the input stays. */
interface Edit {
  readonly input?: unknown;
}

export interface SteeringPart {
  list(): MaybePromise<Data<typeof Breakpoints>>;
  get(id: string): MaybePromise<Breakpoint | Refused>;
  set(breakpoint: NewBreakpoint): MaybePromise<Breakpoint | Refused>;
  change(id: string, change: BreakpointChange): MaybePromise<Breakpoint | Refused>;
  remove(id: string): MaybePromise<Refused | undefined>;
  paused(): MaybePromise<Data<typeof PausedRuns>>;
  /** The node of a breakpoint; undefined for an unknown one. */
  nodeOf(id: string): MaybePromise<string | undefined>;
  /** The run of a hold; undefined for an unknown one. */
  runOf(id: string): MaybePromise<string | undefined>;
  release(id: string, how: How, edit: Edit): MaybePromise<Data<typeof Released> | Refused>;
}

type How = Data<typeof Released>["how"];

interface StallsPart {
  list(): MaybePromise<Data<typeof Stalls>>;
}

interface OffloadPart {
  list(): MaybePromise<OffloadAdvice>;
}

interface AlertsPart {
  list(): MaybePromise<Data<typeof Alerts>>;
}

export interface DeadLettersPart {
  list(query: DeadLetterQueryOf): MaybePromise<Data<typeof DeadLetters> | Refused>;
  redrive(id: string, actor: string, skipUndone: boolean): MaybePromise<Data<typeof Redriven> | Refused>;
  discard(id: string): MaybePromise<DiscardedLetter | Refused>;
}

type DeadLetterQueryOf = Static<typeof DeadLetterQuery>;

/** A sample of a schema: valid, or just invalid at an edge. */
export interface Sample {
  readonly sample: unknown;
  readonly is_valid: boolean;
  readonly note: string | null;
}

export interface SamplesPart {
  template(schema: TSchema): { readonly template: unknown } | Refused;
  sample(schema: TSchema, mode: "random" | "edge", seed: number): Sample | Refused;
}

interface RunsPart {
  /** True if at least one Axon stores its runs. */
  readonly isKept: boolean;
  unfinished(query: UnfinishedQuery): Promise<Data<typeof UnfinishedRuns>>;
  show(id: string): Promise<KeptRun | Refused>;
  resume(id: string, request: ResumeRequest, actor: string): Promise<Data<typeof ResumedRun> | Refused>;
  cancel(id: string, request: CancelRequest, actor: string): Promise<Data<typeof CancelledRun> | Refused>;
}

interface RelayPart {
  send(request: RelayRequest): Promise<Data<typeof RelayAnswer> | Refused>;
}

interface AuditPart {
  verify(): Promise<Data<typeof AuditStatus> | Refused>;
}

interface AuditListPart {
  list(query: AuditEventsQuery): Promise<Data<typeof AuditEvents> | Refused>;
}

export interface InspectorParts {
  readonly tickets: Tickets;
  readonly feed: Pick<Feed, "hasRoomFor">;
  readonly circuits: Circuits;
  readonly status: (caller: Caller) => Status;
  readonly metrics: MetricsPart | undefined;
  readonly traces: TracesPart | undefined;
  readonly unmatched: UnmatchedPart | undefined;
  readonly steering: SteeringPart | undefined;
  readonly stalls: StallsPart | undefined;
  readonly alerts: AlertsPart | undefined;
  readonly offload: OffloadPart | undefined;
  readonly deadLetters: DeadLettersPart | undefined;
  readonly samples: SamplesPart;
  readonly relay: RelayPart | undefined;
  /** Undefined without an audit log. */
  readonly audit: AuditPart | undefined;
  /** Undefined without an audit log, or if its sink cannot be queried. */
  readonly auditList: AuditListPart | undefined;
  readonly operators: Pick<OperatorLog, "acted" | "record">;
  readonly runs: RunsPart | undefined;
  /** The current recording mode of a circuit. */
  readonly watched: (circuit: string) => CircuitRow["watched"];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
