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
  Text,
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
    /** `snapshot` keeps the input and lets go. Default hold. */
    mode: Type.Optional(oneOf("hold", "snapshot")),
    /** The run goes on by itself after that. Default 20 000: below the time limit of a route. */
    hold_ms: Type.Optional(HoldMs),
    /** It is switched off after so many. Default 1 for hold, 100 for snapshot. */
    max_hits: Type.Optional(MaxHits),
  },
  closed,
);
export type NewBreakpoint = Static<typeof NewBreakpoint>;

export const BreakpointChange = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    /** Null takes it away. */
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
    /** Runs that went on because as many were held as may be. */
    let_through: Count,
    enabled: Type.Boolean(),
    created_at: Time,
    /** Of mode snapshot, the newest first, ten at most. */
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
    /** Of this hold: what /api/v1/paused/:id/resume takes. */
    id: Name,
    run_id: Name,
    circuit: Name,
    node_id: Name,
    label: Name,
    /** Null where it was stepped to. */
    breakpoint_id: orNull(Name),
    since: Time,
    /** When it goes on by itself, or its route's time is up: whichever comes first. */
    until: Time,
    /** Redacted and bounded; edits are made of it, and what is masked in an edit stays as it was. */
    input: Payload,
    /** Of the node, which an edit must fit. */
    input_schema: orNull(Type.Unsafe<object>(Type.Record(Type.String(), Type.Unknown()))),
    request: orNull(Type.Object({ method: Name, path: Text, request_id: Name }, closed)),
  },
  closed,
);
export type PausedRun = Static<typeof PausedRun>;

export const PausedRuns = envelope(
  "paused",
  Type.Object({ paused: Type.Array(PausedRun), limit: Count, workers_silent: WorkersSilent }, closed),
);

/** Of resume and step: an input in the place of the held one. Refused 422 where it does not fit the node's schema. */
export const Release = Type.Object({ input: Type.Optional(Json) }, closed);
export const Released = envelope(
  "released",
  Type.Object(
    {
      id: Name,
      run_id: Name,
      /** Where it was held; null from a worker of an earlier build. */
      circuit: orNull(Name),
      node_id: orNull(Name),
      how: oneOf("resume", "step", "abort"),
      held_ms: Amount,
    },
    closed,
  ),
);
