// The framework's metric families. A test compares them with the table in docs/metrics.md.

import { RUN_OUTCOMES } from "#core/bus/run-outcome.js";
import type { PoolFill } from "#core/ports/pool-observer.js";
import type { RunCount } from "#core/ports/run-store.js";
import { FAULTS, RUNS } from "./circuit-series.js";
import type { CircuitsSeries } from "./circuits-series.js";
import type { HttpSeries, RouteSeries } from "./http-series.js";
import type { HistogramValue } from "./measure/family.js";
import type { Measured } from "./measure/measured.js";
import type { MetricsRegistry, Readings } from "./metrics-registry.js";
import { STATUS_CLASSES } from "./metrics-snapshot.js";
import type { PoolSeries } from "./pool-series.js";
import { registerProcess } from "./process-families.js";
import type { ProcessSeries } from "./process-series.js";

export interface Measurements {
  readonly circuits: CircuitsSeries;
  readonly http: HttpSeries;
  readonly process: ProcessSeries;
  readonly pool: PoolSeries;
  readonly requestsInFlight: () => number;
  readonly stores: () => readonly StoreFill[];
  readonly storeFailures: () => ReadonlyMap<string, number>;
  readonly deadLetters: () => number | undefined;
  readonly runs: () => readonly RunCount[];
  readonly draining: () => readonly Draining[];
  /** Crashes of each worker, by its number from 1. */
  readonly crashes: () => readonly number[];
  readonly measured: Measured;
}

/** Fill level of a bounded store. */
export interface StoreFill {
  readonly name: string;
  readonly count: number;
  readonly limit: number;
  /** Entries that were dropped because of the bound. */
  readonly dropped: number;
}

/** Unfinished runs of a version, and what becomes of them. */
export interface Draining {
  readonly axon: string;
  readonly version: string;
  readonly way: string;
  readonly count: number;
}

/** Label of requests that match no route. A pattern begins with a slash. */
const UNROUTED = "unrouted";

export function registerFamilies(registry: MetricsRegistry, measurements: Measurements): void {
  registerHttp(registry, measurements);
  registerCircuits(registry, measurements.circuits);
  registerStores(registry, measurements.stores);
  registry.counter(
    {
      name: "framework_store_failures_total",
      help: "Failed calls of this process to Redis, by what they were for: rates, sessions, keys, locks, rooms, channels.",
      labels: ["use"],
    },
    () => mapped(measurements.storeFailures(), ([use, count]) => [[use], count]),
  );
  registerPool(registry, measurements.pool);
  registry.gauge(
    {
      name: "framework_dead_letters",
      help: "Dead letters that the stores of the server hold.",
      // Each process counts the same stores.
      merging: "max",
    },
    () => mapped(present(measurements.deadLetters()), (count) => [[], count]),
  );
  registry.gauge(
    {
      name: "framework_runs",
      help: "Unfinished kept runs in the stores by Axon, version and state, counted hourly: running, waiting, sleeping, stuck; unfit where no code here can resume them.",
      labels: ["axon", "version", "state"],
      merging: "max",
    },
    () => mapped(measurements.runs(), ({ axon, version, state, count }) => [[axon, version, state], count]),
  );
  registry.gauge(
    {
      name: "framework_runs_draining",
      help: "Unfinished kept runs of versions that are not the one served, counted hourly, by what becomes of them here: migrates, old code, unfit.",
      labels: ["axon", "version", "way"],
      merging: "max",
    },
    () => drained(measurements.draining()),
  );
  registry.counter(
    {
      name: "framework_worker_crashes_total",
      help: "Ends of a worker process without a signal to stop, by its number.",
      labels: ["worker"],
    },
    () => mapped(measurements.crashes().entries(), ([at, count]) => [[String(at + 1)], count]),
  );
  registerProcess(registry, measurements.process);
  const dropped = "Series that the last scrape left out, because their family has too many.";
  registry.gauge({ name: "framework_metrics_dropped_series", help: dropped }, () => registry.dropped);
  const longest = "The longest that it took to count a batch of measured durations.";
  registry.gauge(
    { name: "framework_metrics_batch_max_seconds", help: longest, merging: "max" },
    () => measurements.measured.longestMs / 1000,
  );
  const failures = "Metrics that were left out of a scrape, because reading them threw.";
  registry.counter({ name: "framework_metrics_failures_total", help: failures }, () => registry.failures);
}

