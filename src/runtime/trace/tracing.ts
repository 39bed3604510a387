// What the traced runs of a program share, and how one of them keeps its open nodes.

import type { Report, Reporter } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import type { NotedNames } from "#core/timeline/recorded-timeline.js";
import type { Recorder, RunAnswer, TracedRequest, WatchedCircuit } from "#core/timeline/recorder.js";
import type { Instruction } from "../run/instruction.js";
import type { RunState } from "../run/run-state.js";
import type { TimedLine, Visit } from "../run/run-trace.js";

export interface Tracing {
  readonly circuit: WatchedCircuit;
  readonly code: readonly Instruction[];
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Undefined where its runs are none of an ingress. */
  readonly origin: RunOrigin | undefined;
  readonly names: NotedNames;
  /** By `key.slot`, 1 for keys whose accesses its recorder is told of. Undefined for all of them. */
  readonly toldSlots: Uint8Array | undefined;
  readonly line: TimedLine<RunState> | undefined;
}

export interface AnswerListener {
  answered(answer: RunAnswer): void;
}

/** What the runs of an ingress come from. Asked of traced runs alone; `request` is what `RunState.request` holds. */
export interface RunOrigin {
  readonly requestOf: (request: unknown) => TracedRequest;
  readonly reportOf?: (request: unknown) => Partial<Report>;
  /** Undefined where runs are not what answers a request. */
  readonly follow: ((request: unknown, listener: AnswerListener) => void) | undefined;
}

/** The innermost open visit that what a state enters stands in; undefined for none. */
export function visitAround(open: readonly Visit<RunState>[], state: RunState): Visit<RunState> | undefined {
  for (let at: RunState | undefined = state; at !== undefined; at = at.around) {
    const visit = open.findLast((each) => each.state === at);
    if (visit !== undefined) return visit;
  }
  return undefined;
}

/** Takes it out of the open ones. Answers whether it was one of them. */
export function closeVisit(open: Visit<RunState>[], visit: Visit<RunState>): boolean {
  // Nearly always.
  if (open.length > 0 && open[open.length - 1] === visit) {
    open.pop();
    return true;
  }
  const at = open.lastIndexOf(visit);
  if (at >= 0) open.splice(at, 1);
  return at >= 0;
}
