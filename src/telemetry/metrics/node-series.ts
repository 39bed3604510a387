import type { NodeKind } from "#core/flow/schematic.js";
import { LatencySeries } from "./measure/latency-series.js";
import type { Measured } from "./measure/measured.js";

/** Of each node: entered, faulted, faulted in traced runs, and of these faults those of refused runs. */
export const NODE_COUNTERS = 4;

/** What is known of one node. */
export class NodeSeries {
  readonly id: string;
  /** The names of its circuit and itself, for metrics. */
  readonly labels: readonly string[];
  readonly label: string;
  /** Where its counters stand among those of its circuit. */
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

  /** By which its durations are measured. */
  get number(): number {
    return this.#latencies.number;
  }

  /** Undefined until one was measured. */
  get latencies(): LatencySeries | undefined {
    return this.#latencies.isEmpty ? undefined : this.#latencies;
  }

  /** Whether its faults are refusals. */
  get refuses(): boolean {
    return this.kind === "Guard" || this.kind === "Iam";
  }
}

/** As far as an id tells it: what an ingress has put before an Axon. The Schematic knows all. */
function kindOf(id: string): NodeKind {
  if (id.includes(":layer/")) return "Layer";
  if (id.includes(":guard/")) return "Guard";
  return id.endsWith(":iam") ? "Iam" : "Atom";
}