/** One sample of each Axon, version and way: its runs have several states. */
function drained(found: readonly Draining[]): Iterable<readonly [readonly string[], number]> {
  const sums = new Map<string, readonly [readonly string[], number]>();
  for (const { axon, version, way, count } of found) {
    const labels = [axon, version, way];
    const key = JSON.stringify(labels);
    sums.set(key, [labels, (sums.get(key)?.[1] ?? 0) + count]);
  }
  return sums.values();
}

function registerHttp(registry: MetricsRegistry, { http, requestsInFlight }: Measurements): void {
  registry.counter(
    {
      name: "framework_http_requests_total",
      help: "Requests by method, pattern of their route and class of their status; aborted where the client went away.",
      labels: ["method", "route", "status"],
    },
    () => requests(http),
  );
  registry.histogram(
    {
      name: "framework_http_request_duration_seconds",
      help: "From the first look at a request to the end of its answer.",
      labels: ["method", "route"],
    },
    () => mapped(http.routes(), (series) => [routeLabels(series), series.latencies.histogram()]),
  );
  registry.counter(
    {
      name: "framework_http_response_bytes_total",
      help: "Bytes of the bodies of answers, as far as they were handed over.",
      labels: ["method", "route"],
    },
    () => mapped(http.routes(), (series) => [routeLabels(series), series.bytes]),
  );
  registry.gauge(
    {
      name: "framework_http_requests_in_flight",
      help: "Requests that outlived their handler and are not answered yet.",
    },
    requestsInFlight,
  );
}

const routeLabels = ({ method, route }: RouteSeries): readonly string[] => [method, route ?? UNROUTED];

function* requests(http: HttpSeries): Readings<number> {
  for (const series of http.routes())
    for (let at = 0; at < STATUS_CLASSES.length; at += 1) {
      const total = series.totals[at] as number;
      if (total > 0) yield [[...routeLabels(series), STATUS_CLASSES[at] as string], total];
    }
}

function registerCircuits(registry: MetricsRegistry, circuits: CircuitsSeries): void {
  const circuit = ["circuit"];
  const node = ["circuit", "node"];
  registry.counter(
    { name: "framework_circuit_runs_total", help: "Runs of a circuit.", labels: circuit },
    () => mapped(circuits.all(), ({ name, history }) => [[name], history.value(RUNS)]),
  );
  registry.counter(
    {
      name: "framework_circuit_faults_total",
      help: "Runs of a circuit that ended in a fault.",
      labels: circuit,
    },
    () => mapped(circuits.all(), ({ name, history }) => [[name], history.value(FAULTS)]),
  );
  registry.counter(
    {
      name: "framework_circuit_traced_runs_total",
      help: "Traced runs of a circuit, by how they ended.",
      labels: ["circuit", "outcome"],
    },
    () => outcomes(circuits),
  );
  registry.gauge(
    {
      name: "framework_circuit_traced_runs_in_flight",
      help: "Traced runs of a circuit that have begun and not ended.",
      labels: circuit,
    },
    () => mapped(circuits.all(), ({ name, inFlight }) => [[name], inFlight]),
  );
  registry.histogram(
    {
      name: "framework_circuit_duration_seconds",
      help: "How long traced runs of a circuit took.",
      labels: circuit,
    },
    () => mapped(circuits.all(), ({ name, latencies }) => [[name], latencies.histogram()]),
  );
  registry.counter(
    { name: "framework_node_runs_total", help: "How often a node was entered.", labels: node },
    () => nodeCounts(circuits, 0),
  );
  registry.counter(
    { name: "framework_node_faults_total", help: "How often a node ended in a fault.", labels: node },
    () => nodeCounts(circuits, 1),
  );
  registry.counter(
    {
      name: "framework_guard_refusals_total",
      help: "How often a guard, or what withIam put before a circuit, let nobody pass.",
      labels: ["circuit", "guard"],
    },
    () => nodeCounts(circuits, 1, true),
  );
  registry.histogram(
    {
      name: "framework_node_duration_seconds",
      help: "From entering a node to leaving it, in traced runs.",
      labels: node,
    },
    () => nodeDurations(circuits),
  );
}

