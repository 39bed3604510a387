import type { NodeKind } from "#core/flow/schematic.js";
import { LatencySeries } from "./measure/latency-series.js";
import type { Measured } from "./measure/measured.js";

/** Per node: entries, faults, faults in traced runs, and refused runs among those. */
export const NODE_COUNTERS = 4;

/** The figures of one node. */
export class NodeSeries {
  readonly id: string;
  /** The names of its circuit and node, as metric labels. */
  readonly labels: readonly string[];
  readonly label: string;
  /** Index of its first counter in the circuit. */
  readonly counter: number;
  kind: NodeKind;
  tracedFaults = 0;
  refused = 0;
  readonly #latencies: LatencySeries;

  constructor(circuit: string, id: string, label: string, counter: number, measured: Measured) {
    this.id = id;
    this.labels = Object.freeze([circuit, id]);
    this.label = label;
    this.counter = counter;
    this.kind = kindOf(id);
    this.#latencies = new LatencySeries(measured);
  }

  /** The number of its duration series. */
  get number(): number {
    return this.#latencies.number;
  }

  /** Undefined before the first duration. */
  get latencies(): LatencySeries | undefined {
    return this.#latencies.isEmpty ? undefined : this.#latencies;
  }

  /** True if its faults are refusals. */
  get refuses(): boolean {
    return this.kind === "Guard" || this.kind === "Iam";
  }
}

/** Guesses the kind from the id: an ingress adds nodes before an Axon. The Schematic has all kinds. */
function kindOf(id: string): NodeKind {
  if (id.includes(":layer/")) return "Layer";
  if (id.includes(":guard/")) return "Guard";
  return id.endsWith(":iam") ? "Iam" : "Atom";
}
