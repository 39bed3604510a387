import { type Static, Type } from "@sinclair/typebox";
import type { TimelineEvent } from "#core/timeline/timeline.js";

import {
  Count,
  closed,
  envelope,
  Json,
  Labels,
  Name,
  oneOf,
  orNull,
  Text,
  Time,
  WorkersSilent,
} from "./shapes.js";
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
    /** Trace id of the last failed run, if telemetry exports its trace. */
    trace_id: orNull(Name),
    /** Id of that run, if an Inspector traced it. Its trace may be evicted. */
    run_id: orNull(Name),
    labels: Labels,
    error: Type.Object({ code: orNull(Name), title: Text }, closed),
    input: Payload,
    /** Node ids of the compensated steps, in the order of compensation. */
    undone: Type.Array(Name),
    /**
     * The events of the Timeline; empty if there are none, or if they are left out to shorten a
     * worker's list.
     */
    events: Type.Array(Type.Unsafe<TimelineEvent>(Type.Record(Type.String(), Type.Unknown()))),
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
    /** Starts at the failed step; compensated steps stay compensated. */
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
      /** Number of letters that match, regardless of the limit; null if a store has no count. */
      total: orNull(Count),
      workers_silent: WorkersSilent,
    },
    closed,
  ),
);

/** The discarded letter, sent between processes. */
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
      /**
       * `running`: the re-drive takes longer than the response waits, or a breakpoint holds it. The
       * letter is removed once it succeeds.
       */
      result: oneOf("done", "failed", "busy", "running"),
      /** Redacted; null if the result is busy or running. */
      outcome: Json,
      /** Trace id of the re-driven run, if telemetry exports its trace. */
      trace_id: orNull(Name),
      /**
       * Id of that run among the traces or held runs. Null if busy, if not begun, and for a
       * compensation, which has no run.
       */
      run_id: orNull(Name),
    },
    closed,
  ),
);
