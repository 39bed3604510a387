// The one recorder that the Inspector gives an ingress: it says how closely each circuit is
// watched, and hands what it is told to those who want it.

import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { Recorder, TracedRun, WatchedCircuit, WatchLevel } from "#core/recorder.js";
import { joinedRecorder } from "#http/joined-recorder.js";

export interface RecordingOptions {
  /** Which part of a circuit's runs is traced: 0 for none of them, 1 for all. Default 1: `inspector.sample_ratio`. */
  readonly sampleRatio?: number | undefined;
  /** Told in this order: metrics, traces, breakpoints, stalls, the feed, as far as there are any. */
  readonly consumers: readonly Recorder[];
}

export class Recording {
  /** For the ingress. */
  readonly recorder: Recorder;
  #level: WatchLevel;
  readonly #circuits = new Map<string, WatchedCircuit[]>();
  /** How many look closely, by the names of circuits. */
  readonly #closely = new Map<string, number>();
  /** Requests whose runs somebody waits to know, by their ids. */
  readonly #sought = new Map<string, string | undefined>();

  /** Throws CONFIG_INVALID. */
  constructor(options: RecordingOptions) {
    requireKnownOptions("Recording", options, ["sampleRatio", "consumers"]);
    this.#level = levelOf(options.sampleRatio ?? 1);
    const own: Recorder = {
      mounted: (circuit) => this.#mounted(circuit),
      ended: (run) => this.#ended(run),
    };
    this.recorder = joinedRecorder([own, ...options.consumers], true) as Recorder;
  }

  /** From the next run on. Throws CONFIG_INVALID. */
  sample(ratio: number): void {
    this.#level = levelOf(ratio);
    for (const name of this.#circuits.keys()) this.#watch(name);
  }

  /**
   * Has every run of the circuits of this name traced, until the function is called that it
   * answers; those that are mounted later too.
   */
  closely(circuit: string): () => void {
    this.#closely.set(circuit, (this.#closely.get(circuit) ?? 0) + 1);
    this.#watch(circuit);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#closely.get(circuit) ?? 1) - 1;
      if (left > 0) this.#closely.set(circuit, left);
      else this.#closely.delete(circuit);
      this.#watch(circuit);
    };
  }

  /**
   * Does what has a request of this id answered by a circuit, and tells which run that was:
   * undefined where none answered it, or it has not ended.
   */
  async runOf<T>(
    circuit: string | undefined,
    requestId: string,
    ask: () => Promise<T>,
  ): Promise<{ readonly answer: T; readonly runId: string | undefined }> {
    const release = circuit === undefined ? undefined : this.closely(circuit);
    this.#sought.set(requestId, undefined);
    try {
      const answer = await ask();
      // A run that is given up is answered before it ends.
      if (this.#sought.get(requestId) === undefined) await new Promise((resolve) => setImmediate(resolve));
      return { answer, runId: this.#sought.get(requestId) };
    } finally {
      this.#sought.delete(requestId);
      release?.();
    }
  }

  /** Whether somebody waits to know this run. */
  seeks(run: TracedRun): boolean {
    // A request is made known from what it takes when somebody looks at it.
    if (this.#sought.size === 0) return false;
    const { request } = run;
    return request !== undefined && this.#sought.has(request.requestId);
  }

  #mounted(circuit: WatchedCircuit): void {
    const known = this.#circuits.get(circuit.name);
    if (known === undefined) this.#circuits.set(circuit.name, [circuit]);
    else known.push(circuit);
    circuit.watch(this.#levelOf(circuit.name), this);
  }

  #ended(run: TracedRun): void {
    if (this.seeks(run)) this.#sought.set(run.request?.requestId as string, run.runId);
  }

  #watch(name: string): void {
    const level = this.#levelOf(name);
    for (const circuit of this.#circuits.get(name) ?? []) circuit.watch(level, this);
  }

  #levelOf(name: string): WatchLevel {
    return this.#closely.has(name) ? { kind: "all" } : this.#level;
  }
}

function levelOf(ratio: number): WatchLevel {
  if (!(ratio >= 0 && ratio <= 1)) throw invalidOption("sampleRatio", "use a number from 0 to 1");
  if (ratio === 1) return { kind: "all" };
  const every = Math.round(1 / ratio);
  return Number.isSafeInteger(every) ? { kind: "sampled", every } : { kind: "counted" };
}
