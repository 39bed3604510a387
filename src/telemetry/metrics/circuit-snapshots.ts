import {
  ABORTED,
  type CircuitSeries,
  FAULTS,
  GAVE_UP,
  PASSED,
  REFUSED,
  REFUSED_INPUT,
  RUNS,
  TRACED,
  TRACED_FAULTS,
  UNENTERED,
  UNSENT,
  WAITED_US,
} from "./circuit-series.js";
import type { CountHistory } from "./measure/count-history.js";
import { encodeHdr } from "./measure/hdr-encoding.js";
import type { LatencySeries } from "./measure/latency-series.js";
import type { Seconds } from "./measure/seconds.js";
import type { CircuitSnapshot, CircuitWindowSnapshot, NodeSnapshot } from "./metrics-snapshot.js";
import type { NodeSeries } from "./node-series.js";
import { type Lengths, secondSnapshots, type Windowed, windowSnapshots } from "./window-snapshots.js";

export interface SnapshotMoment {
  readonly seconds: Seconds;
  /** Monotonic milliseconds, and milliseconds since 1970, read together. */
  readonly now: number;
  readonly wallNow: number;
  /** True to include all durations as HdrHistograms: 50 us for each node. */
  readonly hdr: boolean;
  readonly lengths: Lengths;
}

export function circuitSnapshot(circuit: CircuitSeries, moment: SnapshotMoment): CircuitSnapshot {
  const { seconds, now, wallNow, hdr, lengths } = moment;
  const { history, latencies, inFlight } = circuit;
  const windowed: Windowed = {
    countDuring: (first, last) => history.during(RUNS, first, last),
    faultsDuring: (first, last) => history.during(FAULTS, first, last),
    refusedDuring: (first, last) =>
      shared(history, FAULTS, REFUSED, TRACED_FAULTS, first, last) ?? refusals(circuit, first, last),
    furtherErrorsDuring: (first, last) =>
      (shared(history, RUNS, GAVE_UP, TRACED, first, last) ?? 0) +
      (shared(history, RUNS, UNSENT, TRACED, first, last) ?? 0) -
      (shared(history, FAULTS, PASSED, TRACED_FAULTS, first, last) ?? 0),
    waitedDuring: (first) => history.during(WAITED_US, first),
    latencies,
  };
  const windows = windowSnapshots(seconds, windowed, lengths).map((window): CircuitWindowSnapshot => {
    const { firstTick } = seconds.window(window.seconds);
    const aborted = shared(history, RUNS, ABORTED, TRACED, firstTick) ?? 0;
    const gaveUp = shared(history, RUNS, GAVE_UP, TRACED, firstTick) ?? 0;
    const refusedInput =
      shared(history, FAULTS, REFUSED_INPUT, TRACED_FAULTS, firstTick) ?? refusedInputs(circuit, firstTick);
    return { ...window, refusedInput, aborted: Math.max(0, aborted - gaveUp) };
  });
  return {
    circuit: circuit.name,
    version: circuit.version,
    total: history.value(RUNS),
    totalFaults: history.value(FAULTS),
    inFlight,
    windows,
    history: secondSnapshots(seconds, now, wallNow, windowed),
    nodes: circuit.nodes.map((node, place) => nodeSnapshot(circuit, node, place, moment)),
    hdr: hdr ? totalHdr(latencies) : null,
  };
}

function nodeSnapshot(
  { history }: CircuitSeries,
  { id, label, kind, counter, latencies, refuses }: NodeSeries,
  place: number,
  { seconds, hdr, lengths }: SnapshotMoment,
): NodeSnapshot {
  return {
    node: id,
    label,
    kind,
    place,
    total: history.value(counter),
    totalFaults: history.value(counter + 1),
    windows: windowSnapshots(
      seconds,
      {
        countDuring: (first, last) => history.during(counter, first, last),
        faultsDuring: (first, last) => history.during(counter + 1, first, last),
        // Refusals of guards are known without a trace.
        refusedDuring: (first, last) =>
          shared(history, counter + 1, counter + 3, counter + 2, first, last) ??
          (refuses ? history.during(counter + 1, first, last) : 0),
        latencies,
      },
      lengths,
    ),
    hdr: hdr ? totalHdr(latencies) : null,
  };
}

const totalHdr = (latencies: LatencySeries | undefined): string | null =>
  latencies === undefined || latencies.total.count === 0 ? null : encodeHdr(latencies.total.cells());

/** Scales `some` of the traced `of` to `all`: exact if all are traced. Undefined without traced runs. */
function shared(
  history: CountHistory,
  all: number,
  some: number,
  of: number,
  first: number,
  last?: number,
): number | undefined {
  const traced = history.during(of, first, last);
  if (traced === 0) return undefined;
  const share = Math.min(1, history.during(some, first, last) / traced);
  return Math.round(history.during(all, first, last) * share);
}

/** Refusals known without a trace: the faults of guards, and refused inputs. */
function refusals(circuit: CircuitSeries, first: number, last: number | undefined): number {
  const { history, nodes } = circuit;
  const guards = faultsOf(
    circuit,
    nodes.filter(({ refuses }) => refuses),
    first,
    last,
  );
  return Math.min(guards + refusedInputs(circuit, first, last), history.during(FAULTS, first, last));
}

function refusedInputs(circuit: CircuitSeries, first: number, last?: number): number {
  const { history, name, nodes } = circuit;
  const inputs = nodes.filter(({ id }) => id === `${name}:in`);
  return history.during(UNENTERED, first, last) + faultsOf(circuit, inputs, first, last);
}

const faultsOf = (
  { history }: CircuitSeries,
  nodes: readonly NodeSeries[],
  first: number,
  last: number | undefined,
): number => nodes.reduce((sum, { counter }) => sum + history.during(counter + 1, first, last), 0);
