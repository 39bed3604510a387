// The interfaces that the endpoints use. A missing part is undefined, and its endpoints respond
// with 501.

import type { TSchema } from "@sinclair/typebox";

import type { Fault } from "#core/bus/outcome.js";
import type { Alerts } from "../alerts/alerts.js";
import type { CircuitRow } from "../api/circuits.js";
import type { InspectorFault } from "../api/fault.js";
import type { RelayAnswer, RelayRequest, RerunPlan, RerunRequest } from "../api/relay.js";
import type { Data } from "../api/shapes.js";
import type { Status } from "../api/status.js";
import type { AuditList } from "../chain/audit-list.js";
import type { ChainStatus } from "../chain/chain-status.js";
import type { DeadLetters } from "../dead-letters/dead-letters.js";
import type { Caller } from "../door/caller.js";
import type { Tickets } from "../door/tickets.js";
import type { Feed } from "../feed/feed.js";
import type { InFlight } from "../in-flight/in-flight.js";
import type { LongSteps } from "../offload/long-steps.js";
import type { OperatorLog } from "../operators/operator-log.js";
import type { MergedMetrics } from "../peers/merged-metrics.js";
import type { MergedSteering } from "../peers/merged-steering.js";
import type { Peers } from "../peers/peers.js";
import type { KeptRuns } from "../runs/kept-runs.js";
import type { Search } from "../search/search.js";
import type { Stalls } from "../stalls/stalls.js";
import type { TraceStore } from "../traces/trace-store.js";
import type { Unmatched } from "../unmatched/unmatched.js";
import type { Circuits } from "./circuits.js";

type Refused = Fault<InspectorFault>;

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

interface RerunPart {
  plan(runId: string): Data<typeof RerunPlan> | Refused;
  run(runId: string, request: RerunRequest): Promise<Data<typeof RelayAnswer> | Refused>;
}

export interface InspectorParts {
  /** The other processes of the service, if there are any. */
  readonly peers: Peers | undefined;
  readonly tickets: Tickets;
  readonly feed: Pick<Feed, "hasRoomFor">;
  readonly circuits: Circuits;
  readonly status: (caller: Caller) => Status;
  readonly metrics: Pick<MergedMetrics, "snapshot" | "circuit" | "text"> | undefined;
  readonly traces: Pick<TraceStore, "get" | "query" | "refused"> | undefined;
  readonly search: Pick<Search, "find"> | undefined;
  readonly unmatched: Unmatched | undefined;
  readonly steering: MergedSteering | undefined;
  readonly inFlight: InFlight | undefined;
  readonly stalls: Stalls | undefined;
  readonly alerts: Pick<Alerts, "list"> | undefined;
  readonly offload: LongSteps | undefined;
  /** Undefined if no sink can list its letters. */
  readonly deadLetters: DeadLetters | undefined;
  readonly samples: SamplesPart;
  readonly relay: RelayPart | undefined;
  readonly rerun: RerunPart | undefined;
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
