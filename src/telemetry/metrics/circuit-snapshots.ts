import { type CircuitSeries, FAULTS, RUNS } from "./circuit-series.js";
import { encodeHdr } from "./hdr-encoding.js";
import type { LatencySeries } from "./latency-series.js";
import type { CircuitSnapshot, NodeSnapshot } from "./metrics-snapshot.js";
import type { NodeSeries } from "./node-series.js";
import type { Seconds } from "./seconds.js";
import { secondSnapshots, type Windowed, windowSnapshots } from "./window-snapshots.js";

export interface SnapshotMoment {
  readonly seconds: Seconds;
  /** Milliseconds that never go back, and those since 1970, at once. */
  readonly now: number;
  readonly wallNow: number;
  /** Whether all durations come along as HdrHistograms: 50 us for each node. */
  readonly hdr: boolean;
}

export function circuitSnapshot(circuit: CircuitSeries, moment: SnapshotMoment): CircuitSnapshot {
  const { seconds, now, wallNow, hdr } = moment;
  const { history, latencies, inFlight } = circuit;
  const windowed: Windowed = {
    countDuring: (first, last) => history.during(RUNS, first, last),
    faultsDuring: (first, last) => history.during(FAULTS, first, last),
    latencies,
  };
  return {
    circuit: circuit.name,
    version: circuit.version,
    total: history.value(RUNS),
    totalFaults: history.value(FAULTS),
    inFlight,
    windows: windowSnapshots(seconds, windowed),
    history: secondSnapshots(seconds, now, wallNow, windowed),
    nodes: circuit.nodes.map((node, place) => nodeSnapshot(circuit, node, place, moment)),
    hdr: hdr ? totalHdr(latencies) : null,
  };
}

function nodeSnapshot(
  { history }: CircuitSeries,
  { id, label, kind, counter, latencies }: NodeSeries,
  place: number,
  { seconds, hdr }: SnapshotMoment,
): NodeSnapshot {
  return {
    node: id,
    label,
    kind,
    place,
    total: history.value(counter),
    totalFaults: history.value(counter + 1),
    windows: windowSnapshots(seconds, {
      countDuring: (first, last) => history.during(counter, first, last),
      faultsDuring: (first, last) => history.during(counter + 1, first, last),
      latencies,
    }),
    hdr: hdr ? totalHdr(latencies) : null,
  };
}

const totalHdr = (latencies: LatencySeries | undefined): string | null =>
  latencies === undefined || latencies.total.count === 0 ? null : encodeHdr(latencies.total.cells());
