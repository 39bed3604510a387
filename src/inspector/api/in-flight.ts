// Runs that have not ended, of the runs that are recorded.

import { type Static, Type } from "@sinclair/typebox";

import {
  Amount,
  Count,
  closed,
  envelope,
  Labels,
  Name,
  orNull,
  RequestName,
  Time,
  WorkersSilent,
} from "./shapes.js";
import { Payload } from "./traces.js";

const row = {
  run_id: Name,
  circuit: Name,
  began_at: Time,
  elapsed_ms: Amount,
  /** The innermost node that it is in; null before the first one, and between nodes. */
  node: orNull(Name),
  /** The nodes that it entered, in their order: the newest 100. */
  path: Type.Array(Name),
  is_held: Type.Boolean(),
  request: RequestName,
  labels: Labels,
};

export const InFlightRow = Type.Object(
  {
    ...row,
    /** Keys on its Bus that its nodes have read or written. */
    bus: Type.Array(Name),
  },
  closed,
);
export type InFlightRow = Static<typeof InFlightRow>;

export const InFlightRuns = envelope(
  "in_flight",
  Type.Object({ runs: Type.Array(InFlightRow), not_listed: Count, workers_silent: WorkersSilent }, closed),
);

export const InFlightRun = Type.Object(
  {
    ...row,
    /** Each key with its newest value, and the node that read or wrote it. */
    bus: Type.Array(Type.Object({ key: Name, node: Name, value: Payload }, closed)),
  },
  closed,
);
export type InFlightRun = Static<typeof InFlightRun>;
export const OneInFlight = envelope("in_flight_run", InFlightRun);

export const AbortedRun = envelope(
  "run_aborted",
  Type.Object({ run_id: Name, circuit: Name, node_id: orNull(Name) }, closed),
);
