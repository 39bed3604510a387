// Figures of circuits and nodes over the last 1, 10 and 60 seconds, and of the process.

import { type Static, Type } from "@sinclair/typebox";

import { Amount, Count, closed, envelope, Name, oneOf, orNull, Share, Time } from "./shapes.js";

/** In microseconds; each of all samples of its window. */
export const Percentiles = Type.Object(
  {
    p50_us: Amount,
    p90_us: Amount,
    p95_us: Amount,
    p99_us: Amount,
    p99_9_us: Amount,
    max_us: Amount,
    mean_us: Amount,
  },
  closed,
);
export type Percentiles = Static<typeof Percentiles>;

/** What happened in one window. Counts are exact; latencies are of the traced runs alone. */
export const Window = Type.Object(
  {
    seconds: Type.Union([Type.Literal(1), Type.Literal(10), Type.Literal(60)]),
    /** Times that it was entered; of a circuit its runs. */
    count: Count,
    per_second: Amount,
    faults: Count,
    /** What the server is to blame for: faults that were not answered below 500, and runs that were given up and answered with 5xx. */
    errors: Count,
    /** Faults that were answered below 500. Of runs that are not traced both are estimated by those that are. */
    refused: Count,
    /** Errors, of `count`; 0 where that is 0. */
    error_share: Share,
    /** How many durations the percentiles are made of. */
    samples: Count,
    /** Null where there is no sample. */
    latency: orNull(Percentiles),
  },
  closed,
);
export type Window = Static<typeof Window>;

export const NodeMetrics = Type.Object(
  {
    node: Name,
    label: Name,
    /** The node's kind in the Schematic: a fault of a Guard or an Iam is a refusal. */
    kind: Name,
    /** Since the circuit was first watched. */
    total: Count,
    total_faults: Count,
    /** 1, 10 and 60 seconds. */
    windows: Type.Array(Window),
  },
  closed,
);
export type NodeMetrics = Static<typeof NodeMetrics>;

export const CircuitMetrics = Type.Object(
  {
    circuit: Name,
    version: Type.String(),
    total: Count,
    total_faults: Count,
    /** Traced runs that have begun and not ended. */
    in_flight: Count,
    windows: Type.Array(Window),
    /** Runs of each of the last 60 seconds, the oldest first. */
    history: Type.Array(
      Type.Object({ at: Time, count: Count, faults: Count, errors: Count, p99_us: orNull(Amount) }, closed),
    ),
    nodes: Type.Array(NodeMetrics),
  },
  closed,
);
export type CircuitMetrics = Static<typeof CircuitMetrics>;

/** Requests of the ingress, those that no route serves included. */
const HttpMetrics = Type.Object(
  {
    windows: Type.Array(Window),
    by_route: Type.Array(
      Type.Object(
        {
          method: Name,
          route: orNull(Name),
          status_class: oneOf("1xx", "2xx", "3xx", "4xx", "5xx", "aborted"),
          total: Count,
        },
        closed,
      ),
    ),
    in_flight: Count,
  },
  closed,
);

const ProcessMetrics = Type.Object(
  {
    pid: Count,
    uptime_ms: Amount,
    cpu_share: Amount,
    heap_used_bytes: Count,
    heap_limit_bytes: Count,
    rss_bytes: Count,
    loop_delay_p99_us: Amount,
    loop_utilisation: Share,
  },
  closed,
);

/** The worker pools of all processes. */
export const PoolMetrics = Type.Object(
  {
    threads: Count,
    running: Count,
    waiting: Count,
    /** How many jobs may wait. */
    queue: Count,
    steps: Type.Array(
      Type.Object(
        {
          step: Name,
          /** Since the process began. */
          jobs: Count,
          /** By how they ended: "done", or the code of the pool's fault. */
          ends: Type.Array(Type.Object({ end: Name, count: Count }, closed)),
          /** Of the last 60 seconds, of all jobs: in the queue, and in a thread. */
          waited: orNull(Percentiles),
          ran: orNull(Percentiles),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type PoolMetrics = Static<typeof PoolMetrics>;

export const Metrics = envelope(
  "metrics",
  Type.Object(
    {
      at: Time,
      /** Processes whose figures are merged. */
      processes: Count,
      http: HttpMetrics,
      process: ProcessMetrics,
      circuits: Type.Array(CircuitMetrics),
      /** Null where no step was offloaded yet. */
      pool: orNull(PoolMetrics),
    },
    closed,
  ),
);
export type Metrics = Static<typeof Metrics>;
export const OneCircuitMetrics = envelope("circuit_metrics", CircuitMetrics);
