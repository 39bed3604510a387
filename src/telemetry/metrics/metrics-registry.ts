// The registered metric families. Values are read at collection: the owner keeps its own counter,
// and pays nothing in between.

import { FrameworkError } from "#core/errors.js";
import type { Family, HistogramValue, Merging, Series } from "./measure/family.js";
import { labelsText } from "./prometheus-text.js";

export interface MetricDefinition {
  /** Ends with its base unit, "_seconds" or "_bytes"; a counter adds "_total". */
  readonly name: string;
  /** One sentence that describes the metric. */
  readonly help: string;
  /** Label names of each series. Default: none. */
  readonly labels?: readonly string[];
}

export interface GaugeDefinition extends MetricDefinition {
  /** How values of several processes are merged. Default "sum". */
  readonly merging?: Merging;
}

/** The value of each series, after the values of its labels. */
export type Readings<Value> = Iterable<readonly [labels: readonly string[], value: Value]>;

/**
 * Called at collection. A metric without labels returns a number. Values that are not finite are
 * left out. If it throws, its family is left out.
 */
export type ReadMetric = () => number | Readings<number>;

interface Registered {
  readonly definition: MetricDefinition;
  readonly type: Family["type"];
  readonly collect: () => Family;
}

const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

export class MetricsRegistry {
  /** Series left out of the latest collection, because their family exceeds `maxSeries`. */
  dropped = 0;
  /** Number of reads that threw. */
  failures = 0;
  readonly #registered = new Map<string, Registered>();
  readonly #maxSeries: number;

  /** `maxSeries` applies to each family. */
  constructor(maxSeries: number) {
    this.#maxSeries = maxSeries;
  }

  /** A value that only increases. Returns a function that removes it. Throws CONFIG_INVALID. */
  counter(definition: MetricDefinition, read: ReadMetric): () => void {
    if (!definition.name.endsWith("_total"))
      throw invalid(definition, "the name of a counter ends with _total");
    const texts = new LabelTexts(definition);
    return this.#add("counter", definition, () => ({
      ...named(definition),
      type: "counter",
      series: this.#series(definition, texts, numbers(read())),
    }));
  }

  /** A value that increases and decreases. Returns a function that removes it. Throws CONFIG_INVALID. */
  gauge(definition: GaugeDefinition, read: ReadMetric): () => void {
    const { name, merging = "sum" } = definition;
    if (name.endsWith("_total")) throw invalid(definition, "only the name of a counter ends with _total");
    const texts = new LabelTexts(definition);
    return this.#add("gauge", definition, () => ({
      ...named(definition),
      type: "gauge",
      merging,
      series: this.#series(definition, texts, numbers(read())),
    }));
  }

  /** Durations in seconds. */
  histogram(definition: MetricDefinition, read: () => Readings<HistogramValue>): () => void {
    const texts = new LabelTexts(definition);
    return this.#add("histogram", definition, () => ({
      ...named(definition),
      type: "histogram",
      series: this.#series(definition, texts, read()),
    }));
  }

  /** The definitions, in the order of registration. */
  get definitions(): readonly (MetricDefinition & Pick<Family, "type">)[] {
    return [...this.#registered.values()].map(({ definition, type }) => ({ ...definition, type }));
  }

  collect(): readonly Family[] {
    this.dropped = 0;
    const families: Family[] = [];
    for (const { collect } of this.#registered.values()) {
      try {
        families.push(collect());
      } catch {
        // A failing metric must not hide the others.
        this.failures += 1;
      }
    }
    return families;
  }

  #add(type: Family["type"], definition: MetricDefinition, collect: () => Family): () => void {
    const { name, help, labels = [] } = definition;
    if (!NAME.test(name)) throw invalid(definition, "use a name like orders_in_queue");
    if (typeof help !== "string" || help.trim() === "") throw invalid(definition, "say in `help` what it is");
    if (!labels.every((label) => NAME.test(label) && label !== "le"))
      throw invalid(definition, "use labels like queue_name, and none that is `le`");
    if (this.#registered.has(name)) throw invalid(definition, "there is one of this name");
    const registered = { definition, type, collect };
    this.#registered.set(name, registered);
    return () => {
      if (this.#registered.get(name) === registered) this.#registered.delete(name);
    };
  }

  #series<V>(
    { name, labels = [] }: MetricDefinition,
    texts: LabelTexts,
    readings: Readings<V>,
  ): readonly Series<V>[] {
    // Duplicate labels would invalidate the whole response: the first series counts.
    const series = new Map<string, V>();
    for (const [values, value] of readings) {
      if (values.length !== labels.length)
        throw new FrameworkError("CONFIG_INVALID", `${name}: give a value for each of its labels`);
      // JSON between processes would turn it into null.
      if (typeof value === "number" && !Number.isFinite(value)) continue;
      const text = texts.of(values);
      if (series.size < this.#maxSeries && !series.has(text)) series.set(text, value);
      else this.dropped += 1;
    }
    return [...series.entries()];
  }
}

/** Formats the labels of a family's series. */
class LabelTexts {
  readonly #names: readonly string[];
  /** Caches the text of frozen label lists, most of which return at each collection. */
  readonly #known = new WeakMap<readonly string[], string>();

  constructor({ labels = [] }: MetricDefinition) {
    this.#names = labels;
  }

  of(values: readonly string[]): string {
    const known = this.#known.get(values);
    if (known !== undefined) return known;
    const text = labelsText(this.#names.map((name, at) => [name, String(values[at])] as const));
    if (Object.isFrozen(values)) this.#known.set(values, text);
    return text;
  }
}

const named = ({ name, help }: MetricDefinition) => ({ name, help });

const numbers = (read: number | Readings<number>): Readings<number> =>
  typeof read === "number" ? [[[], read]] : read;

const invalid = ({ name }: MetricDefinition, remedy: string): FrameworkError =>
  new FrameworkError("CONFIG_INVALID", `metric ${name}: ${remedy}`);
