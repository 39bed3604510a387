// The trace of one run, as the run, its steps and its log use it. Trace implements it.
// `State` is the state of the run, RunState, which holds its trace.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { InnerSpan, InnerStart } from "#core/timeline/inner-span.js";
import type { RecordedTimeline } from "#core/timeline/recorded-timeline.js";
import type { NodeSpan } from "#core/timeline/recorder.js";
import type { NodeOutcome, TimelineEvent, WaitReason } from "#core/timeline/timeline.js";
import type { InstructionShape } from "./instruction-shape.js";
import type { RunJournal } from "./run-journal.js";

/** A node while the run is in it. */
export interface Visit<State> {
  readonly node: string;
  readonly input: unknown;
  readonly state: State;
  readonly at_us: number;
  /** True if it is a layer: a failure inside the layer belongs to the inner node. */
  readonly isLayer: boolean;
  /** Index of the Timeline event that entered it. */
  readonly entered: number;
  readonly span: NodeSpan | undefined;
}

/** The generated function of a traced run's main line. */
export interface TimedLine<State extends { readonly bus: unknown }> {
  /** Number of its instructions. */
  readonly length: number;
  /** Resumes at an instruction. Returns the outcome, or the marker that the state gets it later. */
  readonly run: (at: number, value: unknown, state: State, trace: RunTrace<State>) => unknown;
  /** Resumes after the instruction it was suspended at. Returns the same as `run`. */
  readonly goOn: (at: number, answer: unknown, state: State, trace: RunTrace<State>) => unknown;
}

/** `Omit` that keeps a union a union. */
export type Untimed<E> = E extends unknown ? Omit<E, "at_us"> : never;

export interface RunTrace<State extends { readonly bus: unknown }> {
  /** The traced instructions of the program. */
  readonly code: readonly InstructionShape<State["bus"]>[];
  /** The run's Timeline while it is written. */
  readonly notes: RecordedTimeline;
  /** The run's id for observers. */
  readonly runId: string;
  /** True if the recorder is notified of the run's end: from then on it may know the run by its id. */
  readonly isWatched: boolean;
  /** The node that was left with a fault; undefined once the run has continued. */
  readonly failed: Visit<State> | undefined;
  /** The log of the run; inside layers, the line's state has it. */
  journal: RunJournal<State> | undefined;

  /** True if the recorder is asked before each node. */
  readonly holds: boolean;
  /** True if the recorder gets each node's answer. */
  readonly tellsAfter: boolean;
  /** True if each node gets its own view of the Bus. */
  readonly hasViews: boolean;

  /** Microseconds since the run began. */
  readonly now_us: number;
  /** Time at which the last node was left. */
  readonly left_us: number;
  /** Time at which the next node is entered. */
  readonly entered_us: number;

  /** The input to continue with, or a promise of it that holds the run. */
  before(node: string, input: unknown): unknown;
  enter(node: string, input: unknown, state: State, isLayer?: boolean): Visit<State>;
  /** `answer` is what the node returned, or the outcome that ended around it. */
  leave(visit: Visit<State>, outcome: NodeOutcome, answer: unknown): void;
  /** Leaves the last node of this name that a state is in. */
  leaveNode(node: string, state: State, answer: unknown): void;
  /** Leaves every node that a state is in, the innermost first; the nodes of all states if it is undefined. */
  leaveAll(state: State | undefined, outcome: NodeOutcome, answer: unknown): void;
  /** The next node is not entered at the time at which the last one was left. */
  pass(): void;
  /** A node has read, written or deleted a value of the Bus. */
  access(node: number, access: number, key: AnyKey, value: unknown): void;
  /** Calls `ask`, which waits for a store outside of any node, and records the wait if it returns a promise. */
  wait<T>(reason: WaitReason, node: string, ask: () => MaybePromise<T>): MaybePromise<T>;
  /** Work inside a node begins, named by its number or id; undefined once the run is over. */
  beginInner(node: number | string, start: InnerStart): InnerSpan | undefined;
  /** Adds an event to the Timeline and notifies the recorder. */
  tell(event: Untimed<TimelineEvent>): void;

  /** A value that a node needs could not be made: the run fails at that node. */
  failBefore(node: string, input: unknown, state: State): void;
  /** The answer of the node that a state left last ends the run. */
  failLast(state: State): void;

  /** A step returned this plain value: the loop need not test it again. */
  foundPlain(answer: unknown): void;
  /** As `isPlain`, for the latest answer to `input` (L3). */
  isPlain(answer: unknown, input: unknown, isMark: boolean): boolean;

  /** The generated line in which the run may resume at an instruction; undefined for the loop. */
  lineAt(at: number): TimedLine<State> | undefined;
  /** The generated line was left inside a node, which it had entered with this event. */
  open(node: string, state: State, entered: number, at_us: number): Visit<State>;
  /** Leaves the node that the line was suspended in. Returns the time. */
  leaveInLine(): number;

  /** Suspends the run; `goOn` is called with the awaited answer. */
  suspend(goOn: (answer: unknown) => void): void;
  /** `entered` is the event of the node that the generated line waits in; -1 if the loop waits. */
  suspendedAt(at: number, entered?: number): void;
  /** The event that entered the node that the line waits in. */
  readonly waitingEvent: number;
  /** The line that waits; undefined if the loop waits. */
  readonly waitingLine: TimedLine<State> | undefined;
  /** The suspended node has settled. Returns its instruction. */
  goOn(answer: unknown): number;

  /** The run is over: the recorder gets its outcome. */
  end(outcome: unknown, aborted: boolean): void;
}
