// A recorder watches runs from outside: it counts, hears each event, and may hold a run
// before a node and change what that node gets.

import { Axon, type Recorder } from "framework";
import type { TracedRun, WatchedCircuit } from "framework/core";

export const announce = Axon.start<string>("announce")
  .thenFn("wording", (ship) => `The ${ship} is boarding`)
  .thenFn("speak", (text) => `"${text}"`);

/** Somebody who reads each announcement before it is spoken. */
export class Editor implements Recorder {
  readonly waiting: { readonly text: string; readonly approve: (text: string) => void }[] = [];
  readonly #circuits: WatchedCircuit[] = [];

  /** Every run is traced: only traced runs ask `beforeNode`. `{ kind: "counted" }` costs less. */
  mounted(circuit: WatchedCircuit): void {
    circuit.watch({ kind: "all" });
    this.#circuits.push(circuit);
  }

  beforeNode(_run: TracedRun, node: string, input: unknown): unknown {
    if (node !== "announce/speak") return input;
    // The run waits for this promise, and goes on with what it brings.
    return new Promise((approve) => this.waiting.push({ text: input as string, approve }));
  }

  /** How often each node was entered. */
  counts(): ReadonlyMap<string, number> {
    return new Map(
      this.#circuits.flatMap(({ nodes, counts }) =>
        nodes.map(({ id }, at) => [id, counts.entered[at] ?? 0] as const),
      ),
    );
  }
}
