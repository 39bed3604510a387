import type { Recorder } from "#core/recorder.js";
import type { Schematic } from "#core/schematic.js";
import { type CircuitSeries as Circuit, CircuitSeries } from "./circuit-series.js";
import type { Measured } from "./latency-series.js";

export type MetricsRecorder = Required<Pick<Recorder, "mounted" | "begun" | "ended" | "answered">>;

/** The circuits that a recorder is shown, by their names. As many as the program has mounted. */
export class CircuitsSeries {
  /** Its part of a recorder: told of each circuit, and when traced runs begin and end. */
  readonly recorder: MetricsRecorder = {
    mounted: (circuit) => {
      const series = this.#byName.get(circuit.name) ?? new CircuitSeries(circuit.name, this.#measured);
      this.#byName.set(circuit.name, series);
      series.add(circuit);
      this.#describe(series);
    },
    begun: (run) => this.#byName.get(run.circuit.name)?.runBegan(),
    ended: (run, outcome) => this.#byName.get(run.circuit.name)?.runEnded(run, outcome),
    answered: (run, answer) => this.#byName.get(run.circuit.name)?.runAnswered(run, answer),
  };
  readonly #measured: Measured;
  readonly #byName = new Map<string, Circuit>();
  readonly #schematics = new Map<string, Schematic>();

  constructor(measured: Measured) {
    this.#measured = measured;
  }

  /** Tells what kinds the nodes of the circuit of its name are of, before or after that is mounted. */
  describe(schematic: Schematic): void {
    this.#schematics.set(schematic.name, schematic);
    const series = this.#byName.get(schematic.name);
    if (series !== undefined) this.#describe(series);
  }

  tick(tick: number): void {
    for (const circuit of this.#byName.values()) circuit.tick(tick);
  }

  all(): Iterable<Circuit> {
    return this.#byName.values();
  }

  #describe(series: Circuit): void {
    const schematic = this.#schematics.get(series.name);
    if (schematic !== undefined) series.describe(schematic);
  }
}
