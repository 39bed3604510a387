// Stored runs, which another process can resume.

import { type Static, Type } from "@sinclair/typebox";

import {
  Count,
  closed,
  envelope,
  Label,
  Labels,
  Name,
  oneOf,
  orNull,
  Text,
  Time,
  WorkersSilent,
} from "./shapes.js";
import { Payload } from "./traces.js";

const UnfinishedRow = Type.Object(
  {
    run_id: Name,
    circuit: Name,
    began_at: Time,
    last_at: Time,
    /** Resumed too often without a new checkpoint: hosts no longer resume it. */
    stuck: Type.Boolean(),
    /** Why no code of a server can resume it; null if it fits, or a host runs it. */
    unfit: orNull(Text),
    /** Trace id of the latest host of the run, if telemetry exports the trace and the store knows it. */
    trace_id: orNull(Name),
    labels: Labels,
  },
  closed,
);
export const UnfinishedQuery = Type.Object(
  {
    circuit: Type.Optional(Name),
    /** "order:123". Finds runs in stores that index labels. */
    label: Type.Optional(Label),
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
    /** Version of the Axon that ran it last. */
    version: Text,
    /**
     * `unfinished`: running or interrupted. `stuck`: hosts no longer resume it. `unfit`: abandoned, and
     * no code here can resume it. `cancelling`: its process is to undo it, or the next one. `undoing`:
     * it failed, and its completed steps are being compensated.
     */
    state: oneOf("unfinished", "stuck", "unfit", "cancelling", "undoing", "completed", "faulted"),
    /** Why it is unfit. */
    unfit: orNull(Text),
    began_at: Time,
    /** Time of its latest log entry. */
    last_at: Time,
    /** Trace id of the latest host of the run, if telemetry exports the trace. */
    trace_id: orNull(Name),
    /** Id of that run among the traces, if an Inspector traced it. Its trace may be evicted. */
    newest_run_id: orNull(Name),
    /** The node at which it resumes. */
    node: Name,
    label: Name,
    labels: Labels,
    /** Withheld for a run that is not in flight in the asked process. */
    input: Payload,
    /** Names of the stored Bus keys. */
    bus: Type.Array(Name),
    /** Ids of completed nodes with a compensation, in the order of completion. */
    completed: Type.Array(Name),
    /** The log: each entry's event, time and node. */
    entries: Type.Array(Type.Object({ kind: Name, at: Time, node: orNull(Name) }, closed)),
    entries_dropped: Count,
  },
  closed,
);
export type KeptRun = Static<typeof KeptRun>;
export const OneKeptRun = envelope("run", KeptRun);

export const ResumeRequest = Type.Object(
  {
    /** Also resumes a run that is at work. The host that runs it is stopped at its next entry. */
    force: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ResumeRequest = Static<typeof ResumeRequest>;

export const CancelRequest = Type.Object(
  {
    /** Recorded in the run's fault and in the audit log. */
    reason: Type.String({ minLength: 1, maxLength: 1000 }),
    /** Takes the run from the process that runs it and undoes it here. Its step at work is not undone. */
    force: Type.Optional(Type.Boolean()),
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
      /** The node at which it was. */
      node: Name,
      /**
       * `cancelling`, with status 202: it is not undone yet; the process that runs it does that, or the
       * next one. `faulted`: compensation had already begun, with this outcome. `running`: as
       * `cancelling`, from a worker of an earlier build.
       */
      result: oneOf("cancelling", "running", "cancelled", "faulted"),
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
      /** The node at which it resumed; null like the circuit. */
      node: orNull(Name),
      /** `running`: the run takes longer than the response waits. */
      result: oneOf("running", "completed", "faulted"),
      /** The name of a fault; withheld for a completed run; off if it is running. */
      outcome: Payload,
    },
    closed,
  ),
);
