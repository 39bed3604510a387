import { type Clock, systemClock } from "#core/clock.js";
import type { Family } from "#telemetry/metrics/measure/family.js";
import { mergeFamilies } from "#telemetry/metrics/measure/family.js";
import { WINDOWS } from "#telemetry/metrics/measure/seconds.js";
import type { Metrics } from "#telemetry/metrics/metrics.js";
import { type CircuitReport, type MetricsReport, metricsReport } from "#telemetry/metrics/metrics-report.js";
import { type MetricsSnapshot, mergeSnapshots } from "#telemetry/metrics/metrics-snapshot.js";
import { prometheusText } from "#telemetry/metrics/prometheus-text.js";
import type { Lengths } from "#telemetry/metrics/window-snapshots.js";
import type { MetricsWindow } from "../api/metrics.js";
import { LatestResponses } from "./latest-responses.js";
import { FAMILIES, SNAPSHOT } from "./metrics-reports.js";
import type { Peers } from "./peers.js";

/** The merged metrics of all processes of a service. Without peers, those of this process. */
export class MergedMetrics {
  readonly #own: Metrics;
  /** By window; `undefined` has the usual ones. */
  readonly #snapshots = new Map<MetricsWindow | undefined, LatestResponses<MetricsSnapshot>>();
  readonly #latest: (window: MetricsWindow | undefined) => LatestResponses<MetricsSnapshot> | undefined;
  readonly #families: LatestResponses<readonly Family[]> | undefined;

  /** Also answers the peers' requests for this process's metrics. */
  constructor(own: Metrics, peers: Peers | undefined, clock: Clock = systemClock) {
    this.#own = own;
    this.#latest = (window) => {
      const known =
        this.#snapshots.get(window) ?? (peers && new LatestResponses(peers, SNAPSHOT, clock, window));
      if (known !== undefined) this.#snapshots.set(window, known);
      return known;
    };
    this.#families = peers && new LatestResponses(peers, FAMILIES, clock);
    peers?.answers(SNAPSHOT.about, (window) => own.snapshot({ lengths: lengthsOf(window) }));
    peers?.answers(FAMILIES.about, () => own.families());
  }

  /** By default with the usual windows. */
  async snapshot(window?: MetricsWindow): Promise<MetricsReport> {
    const others = (await this.#latest(window)?.ask()) ?? [];
    return metricsReport(others.reduce(mergeSnapshots, this.#own.snapshot({ lengths: lengthsOf(window) })));
  }

  async circuit(name: string, window?: MetricsWindow): Promise<CircuitReport | undefined> {
    return (await this.snapshot(window)).circuits.find(({ circuit }) => circuit === name);
  }

  /** Prometheus text format. */
  async text(): Promise<string> {
    const others = (await this.#families?.ask()) ?? [];
    return prometheusText(others.reduce(mergeFamilies, this.#own.families()));
  }
}

/** A peer of another build may ask for other windows: it gets the usual ones. */
const lengthsOf = (window: unknown): Lengths => LENGTHS.get(window) ?? WINDOWS;

const LENGTHS: ReadonlyMap<unknown, Lengths> = new Map<MetricsWindow, Lengths>([
  ["1", [1]],
  ["10", [10]],
  ["60", [60]],
  ["600", [600]],
  ["start", [null]],
]);
