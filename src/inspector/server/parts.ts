// The interfaces that the endpoints use. A missing part is undefined, and its endpoints respond
// with 501.

import type { TSchema } from "@sinclair/typebox";

import type { Fault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Alerts } from "../alerts/alerts.js";
import type {
  Breakpoint,
  BreakpointChange,
  Breakpoints,
  NewBreakpoint,
  PausedRuns,
  Released,
} from "../api/breakpoints.js";
import type { CircuitRow } from "../api/circuits.js";
import type { InspectorFault } from "../api/fault.js";
import type { RelayAnswer, RelayRequest } from "../api/relay.js";
import type { Data } from "../api/shapes.js";
import type { Status } from "../api/status.js";
import type { AuditList } from "../chain/audit-list.js";
import type { ChainStatus } from "../chain/chain-status.js";
import type { DeadLetters } from "../dead-letters/dead-letters.js";
import type { Caller } from "../door/caller.js";
import type { Tickets } from "../door/tickets.js";
import type { Feed } from "../feed/feed.js";
import type { LongSteps } from "../offload/long-steps.js";
import type { OperatorLog } from "../operators/operator-log.js";
import type { MergedMetrics } from "../peers/merged-metrics.js";
import type { Peers } from "../peers/peers.js";
import type { KeptRuns } from "../runs/kept-runs.js";
import type { Stalls } from "../stalls/stalls.js";
import type { TraceStore } from "../traces/trace-store.js";
import type { Unmatched } from "../unmatched/unmatched.js";
import type { Circuits } from "./circuits.js";

type Refused = Fault<InspectorFault>;

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

interface RelayPart {
  send(request: RelayRequest): Promise<Data<typeof RelayAnswer> | Refused>;
}

export interface InspectorParts {
  /** The other processes of the service, if there are any. */
  readonly peers: Peers | undefined;
  readonly tickets: Tickets;
  readonly feed: Pick<Feed, "hasRoomFor">;
  readonly circuits: Circuits;
  readonly status: (caller: Caller) => Status;
  readonly metrics: Pick<MergedMetrics, "snapshot" | "circuit" | "text"> | undefined;
  readonly traces: Pick<TraceStore, "get" | "query"> | undefined;
  readonly unmatched: Unmatched | undefined;
  readonly steering: SteeringPart | undefined;
  readonly stalls: Stalls | undefined;
  readonly alerts: Pick<Alerts, "list"> | undefined;
  readonly offload: LongSteps | undefined;
  /** Undefined if no sink can list its letters. */
  readonly deadLetters: DeadLetters | undefined;
  readonly samples: SamplesPart;
  readonly relay: RelayPart | undefined;
  /** Undefined without an audit log. */
  readonly audit: Pick<ChainStatus, "verify"> | undefined;
  /** Undefined without an audit log, or if its sink cannot be queried. */
  readonly auditList: Pick<AuditList, "list"> | undefined;
  readonly operators: Pick<OperatorLog, "acted" | "record" | "intervention">;
  /** Undefined if no Axon keeps its runs. */
  readonly runs: KeptRuns | undefined;
  /** The current recording mode of a circuit. */
  readonly watched: (circuit: string) => CircuitRow["watched"];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
