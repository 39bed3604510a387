// Breakpoints, and the runs that they hold.

import { type Static, Type } from "@sinclair/typebox";

import {
  Amount,
  Count,
  closed,
  envelope,
  Json,
  Name,
  oneOf,
  orNull,
  RequestName,
  Time,
  WorkersSilent,
} from "./shapes.js";
import { Payload } from "./traces.js";

/** How long a run may be held at most. */
export const MAX_HOLD_MS = 120_000;

const Condition = Type.String({ minLength: 1, maxLength: 1000 });
const HoldMs = Type.Integer({ minimum: 1, maximum: MAX_HOLD_MS });
const MaxHits = Type.Integer({ minimum: 1, maximum: 1_000_000 });

export const NewBreakpoint = Type.Object(
  {
    /** A node's id in a Schematic. */
    node_id: Name,
    /** Of the node's input: `order.total > 100 && customer.vip == true`. Default: every run. */
    condition: Type.Optional(Condition),
    /** `snapshot` stores the input and resumes the run. Default `hold`. */
    mode: Type.Optional(oneOf("hold", "snapshot")),
    /** The run resumes by itself after this time. Default 20 000, which is below a route's time limit. */
    hold_ms: Type.Optional(HoldMs),
    /** The breakpoint is disabled after this many hits. Default 1 for hold, 100 for snapshot. */
    max_hits: Type.Optional(MaxHits),
  },
  closed,
);
export type NewBreakpoint = Static<typeof NewBreakpoint>;

export const BreakpointChange = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    /** Null removes it. */
    condition: Type.Optional(orNull(Condition)),
    hold_ms: Type.Optional(HoldMs),
    max_hits: Type.Optional(MaxHits),
  },
  { ...closed, minProperties: 1 },
);
export type BreakpointChange = Static<typeof BreakpointChange>;

export const Breakpoint = Type.Object(
  {
    id: Name,
    circuit: Name,
    node_id: Name,
    label: Name,
    condition: orNull(Condition),
    mode: oneOf("hold", "snapshot"),
    hold_ms: HoldMs,
    max_hits: MaxHits,
    hits: Count,
    /** Matching runs that were not held because the limit of held runs was reached. */
    let_through: Count,
    enabled: Type.Boolean(),
    created_at: Time,
    /** Snapshots of mode snapshot, the newest first, ten at most. */
    snapshots: Type.Array(Type.Object({ run_id: Name, at: Time, input: Payload }, closed)),
  },
  closed,
);
export type Breakpoint = Static<typeof Breakpoint>;

export const OneBreakpoint = envelope("breakpoint", Breakpoint);
export const Breakpoints = envelope(
  "breakpoints",
  Type.Object({ breakpoints: Type.Array(Breakpoint), limit: Count, workers_silent: WorkersSilent }, closed),
);

export const PausedRun = Type.Object(
  {
    /** Id of the hold, for /api/v1/paused/:id/resume. */
    id: Name,
    run_id: Name,
    circuit: Name,
    node_id: Name,
    label: Name,
    /** Null after a step. */
    breakpoint_id: orNull(Name),
    since: Time,
    /** When the run resumes by itself, or its route's time limit ends: whichever is first. */
    until: Time,
    /** Redacted and bounded. An edit is based on it; masked values in an edit stay as held. */
    input: Payload,
    /** The node's schema, which an edit must match. */
    input_schema: orNull(Type.Unsafe<object>(Type.Record(Type.String(), Type.Unknown()))),
    request: RequestName,
  },
  closed,
);
export type PausedRun = Static<typeof PausedRun>;

export const PausedRuns = envelope(
  "paused",
  Type.Object({ paused: Type.Array(PausedRun), limit: Count, workers_silent: WorkersSilent }, closed),
);

/**
 * Body of resume and step: an input that replaces the held one. 422 if it does not match the node's
 * schema.
 */
export const Release = Type.Object({ input: Type.Optional(Json) }, closed);
export const Released = envelope(
  "released",
  Type.Object(
    {
      id: Name,
      run_id: Name,
      /** Circuit of the hold; null from a worker of an earlier build. */
      circuit: orNull(Name),
      node_id: orNull(Name),
      how: oneOf("resume", "step", "abort"),
      held_ms: Amount,
    },
    closed,
  ),
);