function registerStores(registry: MetricsRegistry, stores: () => readonly StoreFill[]): void {
  const labels = ["store"];
  registry.gauge(
    { name: "framework_store_entries", help: "What a store of the Inspector holds.", labels },
    () => mapped(stores(), ({ name, count }) => [[name], count]),
  );
  registry.gauge(
    { name: "framework_store_limit_entries", help: "What a store of the Inspector may hold.", labels },
    () => mapped(stores(), ({ name, limit }) => [[name], limit]),
  );
  registry.counter(
    {
      name: "framework_store_dropped_total",
      help: "Entries that a store of the Inspector evicted; of the feed, events that clients wanted and were not sent.",
      labels,
    },
    () => mapped(stores(), ({ name, dropped }) => [[name], dropped]),
  );
}

function registerPool(registry: MetricsRegistry, pool: PoolSeries): void {
  const gauge = (name: string, help: string, figure: keyof PoolFill): void => {
    registry.gauge({ name, help }, () => mapped(present(pool.fill()), (fill) => [[], fill[figure]]));
  };
  const step = ["step"];
  gauge("framework_pool_threads", "Threads that the worker pool may have.", "threads");
  gauge("framework_pool_jobs_running", "Jobs in the threads of the worker pool.", "running");
  gauge("framework_pool_jobs_waiting", "Jobs that wait for a thread.", "waiting");
  gauge("framework_pool_queue_limit", "Jobs that may wait for a thread.", "queue");
  registry.counter(
    {
      name: "framework_pool_jobs_total",
      help: "Jobs of the worker pool, by their step and how they ended.",
      labels: ["step", "end"],
    },
    () => ends(pool),
  );
  registry.histogram(
    { name: "framework_pool_wait_seconds", help: "How long jobs waited for a thread.", labels: step },
    () => mapped(pool.all(), ({ step: name, waited }) => [[name], waited.histogram()]),
  );
  registry.histogram(
    { name: "framework_pool_run_seconds", help: "How long jobs were in a thread.", labels: step },
    () => mapped(pool.all(), ({ step: name, ran }) => [[name], ran.histogram()]),
  );
}

const present = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);

function* ends(pool: PoolSeries): Readings<number> {
  for (const { step, ends: counted } of pool.all())
    for (const [end, count] of counted) yield [[step, end], count];
}

function* outcomes(circuits: CircuitsSeries): Readings<number> {
  for (const { name, ended } of circuits.all())
    for (const outcome of RUN_OUTCOMES) yield [[name, outcome], ended[outcome]];
}

function* nodeCounts(circuits: CircuitsSeries, offset: 0 | 1, guards = false): Readings<number> {
  for (const { nodes, history } of circuits.all())
    for (const { labels, counter, refuses } of nodes)
      if (!guards || refuses) yield [labels, history.value(counter + offset)];
}

function* nodeDurations(circuits: CircuitsSeries): Readings<HistogramValue> {
  for (const { nodes } of circuits.all())
    for (const { labels, latencies } of nodes)
      if (latencies !== undefined) yield [labels, latencies.histogram()];
}

function* mapped<T, V>(all: Iterable<T>, reading: (one: T) => readonly [readonly string[], V]): Readings<V> {
  for (const one of all) yield reading(one);
}
