// The port for traces of runs that continue an earlier run and serve no request.

import type { Recorder } from "./recorder.js";
import type { TraceMark } from "./trace-mark.js";

/** The trace of one such run. Its methods must not throw. */
export interface ContinuedTrace {
  readonly mark: TraceMark;
  /** Receives the events of the run. */
  readonly nodes: Recorder;
  /** Calls it with the run's span active, if the program has async contexts. */
  run<T>(call: () => T): T;
  end(outcome: unknown): void;
}

/** Called with the mark to continue, if known. Returns undefined if the run is not traced. */
export type ContinueTrace = (name: string, from: TraceMark | undefined) => ContinuedTrace | undefined;

let keeper: ContinueTrace | undefined;

/** The last one that was set is used. */
export function keepContinuedBy(by: ContinueTrace): void {
  keeper = by;
}

export const continuedTrace: ContinueTrace = (name, from) => keeper?.(name, from);
