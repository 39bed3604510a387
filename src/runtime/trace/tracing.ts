// State shared by the traced runs of a program, and the open nodes of one run.

import type { Report, Reporter } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import type { NotedNames } from "#core/timeline/recorded-timeline.js";
import type {
  Recorder,
  RequestParts,
  ResponseParts,
  RunAnswer,
  TracedRequest,
  WatchedCircuit,
} from "#core/timeline/recorder.js";
import type { Instruction } from "../run/instruction.js";
import type { RunState } from "../run/run-state.js";
import type { TimedLine, Visit } from "../run/run-trace.js";

export interface Tracing {
  readonly circuit: WatchedCircuit;
  readonly code: readonly Instruction[];
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Undefined if its runs have no ingress. */
  readonly origin: RunOrigin | undefined;
  readonly names: NotedNames;
  /** By `key.slot`: 1 for keys with accesses that the recorder gets. Undefined for all keys. */
  readonly toldSlots: Uint8Array | undefined;
  readonly line: TimedLine<RunState> | undefined;
}

export interface AnswerListener {
  answered(answer: RunAnswer): void;
}

/** The origin of an ingress's runs. Used for traced runs only; `request` is `RunState.request`. */
export interface RunOrigin {
  readonly requestOf: (request: unknown) => TracedRequest;
  readonly partsOf?: (request: unknown) => RequestParts;
  readonly responseOf?: (request: unknown) => ResponseParts | undefined;
  readonly reportOf?: (request: unknown) => Partial<Report>;
  /** Undefined if a run does not answer a request. */
  readonly follow: ((request: unknown, listener: AnswerListener) => void) | undefined;
}

/** The innermost open visit around the next node of a state; undefined for none. */
export function visitAround(open: readonly Visit<RunState>[], state: RunState): Visit<RunState> | undefined {
  for (let at: RunState | undefined = state; at !== undefined; at = at.around) {
    const visit = open.findLast((each) => each.state === at);
    if (visit !== undefined) return visit;
  }
  return undefined;
}

/** Removes it from the open visits. Returns false if it was not one. */
export function closeVisit(open: Visit<RunState>[], visit: Visit<RunState>): boolean {
  // The usual case.
  if (open.length > 0 && open[open.length - 1] === visit) {
    open.pop();
    return true;
  }
  const at = open.lastIndexOf(visit);
  if (at >= 0) open.splice(at, 1);
  return at >= 0;
}
