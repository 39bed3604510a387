// What the traced runs of a program share, and what one of them keeps of each open node.

import type { Report, Reporter } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import type { NotedNames } from "#core/timeline/recorded-timeline.js";
import type {
  NodeSpan,
  Recorder,
  RunAnswer,
  TracedRequest,
  WatchedCircuit,
} from "#core/timeline/recorder.js";
import type { TimedLine } from "../compile/timed-line.js";
import type { Instruction } from "../run/instruction.js";
import type { RunState } from "../run/run-state.js";

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
  readonly line: TimedLine | undefined;
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

export interface Visit {
  readonly node: string;
  readonly input: unknown;
  readonly state: RunState;
  readonly at_us: number;
  /** Whether it is a layer: what fails inside it has failed there. */
  readonly isLayer: boolean;
  /** Where its Timeline says that it was entered. */
  readonly entered: number;
  readonly span: NodeSpan | undefined;
}

/** The innermost open visit that what a state enters stands in; undefined for none. */
export function visitAround(open: readonly Visit[], state: RunState): Visit | undefined {
  for (let at: RunState | undefined = state; at !== undefined; at = at.around) {
    const visit = open.findLast((each) => each.state === at);
    if (visit !== undefined) return visit;
  }
  return undefined;
}

/** Takes it out of the open ones. Answers whether it was one of them. */
export function closeVisit(open: Visit[], visit: Visit): boolean {
  // Nearly always.
  if (open.length > 0 && open[open.length - 1] === visit) {
    open.pop();
    return true;
  }
  const at = open.lastIndexOf(visit);
  if (at >= 0) open.splice(at, 1);
  return at >= 0;
}
