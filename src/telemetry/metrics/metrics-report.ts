// Converts a snapshot to the Inspector API's response; inspector/api/metrics.ts has its schema.

import { type Cells, noCells } from "./measure/distribution.js";
import { p99Of, percentilesOf, samplesOf } from "./measure/percentiles.js";
import type {
  CircuitSnapshot,
  MetricsSnapshot,
  NodeSnapshot,
  PoolSnapshot,
  SecondSnapshot,
  WindowSnapshot,
} from "./metrics-snapshot.js";

export type MetricsReport = ReturnType<typeof metricsReport>;
export type CircuitReport = ReturnType<typeof circuitReport>;

export function metricsReport({ at, processes, http, process, circuits, pool }: MetricsSnapshot) {
  return {
    at,
    processes,
    http: {
      windows: http.windows.map(windowReport),
      by_route: http.byRoute.map(({ method, route, statusClass, total }) => ({
        method,
        route,
        status_class: statusClass,
        total,
      })),
      in_flight: http.inFlight,
    },
    process: {
      pid: process.pid,
      uptime_ms: process.uptimeMs,
      cpu_share: process.cpuPpm / 1e6,
      heap_used_bytes: process.heapUsedBytes,
      heap_limit_bytes: process.heapLimitBytes,
      rss_bytes: process.rssBytes,
      loop_delay_p99_us: process.loopDelayP99Us,
      loop_utilisation: process.loopUtilisation,
    },
    circuits: circuits.map((circuit) => circuitReport(circuit, at)),
    pool: pool && poolReport(pool),
  };
}

const poolReport = ({ threads, running, waiting, queue, steps }: PoolSnapshot) => ({
  threads,
  running,
  waiting,
  queue,
  steps: steps.map(({ step, ends, waited, ran }) => ({
    step,
    jobs: ends.reduce((sum, { count }) => sum + count, 0),
    ends: ends.map(({ end, count }) => ({ end, count })),
    waited: percentilesOf(waited),
    ran: percentilesOf(ran),
  })),
});

/** `at`: end of the last of the sixty seconds of the history, since 1970. */
const circuitReport = (circuit: CircuitSnapshot, at: number) => ({
  circuit: circuit.circuit,
  version: circuit.version,
  total: circuit.total,
  total_faults: circuit.totalFaults,
  in_flight: circuit.inFlight,
  windows: circuit.windows.map((window) => ({
    ...windowReport(window),
    refused_input: window.refusedInput,
    aborted: window.aborted,
  })),
  history: historyReport(circuit.history, Math.round(at / 1000)),
  nodes: [...circuit.nodes].sort((a, b) => a.place - b.place).map(nodeReport),
});

const nodeReport = ({ node, label, kind, total, totalFaults, windows }: NodeSnapshot) => ({
  node,
  label,
  kind,
  total,
  total_faults: totalFaults,
  windows: windows.map(windowReport),
});

const windowReport = (window: WindowSnapshot) => {
  const { seconds, spanMs, count, faults, errors, refused, waitedUs = 0 } = window;
  const samples = samplesOf(window);
  return {
    seconds,
    count,
    per_second: spanMs > 0 ? (count * 1000) / spanMs : 0,
    faults,
    errors,
    refused,
    error_share: count > 0 ? Math.min(1, errors / count) : 0,
    samples,
    ...(samples > 0 && waitedUs > 0 && { waited_us: waitedUs / samples }),
    latency: percentilesOf(window),
  };
};

const HISTORY_SECONDS = 60;
const idle = (second: number): SecondSnapshot => ({
  ...{ second, count: 0, faults: 0, errors: 0, refused: 0 },
  ...noCells,
});

function historyReport(rows: readonly SecondSnapshot[], last: number) {
  const bySecond = new Map(rows.map((row) => [row.second, row]));
  return Array.from({ length: HISTORY_SECONDS }, (_, at) => {
    const second = last - HISTORY_SECONDS + 1 + at;
    const { count, faults, errors, refused, ...cells } = bySecond.get(second) ?? idle(second);
    return { at: second * 1000, count, faults, errors, p99_us: p99Of(cells as Cells) };
  });
}
