// Metrics in Prometheus terms: a family is a name with its series.

/** How values of several processes are merged. */
export type Merging = "sum" | "max" | "min";

/** Seconds, as in all families. */
export interface HistogramValue {
  /** Cumulative count for each of BUCKETS. */
  readonly buckets: readonly number[];
  readonly count: number;
  readonly sum: number;
}

/** Labels in text form, `circuit="orders",node="price"`; empty without labels. */
export type Series<Value> = readonly [labels: string, value: Value];

interface Named {
  readonly name: string;
  readonly help: string;
}

export type Family =
  | (Named & { readonly type: "counter"; readonly series: readonly Series<number>[] })
  | (Named & {
      readonly type: "gauge";
      readonly merging: Merging;
      readonly series: readonly Series<number>[];
    })
  | (Named & { readonly type: "histogram"; readonly series: readonly Series<HistogramValue>[] });

/** Merges the families of two processes. Associative; commutative if both have the same families. */
export function mergeFamilies(left: readonly Family[], right: readonly Family[]): readonly Family[] {
  const byName = new Map(left.map((family) => [family.name, family]));
  for (const family of right) {
    const known = byName.get(family.name);
    byName.set(family.name, known === undefined ? family : mergeFamily(known, family));
  }
  return [...byName.values()];
}

/** If two families of one name differ in type, from different releases, the left one is kept. */
function mergeFamily(left: Family, right: Family): Family {
  if (left.type === "histogram" && right.type === "histogram")
    return { ...left, series: mergeSeries(left.series, right.series, addHistograms) };
  if (left.type === "counter" && right.type === "counter")
    return { ...left, series: mergeSeries(left.series, right.series, (a, b) => a + b) };
  if (left.type === "gauge" && right.type === "gauge")
    return { ...left, series: mergeSeries(left.series, right.series, MERGE[left.merging]) };
  return left;
}

const MERGE: Record<Merging, (a: number, b: number) => number> = {
  sum: (a, b) => a + b,
  max: Math.max,
  min: Math.min,
};

const addHistograms = (a: HistogramValue, b: HistogramValue): HistogramValue => ({
  buckets: a.buckets.map((count, at) => count + (b.buckets[at] ?? 0)),
  count: a.count + b.count,
  sum: a.sum + b.sum,
});

function mergeSeries<V>(
  left: readonly Series<V>[],
  right: readonly Series<V>[],
  merge: (a: V, b: V) => V,
): readonly Series<V>[] {
  const byLabels = new Map(left);
  for (const [labels, value] of right) {
    const known = byLabels.get(labels);
    byLabels.set(labels, known === undefined ? value : merge(known, value));
  }
  return [...byLabels.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
}
