// Process metrics, under the names of Prometheus client libraries.

import { readdirSync, readFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

import type { HistogramValue } from "./measure/family.js";
import type { MetricsRegistry, Readings } from "./metrics-registry.js";
import type { ProcessSeries } from "./process-series.js";

const US = 1e6;

export function registerProcess(registry: MetricsRegistry, series: ProcessSeries): void {
  registerCpu(registry);
  registerMemory(registry);
  registerLoop(registry, series);
  // Read once: a change of the wall clock would look like another process.
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  registry.gauge(
    { name: "process_start_time_seconds", help: "When the process began, since 1970.", merging: "min" },
    () => startedAt,
  );
  registry.gauge(
    { name: "nodejs_version_info", help: "The version of Node.js.", labels: ["version"], merging: "max" },
    () => [[[process.version], 1]],
  );
}

function registerCpu(registry: MetricsRegistry): void {
  registry.counter(
    { name: "process_cpu_seconds_total", help: "CPU time of the process, user and system." },
    () => (process.cpuUsage().user + process.cpuUsage().system) / US,
  );
  registry.counter(
    { name: "process_cpu_user_seconds_total", help: "CPU time of the process, user." },
    () => process.cpuUsage().user / US,
  );
  registry.counter(
    { name: "process_cpu_system_seconds_total", help: "CPU time of the process, system." },
    () => process.cpuUsage().system / US,
  );
}

function registerMemory(registry: MetricsRegistry): void {
  const bytes = (name: string, help: string, member: keyof NodeJS.MemoryUsage): void => {
    registry.gauge({ name, help }, () => process.memoryUsage()[member]);
  };
  registry.gauge(
    { name: "process_resident_memory_bytes", help: "Memory of the process that is in RAM." },
    () => process.memoryUsage.rss(),
  );
  bytes("nodejs_heap_size_total_bytes", "Size of the heap of JavaScript.", "heapTotal");
  bytes("nodejs_heap_size_used_bytes", "What of the heap is used.", "heapUsed");
  registry.gauge(
    { name: "nodejs_heap_size_limit_bytes", help: "What the heap may grow to before the process ends." },
    () => getHeapStatistics().heap_size_limit,
  );
  bytes("nodejs_external_memory_bytes", "Memory outside the heap that objects on it hold.", "external");
  // Linux only: elsewhere the families have no series.
  registry.gauge({ name: "process_open_fds", help: "Open file descriptors." }, () =>
    onLinux(() => readdirSync("/proc/self/fd").length),
  );
  registry.gauge({ name: "process_max_fds", help: "File descriptors that may be open." }, () =>
    onLinux(() =>
      Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1] ?? Number.NaN),
    ),
  );
}

function onLinux(read: () => number): Readings<number> {
  try {
    return [[[], read()]];
  } catch {
    return [];
  }
}

function registerLoop(registry: MetricsRegistry, series: ProcessSeries): void {
  const seconds = (name: string, help: string, us: () => number): void => {
    registry.gauge({ name, help, merging: "max" }, () => us() / US);
  };
  const delay = () => series.delay;
  seconds(
    "nodejs_eventloop_lag_seconds",
    "How long timers were late in the last second, the median.",
    () => delay().p50Us,
  );
  seconds("nodejs_eventloop_lag_p99_seconds", "The same, the 99th percentile.", () => delay().p99Us);
  seconds("nodejs_eventloop_lag_max_seconds", "The same, the longest.", () => delay().maxUs);
  registry.gauge(
    {
      name: "nodejs_eventloop_utilization",
      help: "The share of the last second in which the event loop had work.",
      merging: "max",
    },
    () => series.utilisation,
  );
  registry.histogram(
    { name: "nodejs_gc_duration_seconds", help: "How long garbage collections took.", labels: ["kind"] },
    () => gcDurations(series),
  );
}

function* gcDurations({ gc }: ProcessSeries): Readings<HistogramValue> {
  for (const [kind, latencies] of gc) yield [[kind], latencies.histogram()];
}
