// The one recorder that the Inspector gives an ingress. It watches each circuit as the sample
// ratio says, and closely where a breakpoint or a relayed request needs each run, and joins
// the consumers: a call that none of them has is not made.

import { invalidOption } from "#core/invalid-option.js";
import type { Recorder, TracedRun, WatchedCircuit, WatchLevel } from "#core/timeline/recorder.js";
import { joinedRecorder } from "#http/request/joined-recorder.js";

export interface RecordingOptions {
  /** The part of a circuit's runs that is traced, from 0 to 1. Default 1: `inspector.sample_ratio`. */
  readonly sampleRatio?: number | undefined;
  /** Called in this order. */
  readonly consumers: readonly Recorder[];
}

export class Recording {
  /** For the ingress. */
  readonly recorder: Recorder;
  readonly #level: WatchLevel;
  readonly #circuits = new Map<string, WatchedCircuit[]>();
  /** Number of close watchers, by circuit. */
  readonly #closely = new Map<string, number>();
  /** Relayed requests by their ids, with the run that served each. */
  readonly #sought = new Map<string, string | undefined>();

  /** Throws CONFIG_INVALID. */
  constructor(options: RecordingOptions) {
    this.#level = levelOf(options.sampleRatio ?? 1);
    const own: Recorder = {
      mounted: (circuit) => this.#mounted(circuit),
      ended: (run) => this.#ended(run),
    };
    this.recorder = joinedRecorder([own, ...options.consumers], true) as Recorder;
  }

  /** Traces every run of the circuits of this name, also of those mounted later, until the returned function is called. */
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

  /** Sends a request of this id by `ask`. `runId` is undefined if no run served it, or it has not ended. */
  async runOf<T>(
    circuit: string | undefined,
    requestId: string,
    ask: () => Promise<T>,
  ): Promise<{ readonly answer: T; readonly runId: string | undefined }> {
    const release = circuit === undefined ? undefined : this.closely(circuit);
    this.#sought.set(requestId, undefined);
    try {
      const answer = await ask();
      // The response of a run that was given up comes before its end.
      if (this.#sought.get(requestId) === undefined) await new Promise((resolve) => setImmediate(resolve));
      return { answer, runId: this.#sought.get(requestId) };
    } finally {
      this.#sought.delete(requestId);
      release?.();
    }
  }

  /** Whether the run serves a relayed request. */
  seeks(run: TracedRun): boolean {
    // First: reading a run's request makes it.
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
