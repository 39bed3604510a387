import type { Schematic } from "#core/flow/schematic.js";
import type { Recorder, WatchedCircuit } from "#core/timeline/recorder.js";
import { type CircuitSeries as Circuit, CircuitSeries } from "./circuit-series.js";
import type { Measured } from "./measure/measured.js";

export type MetricsRecorder = Required<Pick<Recorder, "mounted" | "begun" | "ended" | "answered">>;

/** The series of all watched circuits, by name; the program's circuits bound their number. */
export class CircuitsSeries {
  /** The recorder: receives each circuit, and the begin and end of traced runs. */
  readonly recorder: MetricsRecorder = {
    mounted: (circuit) => {
      const series = this.#byName.get(circuit.name) ?? new CircuitSeries(circuit.name, this.#measured);
      this.#byName.set(circuit.name, series);
      this.#last = undefined;
      series.add(circuit);
      this.#describe(series);
    },
    begun: (run) => this.#of(run.circuit)?.runBegan(),
    ended: (run, outcome) => this.#of(run.circuit)?.runEnded(run, outcome),
    answered: (run, answer) => this.#of(run.circuit)?.runAnswered(run, answer),
  };
  // The next query nearly always repeats the last.
  #last: WatchedCircuit | undefined;
  #lastSeries: Circuit | undefined;
  readonly #measured: Measured;
  readonly #byName = new Map<string, Circuit>();
  readonly #schematics = new Map<string, Schematic>();

  constructor(measured: Measured) {
    this.#measured = measured;
  }

  /** Sets the kinds of a circuit's nodes, before or after the circuit is mounted. */
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

  #of(circuit: WatchedCircuit): Circuit | undefined {
    if (circuit !== this.#last) {
      this.#lastSeries = this.#byName.get(circuit.name);
      this.#last = circuit;
    }
    return this.#lastSeries;
  }

  #describe(series: Circuit): void {
    const schematic = this.#schematics.get(series.name);
    if (schematic !== undefined) series.describe(schematic);
  }
}
