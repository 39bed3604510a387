// How closely each circuit is watched: as the settings say, or wholly for as long as somebody
// asks for that.

import type { WatchedCircuit, WatchLevel } from "#core/recorder.js";

export class Watching {
  readonly #usual: WatchLevel;
  readonly #circuits = new Map<string, WatchedCircuit[]>();
  readonly #wanted = new Map<string, number>();
  #isOver = false;

  /** `ratio` is the part of the runs that is traced. */
  constructor(ratio: number) {
    this.#usual = usualLevel(ratio);
  }

  readonly mounted = (circuit: WatchedCircuit): void => {
    this.#circuits.set(circuit.name, [...(this.#circuits.get(circuit.name) ?? []), circuit]);
    circuit.watch(this.#levelOf(circuit.name));
  };

  levelOf(circuit: string): WatchLevel["kind"] {
    return this.#circuits.has(circuit) ? this.#levelOf(circuit).kind : "off";
  }

  /** Has every run of a circuit traced, until the function is called that it answers. */
  readonly all = (circuit: string): (() => void) => {
    this.#change(circuit, 1);
    let isOver = false;
    return () => {
      if (!isOver) this.#change(circuit, -1);
      isOver = true;
    };
  };

  /** Nothing is watched any more. */
  stop(): void {
    this.#isOver = true;
    for (const circuits of this.#circuits.values()) for (const one of circuits) one.watch({ kind: "off" });
  }

  #change(circuit: string, by: number): void {
    this.#wanted.set(circuit, (this.#wanted.get(circuit) ?? 0) + by);
    for (const one of this.#circuits.get(circuit) ?? []) one.watch(this.#levelOf(circuit));
  }

  #levelOf(circuit: string): WatchLevel {
    if (this.#isOver) return { kind: "off" };
    return (this.#wanted.get(circuit) ?? 0) > 0 ? { kind: "all" } : this.#usual;
  }
}

function usualLevel(ratio: number): WatchLevel {
  if (ratio >= 1) return { kind: "all" };
  return ratio <= 0 ? { kind: "counted" } : { kind: "sampled", every: Math.round(1 / ratio) };
}
