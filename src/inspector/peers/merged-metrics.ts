import type { Family } from "#telemetry/metrics/family.js";
import { mergeFamilies } from "#telemetry/metrics/family.js";
import type { Metrics } from "#telemetry/metrics/metrics.js";
import { type CircuitReport, type MetricsReport, metricsReport } from "#telemetry/metrics/metrics-report.js";
import { type MetricsSnapshot, mergeSnapshots } from "#telemetry/metrics/metrics-snapshot.js";
import { prometheusText } from "#telemetry/metrics/prometheus-text.js";
import type { Peers } from "./peers.js";

const SNAPSHOT = "metrics snapshot";
const FAMILIES = "metrics families";

/** The figures of all processes of a service as one; those of this process alone where it has no peers. */
export class MergedMetrics {
  readonly #own: Metrics;
  readonly #peers: Peers | undefined;

  /** From here on this process answers what its peers ask of its figures. */
  constructor(own: Metrics, peers: Peers | undefined) {
    this.#own = own;
    this.#peers = peers;
    peers?.answers(SNAPSHOT, () => own.snapshot());
    peers?.answers(FAMILIES, () => own.families());
  }

  async snapshot(): Promise<MetricsReport> {
    return metricsReport(
      (await this.#others<MetricsSnapshot>(SNAPSHOT)).reduce(mergeSnapshots, this.#own.snapshot()),
    );
  }

  async circuit(name: string): Promise<CircuitReport | undefined> {
    return (await this.snapshot()).circuits.find(({ circuit }) => circuit === name);
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    const others = await this.#others<readonly Family[]>(FAMILIES);
    return prometheusText(others.reduce(mergeFamilies, this.#own.families()));
  }

  /** What the others answered, which is this class's own making. */
  async #others<T>(about: string): Promise<readonly T[]> {
    const answers = (await this.#peers?.ask(about)) ?? [];
    return answers.map(({ value }) => value as T);
  }
}
