// Runs that a store keeps, so that another process can go on with them.

import { type Static, Type } from "@sinclair/typebox";

import { Count, closed, envelope, Name, oneOf, orNull, Text, Time, WorkersSilent } from "./shapes.js";
import { Payload } from "./traces.js";

const UnfinishedRow = Type.Object(
  {
    run_id: Name,
    circuit: Name,
    began_at: Time,
    last_at: Time,
    /** Resumed too often without a new checkpoint: no host takes it any more. */
    stuck: Type.Boolean(),
    /** Of who went on with it last, or began it, where telemetry keeps the trace and the store tells. */
    trace_id: orNull(Name),
  },
  closed,
);
export const UnfinishedQuery = Type.Object(
  {
    circuit: Type.Optional(Name),
    /** Default 100. */
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  },
  closed,
);
export type UnfinishedQuery = Static<typeof UnfinishedQuery>;
export const UnfinishedRuns = envelope(
  "unfinished_runs",
  Type.Object({ runs: Type.Array(UnfinishedRow), workers_silent: WorkersSilent }, closed),
);

export const KeptRun = Type.Object(
  {
    run_id: Name,
    circuit: Name,
    /** Of the Axon that ran it last. */
    version: Text,
    /**
     * `unfinished`: it is running, or was stopped; `stuck`: no host takes it any more; `undoing`: it
     * failed, and what it completed is being undone.
     */
    state: oneOf("unfinished", "stuck", "undoing", "completed", "faulted"),
    began_at: Time,
    /** When its last entry was made. */
    last_at: Time,
    /** Of who went on with it last, or began it, where telemetry keeps the trace. */
    trace_id: orNull(Name),
    /** That run among the traces, for as long as they are kept, where an Inspector watched it. */
    newest_run_id: orNull(Name),
    /** Where it goes on: the node that it was about to run. */
    node: Name,
    label: Name,
    /** Withheld of a run that is not under way in the process that is asked. */
    input: Payload,
    /** Names of the Bus's keys that are kept. */
    bus: Type.Array(Name),
    /** Ids of nodes that are completed and can be undone, the first first. */
    completed: Type.Array(Name),
    /** The log: what happened, when, and at which node. */
    entries: Type.Array(Type.Object({ kind: Name, at: Time, node: orNull(Name) }, closed)),
    entries_dropped: Count,
  },
  closed,
);
export type KeptRun = Static<typeof KeptRun>;
export const OneKeptRun = envelope("run", KeptRun);

export const ResumeRequest = Type.Object(
  {
    /** Also where its last entry was made within the last minute: whoever is at it is stopped at its next entry. */
    force: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ResumeRequest = Static<typeof ResumeRequest>;

export const CancelRequest = Type.Object(
  {
    /** In the run's fault, and in the audit log. */
    reason: Type.String({ minLength: 1, maxLength: 1000 }),
  },
  closed,
);
export type CancelRequest = Static<typeof CancelRequest>;

export const CancelledRun = envelope(
  "run_cancelled",
  Type.Object(
    {
      run_id: Name,
      circuit: Name,
      /** Where it was. */
      node: Name,
      /** `running`: what it completed is still being undone; `faulted`: it was undoing already, with this outcome. */
      result: oneOf("running", "cancelled", "faulted"),
      outcome: Payload,
    },
    closed,
  ),
);

export const ResumedRun = envelope(
  "run_resumed",
  Type.Object(
    {
      run_id: Name,
      /** Null from a worker of an earlier build. */
      circuit: orNull(Name),
      /** Where it was resumed; null as the circuit. */
      node: orNull(Name),
      /** `running`: it goes on, and takes longer than this answer waits for. */
      result: oneOf("running", "completed", "faulted"),
      /** Of a fault what it is called, of a run that has completed withheld; off where it is running. */
      outcome: Payload,
    },
    closed,
  ),
);
