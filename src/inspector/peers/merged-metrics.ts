import { type Clock, systemClock } from "#core/clock.js";
import type { Family } from "#telemetry/metrics/measure/family.js";
import { mergeFamilies } from "#telemetry/metrics/measure/family.js";
import type { Metrics } from "#telemetry/metrics/metrics.js";
import { type CircuitReport, type MetricsReport, metricsReport } from "#telemetry/metrics/metrics-report.js";
import { type MetricsSnapshot, mergeSnapshots } from "#telemetry/metrics/metrics-snapshot.js";
import { prometheusText } from "#telemetry/metrics/prometheus-text.js";
import { LatestResponses } from "./latest-responses.js";
import { FAMILIES, SNAPSHOT } from "./metrics-reports.js";
import type { Peers } from "./peers.js";

/** The merged metrics of all processes of a service. Without peers, those of this process. */
export class MergedMetrics {
  readonly #own: Metrics;
  readonly #snapshots: LatestResponses<MetricsSnapshot> | undefined;
  readonly #families: LatestResponses<readonly Family[]> | undefined;

  /** Also answers the peers' requests for this process's metrics. */
  constructor(own: Metrics, peers: Peers | undefined, clock: Clock = systemClock) {
    this.#own = own;
    this.#snapshots = peers && new LatestResponses(peers, SNAPSHOT, clock);
    this.#families = peers && new LatestResponses(peers, FAMILIES, clock);
    peers?.answers(SNAPSHOT.about, () => own.snapshot());
    peers?.answers(FAMILIES.about, () => own.families());
  }

  async snapshot(): Promise<MetricsReport> {
    const others = (await this.#snapshots?.ask()) ?? [];
    return metricsReport(others.reduce(mergeSnapshots, this.#own.snapshot()));
  }

  async circuit(name: string): Promise<CircuitReport | undefined> {
    return (await this.snapshot()).circuits.find(({ circuit }) => circuit === name);
  }

  /** Prometheus text format. */
  async text(): Promise<string> {
    const others = (await this.#families?.ask()) ?? [];
    return prometheusText(others.reduce(mergeFamilies, this.#own.families()));
  }
}
