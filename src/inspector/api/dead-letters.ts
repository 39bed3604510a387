import { type Static, Type } from "@sinclair/typebox";

import { Count, closed, envelope, Json, Name, oneOf, orNull, Text, Time, WorkersSilent } from "./shapes.js";
import { Payload } from "./traces.js";

export const DeadLetterRow = Type.Object(
  {
    id: Name,
    kind: oneOf("step", "compensation"),
    circuit: Name,
    version: Text,
    node: Name,
    label: Name,
    failed_at: Time,
    attempts: Count,
    /** Of the run that failed last, where telemetry keeps its trace. */
    trace_id: orNull(Name),
    /** That run, where an Inspector watched it: among the traces for as long as they are kept. */
    run_id: orNull(Name),
    error: Type.Object({ code: orNull(Name), title: Text }, closed),
    input: Payload,
    /** Node ids of what the run undid, the first first. */
    undone: Type.Array(Name),
    /** The Timeline's events; empty where there is none, or where a worker's list would be too long with them. */
    events: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);
export type DeadLetterRow = Static<typeof DeadLetterRow>;

export const DeadLetterQuery = Type.Object(
  {
    circuit: Type.Optional(Name),
    node: Type.Optional(Name),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  },
  closed,
);

export const RedriveQuery = Type.Object(
  {
    /** Begins at the step that failed; what the run undid stays undone. */
    skip_undone: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type RedriveQuery = Static<typeof RedriveQuery>;

export const DeadLetters = envelope(
  "dead_letters",
  Type.Object(
    {
      letters: Type.Array(DeadLetterRow),
      /** How many there are of what was asked for, whatever the limit; null where a store does not say. */
      total: orNull(Count),
      workers_silent: WorkersSilent,
    },
    closed,
  ),
);

/** What was discarded, of one process to another. */
export const DiscardedLetter = Type.Object({ circuit: Name, node: Name, run_id: orNull(Name) }, closed);
export type DiscardedLetter = Static<typeof DiscardedLetter>;

export const Redriven = envelope(
  "redriven",
  Type.Object(
    {
      id: Name,
      /** Null from a worker of an earlier build. */
      circuit: orNull(Name),
      node: orNull(Name),
      /** `running`: it takes longer than this answer waits for, or a breakpoint holds it; the letter is gone once it is done. */
      result: oneOf("done", "failed", "busy", "running"),
      /** Redacted; null where it is busy or running. */
      outcome: Json,
      /** Of the run that did it again, where telemetry keeps its trace. */
      trace_id: orNull(Name),
      /** That run among the traces, or the held ones; null where it is busy or has not begun, and of a compensation, which is no run of nodes. */
      run_id: orNull(Name),
    },
    closed,
  ),
);
