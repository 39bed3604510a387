// The feed's messages as a client of an earlier build knows them: a copy, frozen, of the schemas of
// 0.30.0 before `part`, `lost_total` and `node_metrics_of`. Objects are open: clients ignore members
// that they do not know.

import { type TSchema, Type } from "@sinclair/typebox";

const Count = Type.Integer({ minimum: 0 });
const Amount = Type.Number({ minimum: 0 });
const Share = Type.Number({ minimum: 0, maximum: 1 });
const Time = Type.Number({ minimum: 0, description: "Milliseconds since 1970" });
const Name = Type.String({ minLength: 1, maxLength: 1000 });
const Text = Type.String();
const Json = Type.Unknown();
const oneOf = <const T extends string>(...words: readonly T[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));
const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const TraceStatus = oneOf("completed", "faulted", "aborted");
const GoesOn = Type.Object({ kind: oneOf("redrive", "resume"), id: Name });
const Payload = Type.Union([
  Type.Object({ kind: Type.Literal("off") }),
  Type.Object({ kind: Type.Literal("hash"), hash: Name }),
  Type.Object({ kind: Type.Literal("full"), value: Json, is_cut: Type.Boolean() }),
]);
const TraceRow = Type.Object({
  run_id: Name,
  circuit: Name,
  version: Text,
  status: TraceStatus,
  started_at: Time,
  duration_us: Amount,
  node_count: Count,
  request: orNull(
    Type.Object({
      method: Name,
      path: Text,
      route: orNull(Name),
      request_id: Name,
      trace_id: orNull(Name),
      http_status: orNull(Count),
    }),
  ),
  goes_on: orNull(GoesOn),
  fault: orNull(
    Type.Object({
      node: Name,
      label: Name,
      code: orNull(Name),
      status: orNull(Count),
      title: Text,
      detail: orNull(Text),
    }),
  ),
});
const MAX_HOLD_MS = 120_000;
const Condition = Type.String({ minLength: 1, maxLength: 1000 });
const HoldMs = Type.Integer({ minimum: 1, maximum: MAX_HOLD_MS });
const MaxHits = Type.Integer({ minimum: 1, maximum: 1_000_000 });
const Breakpoint = Type.Object({
  id: Name,
  circuit: Name,
  node_id: Name,
  label: Name,
  condition: orNull(Condition),
  mode: oneOf("hold", "snapshot"),
  hold_ms: HoldMs,
  max_hits: MaxHits,
  hits: Count,
  let_through: Count,
  enabled: Type.Boolean(),
  created_at: Time,
  snapshots: Type.Array(Type.Object({ run_id: Name, at: Time, input: Payload })),
});
const PausedRun = Type.Object({
  id: Name,
  run_id: Name,
  circuit: Name,
  node_id: Name,
  label: Name,
  breakpoint_id: orNull(Name),
  since: Time,
  until: Time,
  input: Payload,
  input_schema: orNull(Type.Unsafe<object>(Type.Record(Type.String(), Type.Unknown()))),
  request: orNull(Type.Object({ method: Name, path: Text, request_id: Name })),
});
const Stall = Type.Object({
  run_id: Name,
  circuit: Name,
  node: Name,
  label: Name,
  entered_at: Time,
  stalled_ms: Amount,
  threshold_ms: Amount,
  request: orNull(Type.Object({ method: Name, path: Text, request_id: Name })),
});
const Alert = Type.Object({
  key: Name,
  kind: oneOf("stall", "error_rate", "dead_letter", "budget", "worker_crash"),
  state: oneOf("active", "resolved"),
  severity: oneOf("warning", "critical"),
  circuit: orNull(Name),
  node: orNull(Name),
  title: Text,
  cause: Text,
  since: Time,
  last_at: Time,
  resolved_at: orNull(Time),
  run_ids: Type.Array(Name, { maxItems: 5 }),
});
const Percentiles = Type.Object({
  p50_us: Amount,
  p90_us: Amount,
  p95_us: Amount,
  p99_us: Amount,
  p99_9_us: Amount,
  max_us: Amount,
  mean_us: Amount,
});
const Window = Type.Object({
  seconds: Type.Union([Type.Literal(1), Type.Literal(10), Type.Literal(60)]),
  count: Count,
  per_second: Amount,
  faults: Count,
  errors: Count,
  refused: Count,
  error_share: Share,
  samples: Count,
  latency: orNull(Percentiles),
});
const NodeMetrics = Type.Object({
  node: Name,
  label: Name,
  kind: Name,
  total: Count,
  total_faults: Count,
  windows: Type.Array(Window),
});
const CircuitMetrics = Type.Object({
  circuit: Name,
  version: Type.String(),
  total: Count,
  total_faults: Count,
  in_flight: Count,
  windows: Type.Array(Window),
  history: Type.Array(
    Type.Object({ at: Time, count: Count, faults: Count, errors: Count, p99_us: orNull(Amount) }),
  ),
  nodes: Type.Array(NodeMetrics),
});
const HttpMetrics = Type.Object({
  windows: Type.Array(Window),
  by_route: Type.Array(
    Type.Object({
      method: Name,
      route: orNull(Name),
      status_class: oneOf("1xx", "2xx", "3xx", "4xx", "5xx", "aborted"),
      total: Count,
    }),
  ),
  in_flight: Count,
});
const ProcessMetrics = Type.Object({
  pid: Count,
  uptime_ms: Amount,
  cpu_share: Amount,
  heap_used_bytes: Count,
  heap_limit_bytes: Count,
  rss_bytes: Count,
  loop_delay_p99_us: Amount,
  loop_utilisation: Share,
});
const PoolMetrics = Type.Object({
  threads: Count,
  running: Count,
  waiting: Count,
  queue: Count,
  steps: Type.Array(
    Type.Object({
      step: Name,
      jobs: Count,
      ends: Type.Array(Type.Object({ end: Name, count: Count })),
      waited: orNull(Percentiles),
      ran: orNull(Percentiles),
    }),
  ),
});
const Metrics = Type.Object({
  at: Time,
  processes: Count,
  http: HttpMetrics,
  process: ProcessMetrics,
  circuits: Type.Array(CircuitMetrics),
  pool: orNull(PoolMetrics),
});
const Event = Type.Object({ seq: Count, at: Time });
const of = <const K extends string, P extends Parameters<typeof Type.Object>[0]>(kind: K, members: P) =>
  Type.Object({ seq: Event.properties.seq, at: Event.properties.at, kind: Type.Literal(kind), ...members });
const FeedEvent = Type.Union([
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
  of("event", { run_id: Name, circuit: Name, node: Name, name: Name }),
  of("metrics", { metrics: Metrics }),
  of("stall_detected", { stall: Stall }),
  of("stall_ended", { run_id: Name, node: Name, stalled_ms: Amount }),
  of("alert", { alert: Alert }),
  of("breakpoint", { breakpoint: Breakpoint, change: oneOf("set", "changed", "removed") }),
]);

export const FeedMessage = Type.Union([
  Type.Object({
    type: Type.Literal("hello"),
    role: oneOf("operator", "viewer"),
    seq: Count,
    instance: Name,
  }),
  Type.Object({
    type: Type.Literal("events"),
    events: Type.Array(FeedEvent),
    lost: Count,
  }),
  Type.Object({ type: Type.Literal("error"), title: Text, detail: Text }),
]);
