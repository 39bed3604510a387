// The figures of one process as JSON that other processes can merge. Merging is associative and
// commutative: integers are added, other values become the maximum, and lists are sorted.

import { type Cells, mergeCells } from "./measure/distribution.js";
import { mergeHdr } from "./measure/hdr-encoding.js";
import type { WindowSeconds } from "./measure/seconds.js";

export interface WindowSnapshot extends Cells {
  readonly seconds: WindowSeconds;
  readonly spanMs: number;
  /** Of a circuit: what its traced runs waited for their logs and locks. Undefined for none. */
  readonly waitedUs?: number;
  readonly count: number;
  readonly faults: number;
  /** Server errors, and refusals caused by callers: docs/metrics.md defines them. */
  readonly errors: number;
  readonly refused: number;
}

export interface CircuitWindowSnapshot extends WindowSnapshot {
  /** Of the refused runs, those whose request was refused before the first step. */
  readonly refusedInput: number;
  /** Runs that ended as their client disconnected. */
  readonly aborted: number;
}

/** One of the last sixty seconds, if something ran in it. */
export interface SecondSnapshot extends Cells {
  /** Since 1970. */
  readonly second: number;
  readonly count: number;
  readonly faults: number;
  /** Server errors, and refusals caused by callers: docs/metrics.md defines them. */
  readonly errors: number;
  readonly refused: number;
}

export interface NodeSnapshot {
  readonly node: string;
  readonly label: string;
  readonly kind: string;
  /** Index of the node in the circuit. */
  readonly place: number;
  readonly total: number;
  readonly totalFaults: number;
  readonly windows: readonly WindowSnapshot[];
  /** All durations as an HdrHistogram of microseconds; null if not requested. */
  readonly hdr: string | null;
}

export interface CircuitSnapshot {
  readonly circuit: string;
  readonly version: string;
  readonly total: number;
  readonly totalFaults: number;
  readonly inFlight: number;
  readonly windows: readonly CircuitWindowSnapshot[];
  readonly history: readonly SecondSnapshot[];
  readonly nodes: readonly NodeSnapshot[];
  readonly hdr: string | null;
}

export interface RouteSnapshot {
  readonly method: string;
  /** Null for requests that match no route. */
  readonly route: string | null;
  readonly statusClass: StatusClass;
  readonly total: number;
}

export const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx", "aborted"] as const;
type StatusClass = (typeof STATUS_CLASSES)[number];

interface HttpSnapshot {
  readonly windows: readonly WindowSnapshot[];
  readonly byRoute: readonly RouteSnapshot[];
  readonly inFlight: number;
}

export interface ProcessSnapshot {
  readonly pid: number;
  readonly uptimeMs: number;
  /** Millionths of one core. */
  readonly cpuPpm: number;
  readonly heapUsedBytes: number;
  readonly heapLimitBytes: number;
  readonly rssBytes: number;
  readonly loopDelayP99Us: number;
  readonly loopUtilisation: number;
}

interface PoolStepSnapshot {
  readonly step: string;
  readonly ends: readonly { readonly end: string; readonly count: number }[];
  /** Over the last 60 seconds: time in the queue, and in a thread. */
  readonly waited: Cells;
  readonly ran: Cells;
}

export interface PoolSnapshot {
  readonly threads: number;
  readonly running: number;
  readonly waiting: number;
  readonly queue: number;
  readonly steps: readonly PoolStepSnapshot[];
}

export interface MetricsSnapshot {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly processes: number;
  readonly http: HttpSnapshot;
  readonly process: ProcessSnapshot;
  readonly circuits: readonly CircuitSnapshot[];
  /** Null while no step was offloaded. */
  readonly pool: PoolSnapshot | null;
}

/** Merges two snapshots. Process figures are those of the busier process, with the lower pid. */
export const mergeSnapshots = (left: MetricsSnapshot, right: MetricsSnapshot): MetricsSnapshot => ({
  at: Math.max(left.at, right.at),
  processes: left.processes + right.processes,
  http: {
    windows: mergeWindows(left.http.windows, right.http.windows),
    byRoute: mergeLists(left.http.byRoute, right.http.byRoute, routeKey, (a, b) => ({
      ...a,
      total: a.total + b.total,
    })),
    inFlight: left.http.inFlight + right.http.inFlight,
  },
  process: mergeProcesses(left.process, right.process),
  circuits: mergeLists(left.circuits, right.circuits, ({ circuit }) => circuit, mergeCircuits),
  pool: mergePools(left.pool, right.pool),
});

