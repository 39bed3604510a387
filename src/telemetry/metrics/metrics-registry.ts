// The families that are shown. What they say is asked for when they are collected: who
// counts something keeps its own counter, and pays nothing for being read.

import { FrameworkError } from "#core/errors.js";
import type { Family, HistogramValue, Merging, Series } from "./measure/family.js";
import { labelsText } from "./prometheus-text.js";

export interface MetricDefinition {
  /** In base units, with them at its end: "_seconds", "_bytes"; of a counter with "_total" behind. */
  readonly name: string;
  /** One sentence: what is counted. */
  readonly help: string;
  /** Names of the labels of each series. Default none. */
  readonly labels?: readonly string[];
}

export interface GaugeDefinition extends MetricDefinition {
  /** How figures of several processes become one. Default "sum". */
  readonly merging?: Merging;
}

/** The figure of each series, behind the values of its labels. */
export type Readings<Value> = Iterable<readonly [labels: readonly string[], value: Value]>;

/**
 * Asked when metrics are collected. Without labels the figure alone. What is no finite number
 * is left out; what it throws leaves its family out.
 */
export type ReadMetric = () => number | Readings<number>;

interface Registered {
  readonly definition: MetricDefinition;
  readonly type: Family["type"];
  readonly collect: () => Family;
}

const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

export class MetricsRegistry {
  /** Series that were left out at the last look, because their family has too many. */
  dropped = 0;
  /** Reads that have thrown. */
  failures = 0;
  readonly #registered = new Map<string, Registered>();
  readonly #maxSeries: number;

  /** `maxSeries`: of each family. */
  constructor(maxSeries: number) {
    this.#maxSeries = maxSeries;
  }

  /** Only goes up. Throws CONFIG_INVALID, and answers what takes it away again. */
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

  /** Goes up and down. Throws CONFIG_INVALID, and answers what takes it away again. */
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

  /** What is registered, in that order. */
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
        // One that does not work must not hide all others.
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
    // Two of the same labels would make the whole answer invalid: the first one counts.
    const series = new Map<string, V>();
    for (const [values, value] of readings) {
      if (values.length !== labels.length)
        throw new FrameworkError("CONFIG_INVALID", `${name}: give a value for each of its labels`);
      // Sent to another process as JSON it would be null.
      if (typeof value === "number" && !Number.isFinite(value)) continue;
      const text = texts.of(values);
      if (series.size < this.#maxSeries && !series.has(text)) series.set(text, value);
      else this.dropped += 1;
    }
    return [...series.entries()];
  }
}

/** The labels of a family's series as they are written. */
class LabelTexts {
  readonly #names: readonly string[];
  /** Of lists that nobody can change: most of them come again at each look. */
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
