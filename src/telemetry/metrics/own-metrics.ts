// Metrics of the program. They count from their creation, whether or not an Inspector reads them. A
// registered metric is shown beside the framework's.

import { FrameworkError } from "#core/errors.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { BUCKETS } from "./measure/buckets.js";
import type { HistogramValue } from "./measure/family.js";
import { type MetricDefinition, MetricsRegistry } from "./metrics-registry.js";

export interface OwnMetricOptions<Label extends string> {
  /**
   * In base units, as Prometheus has it: `orders_placed_total` of a counter, `oven_wait_seconds` of
   * a histogram.
   */
  readonly name: string;
  /** One sentence that describes the metric. */
  readonly help: string;
  /** Label names of each series. Their values must be few: none that clients send. Default: none. */
  readonly labels?: readonly Label[];
  /** Limit of series. Default 100. */
  readonly maxSeries?: number;
}

/** A value for each label. */
export type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

abstract class OwnMetric<Label extends string, Kept> {
  protected readonly definition: MetricDefinition;
  readonly #labels: readonly Label[];
  readonly #maxSeries: number;
  readonly #series = new Map<string, { readonly values: readonly string[]; readonly kept: Kept }>();
  #dropped = 0;

  /** Throws CONFIG_INVALID. */
  constructor(kind: string, options: OwnMetricOptions<Label>) {
    requireKnownOptions(kind, options, ["name", "help", "labels", "maxSeries"]);
    const { name, help, labels = [], maxSeries = 100 } = options;
    if (!Number.isSafeInteger(maxSeries) || maxSeries < 1 || maxSeries > 10_000)
      throw invalidOption(`${kind}({ maxSeries })`, "use a whole number from 1 to 10 000");
    this.definition = { name, help, labels };
    this.#labels = labels;
    this.#maxSeries = maxSeries;
    // Rejects an invalid definition where it is made, not at the Inspector.
    this.register(new MetricsRegistry(1));
  }

  /** Number of records dropped because no further series fits. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Registers it. Throws CONFIG_INVALID if its name is taken. */
  abstract register(registry: MetricsRegistry): void;

  protected abstract make(): Kept;

  /** The series of these labels; undefined if no further series fits. */
  protected of(labels: LabelValues<Label> | undefined): Kept | undefined {
    const values = this.#labels.map((label) => String(labels?.[label] ?? ""));
    const key = values.length === 1 ? (values[0] as string) : JSON.stringify(values);
    const known = this.#series.get(key);
    if (known !== undefined) return known.kept;
    if (this.#series.size >= this.#maxSeries) {
      this.#dropped += 1;
      return undefined;
    }
    const kept = this.make();
    this.#series.set(key, { values: Object.freeze(values), kept });
    return kept;
  }

  protected read<V>(figure: (kept: Kept) => V): (readonly [readonly string[], V])[] {
    return [...this.#series.values()].map(({ values, kept }) => [values, figure(kept)] as const);
  }

  protected requireAmount(value: number): void {
    if (Number.isFinite(value) && value >= 0) return;
    throw new FrameworkError(
      "CONFIG_INVALID",
      `metric ${this.definition.name}: ${value} is no amount: use 0 or more`,
    );
  }
}

type Labelled<Label extends string> = [Label] extends [never] ? [] : [labels: LabelValues<Label>];

/**
 * Counts events.
 *
 *     const placed = new Counter({ name: "orders_placed_total", help: "Orders.", labels: ["kind"] });
 *     placed.add(1, { kind: "gift" });
 */
export class Counter<const Label extends string = never> extends OwnMetric<Label, { count: number }> {
  /** Throws CONFIG_INVALID. */
  constructor(options: OwnMetricOptions<Label>) {
    super("Counter", options);
  }

  /** `amount` is 0 or more. Throws CONFIG_INVALID. */
  add(amount: number, ...[labels]: Labelled<Label>): void {
    this.requireAmount(amount);
    const kept = this.of(labels);
    if (kept !== undefined) kept.count += amount;
  }

  override register(registry: MetricsRegistry): void {
    registry.counter(this.definition, () => this.read(({ count }) => count));
  }

  protected override make(): { count: number } {
    return { count: 0 };
  }
}

export const isOwnMetric = (value: unknown): boolean => value instanceof OwnMetric;

interface Counted {
  /** Per bucket, not cumulative; the last one is above all bounds. */
  readonly counts: Float64Array;
  sum: number;
}

/** Durations in seconds, in the buckets of the framework's own histograms. */
export class Histogram<const Label extends string = never> extends OwnMetric<Label, Counted> {
  /** Throws CONFIG_INVALID. */
  constructor(options: OwnMetricOptions<Label>) {
    super("Histogram", options);
  }

  /** `seconds` is 0 or more. Throws CONFIG_INVALID. */
  record(seconds: number, ...[labels]: Labelled<Label>): void {
    this.requireAmount(seconds);
    const kept = this.of(labels);
    if (kept === undefined) return;
    const at = BUCKETS.findIndex((bound) => seconds <= bound);
    const bucket = at < 0 ? BUCKETS.length : at;
    kept.counts[bucket] = (kept.counts[bucket] as number) + 1;
    kept.sum += seconds;
  }

  override register(registry: MetricsRegistry): void {
    registry.histogram(this.definition, () => this.read(histogramOf));
  }

  protected override make(): Counted {
    return { counts: new Float64Array(BUCKETS.length + 1), sum: 0 };
  }
}

function histogramOf({ counts, sum }: Counted): HistogramValue {
  let count = 0;
  const buckets = BUCKETS.map((_, at) => {
    count += counts[at] as number;
    return count;
  });
  return { buckets, count: count + (counts[BUCKETS.length] as number), sum };
}