const mergePools = (a: PoolSnapshot | null, b: PoolSnapshot | null): PoolSnapshot | null =>
  a === null || b === null
    ? (a ?? b)
    : {
        threads: a.threads + b.threads,
        running: a.running + b.running,
        waiting: a.waiting + b.waiting,
        queue: a.queue + b.queue,
        steps: mergeLists(a.steps, b.steps, ({ step }) => step, mergePoolSteps),
      };

const mergePoolSteps = (a: PoolStepSnapshot, b: PoolStepSnapshot): PoolStepSnapshot => ({
  step: a.step,
  ends: mergeLists(
    a.ends,
    b.ends,
    ({ end }) => end,
    ({ end, count }, other) => ({ end, count: count + other.count }),
  ),
  waited: mergeCells(a.waited, b.waited),
  ran: mergeCells(a.ran, b.ran),
});

const routeKey = ({ method, route, statusClass }: RouteSnapshot): string =>
  JSON.stringify([route, method, statusClass]);

const mergeProcesses = (a: ProcessSnapshot, b: ProcessSnapshot): ProcessSnapshot => ({
  pid: Math.min(a.pid, b.pid),
  uptimeMs: Math.max(a.uptimeMs, b.uptimeMs),
  cpuPpm: a.cpuPpm + b.cpuPpm,
  heapUsedBytes: a.heapUsedBytes + b.heapUsedBytes,
  heapLimitBytes: a.heapLimitBytes + b.heapLimitBytes,
  rssBytes: a.rssBytes + b.rssBytes,
  loopDelayP99Us: Math.max(a.loopDelayP99Us, b.loopDelayP99Us),
  loopUtilisation: Math.max(a.loopUtilisation, b.loopUtilisation),
});

const mergeCircuits = (a: CircuitSnapshot, b: CircuitSnapshot): CircuitSnapshot => ({
  circuit: a.circuit,
  version: later(a.version, b.version),
  total: a.total + b.total,
  totalFaults: a.totalFaults + b.totalFaults,
  inFlight: a.inFlight + b.inFlight,
  windows: mergeLists(a.windows, b.windows, windowKey, mergeCircuitWindows),
  history: mergeLists(a.history, b.history, ({ second }) => second, mergeCounted),
  nodes: mergeLists(a.nodes, b.nodes, ({ node }) => node, mergeNodes),
  hdr: mergeHdrs(a.hdr, b.hdr),
});

const mergeNodes = (a: NodeSnapshot, b: NodeSnapshot): NodeSnapshot => ({
  node: a.node,
  label: later(a.label, b.label),
  kind: later(a.kind, b.kind),
  place: Math.min(a.place, b.place),
  total: a.total + b.total,
  totalFaults: a.totalFaults + b.totalFaults,
  windows: mergeWindows(a.windows, b.windows),
  hdr: mergeHdrs(a.hdr, b.hdr),
});

const mergeWindows = (
  left: readonly WindowSnapshot[],
  right: readonly WindowSnapshot[],
): readonly WindowSnapshot[] => mergeLists(left, right, windowKey, mergeWindow);

const windowKey = ({ seconds }: WindowSnapshot): number => seconds ?? Number.POSITIVE_INFINITY;

function mergeWindow<W extends WindowSnapshot>(a: W, b: W): W {
  const waitedUs = (a.waitedUs ?? 0) + (b.waitedUs ?? 0);
  const spanMs = Math.max(a.spanMs, b.spanMs);
  return { ...mergeCounted(a, b), spanMs, ...(waitedUs > 0 && { waitedUs }) };
}

const mergeCircuitWindows = (a: CircuitWindowSnapshot, b: CircuitWindowSnapshot): CircuitWindowSnapshot => ({
  ...mergeWindow(a, b),
  refusedInput: a.refusedInput + b.refusedInput,
  aborted: a.aborted + b.aborted,
});

const mergeCounted = <C extends WindowSnapshot | SecondSnapshot>(a: C, b: C): C => ({
  ...a,
  ...mergeCells(a, b),
  count: a.count + b.count,
  faults: a.faults + b.faults,
  errors: a.errors + b.errors,
  refused: a.refused + b.refused,
});

const mergeHdrs = (a: string | null, b: string | null): string | null =>
  a === null ? b : b === null ? a : mergeHdr(a, b);

/** For processes of different releases. */
const later = (a: string, b: string): string => (a > b ? a : b);

/** Merges the entries of equal keys; sorted by key. */
function mergeLists<T>(
  left: readonly T[],
  right: readonly T[],
  keyOf: (one: T) => string | number,
  merge: (a: T, b: T) => T,
): readonly T[] {
  const byKey = new Map<string | number, T>();
  for (const one of [...left, ...right]) {
    const known = byKey.get(keyOf(one));
    byKey.set(keyOf(one), known === undefined ? one : merge(known, one));
  }
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}
