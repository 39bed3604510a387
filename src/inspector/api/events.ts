// The live feed, /api/v1/events: a WebSocket with the subprotocol `framework.inspector.v1`.
// Each message is one JSON text.

import { type Static, Type } from "@sinclair/typebox";

import { Breakpoint, PausedRun } from "./breakpoints.js";
import { Metrics } from "./metrics.js";
import { Amount, Count, closed, Name, oneOf, orNull, Text, Time } from "./shapes.js";
import { TraceRow } from "./traces.js";
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

/** What a client sends. A subscription takes the place of the one before it. */
export const FeedRequest = Type.Union([
  Type.Object(
    {
      type: Type.Literal("subscribe"),
      /** Default: all. */
      circuits: Type.Optional(Type.Array(Name, { maxItems: 100 })),
      nodes: Type.Optional(Type.Array(Name, { maxItems: 1000 })),
      /** Default: all but node_exit. */
      kinds: Type.Optional(Type.Array(oneOf(...feedKinds), { maxItems: feedKinds.length })),
      /** Of node_exit and circuit_exit. */
      min_duration_us: Type.Optional(Amount),
      /** Faults alone, of node_exit and circuit_exit. */
      faults_only: Type.Optional(Type.Boolean()),
      /** Sends first what came after that number, as far as it is kept. */
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
  /** What a step emitted. */
  of("event", { run_id: Name, circuit: Name, node: Name, name: Name }),
  of("metrics", { metrics: Metrics.properties.data }),
  of("stall_detected", { stall: Stall }),
  of("stall_ended", { run_id: Name, node: Name, stalled_ms: Amount }),
  of("alert", { alert: Alert }),
  of("breakpoint", { breakpoint: Breakpoint, change: oneOf("set", "changed", "removed") }),
]);
export type FeedEvent = Static<typeof FeedEvent>;

/** What the server sends: batches, four a second at most. */
export const FeedMessage = Type.Union([
  Type.Object(
    {
      type: Type.Literal("hello"),
      role: oneOf("operator", "viewer"),
      /** Of the newest event. */
      seq: Count,
      /** Where the server began again, numbers of before mean nothing. */
      instance: Name,
    },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal("events"),
      events: Type.Array(FeedEvent),
      /** Events that this client was not sent since the last batch, because there were too many. */
      lost: Count,
    },
    closed,
  ),
  /** The client's message was not understood; its subscription is as it was. */
  Type.Object({ type: Type.Literal("error"), title: Text, detail: Text }, closed),
]);
export type FeedMessage = Static<typeof FeedMessage>;
