// The live feed, /api/v1/events: a WebSocket with the subprotocol `framework.inspector.v1`.
// Each message is one JSON text of at most 256 KiB. `framework/inspector` exports the types.

import { type Static, Type } from "@sinclair/typebox";

import { Breakpoint, PausedRun } from "./breakpoints.js";
import { Metrics } from "./metrics.js";
import { Amount, Count, closed, Name, oneOf, orNull, Text, Time } from "./shapes.js";
import { runFilter, TraceRow } from "./traces.js";
import { Alert, Stall } from "./watching.js";

const feedKinds = [
  "node_exit",
  "circuit_exit",
  "node_paused",
  "node_resumed",
  "event",
  "metrics",
  "stall_detected",
  "stall_ended",
  "alert",
  "breakpoint",
] as const;

/** A message of a client. A subscription replaces the previous one. */
export const FeedRequest = Type.Union([
  Type.Object(
    {
      type: Type.Literal("subscribe"),
      /** Default: all. Applies to events of a circuit, and to the circuits in `metrics`. */
      circuits: Type.Optional(Type.Array(Name, { maxItems: 100 })),
      /** Default: all. Applies to events of a node, and to the nodes in `metrics`. */
      nodes: Type.Optional(Type.Array(Name, { maxItems: 1000 })),
      /**
       * Circuits that `metrics` has with all nodes. Default: all. The other circuits have the nodes
       * of interest only: in each window the slowest, and up to 20 that refused runs.
       */
      node_metrics_of: Type.Optional(Type.Array(Name, { maxItems: 100 })),
      /** Default: all but node_exit. */
      kinds: Type.Optional(Type.Array(oneOf(...feedKinds), { maxItems: feedKinds.length })),
      /** For node_exit and circuit_exit. */
      min_duration_us: Type.Optional(Amount),
      /** Only faults, for node_exit and circuit_exit. */
      faults_only: Type.Optional(Type.Boolean()),
      /** For circuit_exit. Of node_exit, `outcome` selects faults or their absence; the others select none. */
      ...runFilter,
      /** First sends the stored events after this number. */
      after: Type.Optional(Count),
    },
    closed,
  ),
  Type.Object({ type: Type.Literal("unsubscribe") }, closed),
]);
export type FeedRequest = Static<typeof FeedRequest>;

const Event = Type.Object({ seq: Count, at: Time });
const of = <const K extends string, P extends Parameters<typeof Type.Object>[0]>(kind: K, members: P) =>
  Type.Object(
    { seq: Event.properties.seq, at: Event.properties.at, kind: Type.Literal(kind), ...members },
    closed,
  );

export const FeedEvent = Type.Union([
  of("node_exit", {
    run_id: Name,
    circuit: Name,
    node: Name,
    label: Name,
    outcome: oneOf("next", "fault", "branch", "jump", "emit", "aborted"),
    duration_us: Amount,
    fault: orNull(Text),
  }),
  of("circuit_exit", { run: TraceRow }),
  of("node_paused", { paused: PausedRun }),
  of("node_resumed", { id: Name, run_id: Name, how: oneOf("resume", "step", "abort", "time", "gone") }),
  /** Emitted by a step. */
  of("event", { run_id: Name, circuit: Name, node: Name, name: Name }),
  of("metrics", {
    metrics: Metrics.properties.data,
    /**
     * Only in metrics that exceed one message: part `n` of `of`, counted from 1. Each part has a
     * share of `by_route`, `circuits`, their `nodes` and the pool's `steps`.
     */
    part: Type.Optional(Type.Object({ n: Count, of: Count }, closed)),
  }),
  of("stall_detected", { stall: Stall }),
  of("stall_ended", { run_id: Name, node: Name, stalled_ms: Amount }),
  of("alert", { alert: Alert }),
  of("breakpoint", { breakpoint: Breakpoint, change: oneOf("set", "changed", "removed") }),
]);
export type FeedEvent = Static<typeof FeedEvent>;

/** A message of the server. Events are sent in batches, four a second at most. */
export const FeedMessage = Type.Union([
  Type.Object(
    {
      type: Type.Literal("hello"),
      role: oneOf("operator", "viewer"),
      /** Number of the newest event. */
      seq: Count,
      /** Identifies the server's start: event numbers of an earlier start are invalid. */
      instance: Name,
    },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal("events"),
      events: Type.Array(FeedEvent),
      /** Number of events that the client wanted and was not sent, since the last message. */
      lost: Count,
      /** The same of all clients since the server's start: `dropped` of the feed in /status. */
      lost_total: Count,
    },
    closed,
  ),
  /** The client's message was invalid; its subscription is unchanged. */
  Type.Object({ type: Type.Literal("error"), title: Text, detail: Text }, closed),
]);
export type FeedMessage = Static<typeof FeedMessage>;
