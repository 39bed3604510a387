// Figures of circuits and nodes over a window of time, and of the process.

import { type Static, Type } from "@sinclair/typebox";

import { Amount, Count, closed, envelope, Name, oneOf, orNull, Share, Time } from "./shapes.js";

/** In microseconds, over all samples of the window. */
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
const Latency = orNull(Percentiles);

export const MetricsWindow = oneOf("1", "10", "60", "600", "start");
export type MetricsWindow = Static<typeof MetricsWindow>;
/** In seconds. Default: 1, 10 and 60 seconds, as in the feed. */
const window = Type.Optional(MetricsWindow);

export const MetricsQuery = Type.Object({ window }, closed);
export type MetricsQuery = Static<typeof MetricsQuery>;
export const OneMetricsQuery = Type.Object({ name: Name, window }, closed);

export const WindowSeconds = orNull(
  Type.Union([Type.Literal(1), Type.Literal(10), Type.Literal(60), Type.Literal(600)]),
);

/** The figures of one window. Counts are exact; latencies are of traced runs only. */
export const Window = Type.Object(
  {
    /** Null: since the process began. */
    seconds: WindowSeconds,
    /** Number of entries; for a circuit, of runs. */
    count: Count,
    per_second: Amount,
    faults: Count,
    /** Server-side failures: faults with a response of 500 or above, and aborted runs with a 5xx. */
    errors: Count,
    /**
     * Faults with a response from 400 to 499. If only some runs are traced, both figures are
     * estimated from those.
     */
    refused: Count,
    /** Errors divided by `count`; 0 if that is 0. */
    error_share: Share,
    /** Number of durations behind the percentiles. */
    samples: Count,
    /** Of a circuit: the mean part of a duration that the run waited for its log and locks. Omitted for 0. */
    waited_us: Type.Optional(Amount),
    /** Null without samples. */
    latency: Latency,
  },
  closed,
);
export type Window = Static<typeof Window>;

/** Of `count` runs, those that are not refused, errors or aborted have completed or are running. */
const CircuitWindow = Type.Object(
  {
    ...Window.properties,
    /** Part of `refused`: the ingress refused the request before the first step of the Axon. */
    refused_input: Count,
    /** The client disconnected. */
    aborted: Count,
  },
  closed,
);

export const NodeMetrics = Type.Object(
  {
    node: Name,
    label: Name,
    /** The node's kind in the Schematic: a fault of a Guard or an Iam is a refusal. */
    kind: Name,
    /** Since the circuit was first watched. */
    total: Count,
    total_faults: Count,
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
    /** Traced runs in flight. */
    in_flight: Count,
    windows: Type.Array(CircuitWindow),
    /** Runs of each of the last 60 seconds, the oldest first. */
    history: Type.Array(
      Type.Object({ at: Time, count: Count, faults: Count, errors: Count, p99_us: orNull(Amount) }, closed),
    ),
    nodes: Type.Array(NodeMetrics),
  },
  closed,
);
export type CircuitMetrics = Static<typeof CircuitMetrics>;

/** Requests of the ingress, including those that match no route. */
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
    /** Maximum number of waiting jobs. */
    queue: Count,
    steps: Type.Array(
      Type.Object(
        {
          step: Name,
          /** Since the process began. */
          jobs: Count,
          /** By result: "done", or the code of the pool's fault. */
          ends: Type.Array(Type.Object({ end: Name, count: Count }, closed)),
          /** All jobs of the last 60 seconds: time in the queue, and in a thread. */
          waited: Latency,
          ran: Latency,
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
      /** Number of processes merged. */
      processes: Count,
      http: HttpMetrics,
      process: ProcessMetrics,
      circuits: Type.Array(CircuitMetrics),
      /** Null while no step was offloaded. */
      pool: orNull(PoolMetrics),
    },
    closed,
  ),
);
export type Metrics = Static<typeof Metrics>;
export const OneCircuitMetrics = envelope("circuit_metrics", CircuitMetrics);
