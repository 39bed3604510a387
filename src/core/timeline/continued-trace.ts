// The port of who keeps the traces of runs that go on from another one: they answer no request.

import type { Recorder } from "./recorder.js";
import type { TraceMark } from "./trace-mark.js";

/** The trace of one such run. None of it may throw. */
export interface ContinuedTrace {
  readonly mark: TraceMark;
  /** To be told of the run. */
  readonly nodes: Recorder;
  /** Calls it with the run's span active, where the program keeps contexts. */
  run<T>(call: () => T): T;
  end(outcome: unknown): void;
}

/** Given what it goes on from, where that is known; undefined where it leaves no trace. */
export type ContinueTrace = (name: string, from: TraceMark | undefined) => ContinuedTrace | undefined;

let keeper: ContinueTrace | undefined;

/** The one that was given last counts. */
export function keepContinuedBy(by: ContinueTrace): void {
  keeper = by;
}

export const continuedTrace: ContinueTrace = (name, from) => keeper?.(name, from);
