// The trace of one run, as the run itself, its steps and its log use it. Trace implements it.
// `State` is that of the run, RunState, which holds its trace.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { RecordedTimeline } from "#core/timeline/recorded-timeline.js";
import type { NodeSpan } from "#core/timeline/recorder.js";
import type { NodeOutcome, TimelineEvent } from "#core/timeline/timeline.js";
import type { InstructionShape } from "./instruction-shape.js";
import type { RunJournal } from "./run-journal.js";

/** A node while the run is in it. */
export interface Visit<State> {
  readonly node: string;
  readonly input: unknown;
  readonly state: State;
  readonly at_us: number;
  /** Whether it is a layer: what fails inside it has failed there. */
  readonly isLayer: boolean;
  /** Where its Timeline says that it was entered. */
  readonly entered: number;
  readonly span: NodeSpan | undefined;
}

/** The generated function of a traced run's main line. */
export interface TimedLine<State extends { readonly bus: unknown }> {
  /** Number of its instructions. */
  readonly length: number;
  /** Goes on at an instruction. Answers the outcome, or what tells that the state will be told. */
  readonly run: (at: number, value: unknown, state: State, trace: RunTrace<State>) => unknown;
  /** Goes on behind the instruction that it was suspended at. Answers as `run` does. */
  readonly goOn: (at: number, answer: unknown, state: State, trace: RunTrace<State>) => unknown;
}

/** `Omit` that keeps a union one. */
export type Untimed<E> = E extends unknown ? Omit<E, "at_us"> : never;

export interface RunTrace<State extends { readonly bus: unknown }> {
  /** The traced instructions of the program. */
  readonly code: readonly InstructionShape<State["bus"]>[];
  /** The run's Timeline while it is written. */
  readonly notes: RecordedTimeline;
  /** The run's id for those who watch it. */
  readonly runId: string;
  /** Whether the recorder is told of the run's end: from then on it may know the run by its id. */
  readonly isWatched: boolean;
  /** The node that was left with a fault; undefined once the run has gone on. */
  readonly failed: Visit<State> | undefined;
  /** The log of the run, which the line inside layers has. */
  journal: RunJournal<State> | undefined;

  /** Whether the recorder is asked before each node. */
  readonly holds: boolean;
  /** Whether the recorder is told what a node answered. */
  readonly tellsAfter: boolean;
  /** Whether each node gets a view of the Bus of its own. */
  readonly hasViews: boolean;

  /** Microseconds since the run began. */
  readonly now_us: number;
  /** When the node was left that was left just now. */
  readonly left_us: number;
  /** When the node is entered that is entered next. */
  readonly entered_us: number;

  /** The input to go on with, or a promise of it that holds the run. */
  before(node: string, input: unknown): unknown;
  enter(node: string, input: unknown, state: State, isLayer?: boolean): Visit<State>;
  /** `answer` is what the node answered, or what has ended around it. */
  leave(visit: Visit<State>, outcome: NodeOutcome, answer: unknown): void;
  /** Leaves the last node of this name that a state is in. */
  leaveNode(node: string, state: State, answer: unknown): void;
  /** Leaves every node that a state is in, the innermost first; of all states where it is undefined. */
  leaveAll(state: State | undefined, outcome: NodeOutcome, answer: unknown): void;
  /** The next node is not entered at the moment that the last one was left. */
  pass(): void;
  /** A node has read, written or deleted a value of the Bus. */
  access(node: number, access: number, key: AnyKey, value: unknown): void;
  /** Adds an event to the Timeline, and tells the recorder. */
  tell(event: Untimed<TimelineEvent>): void;

  /** A value that a node needs could not be made: the run fails at that node. */
  failBefore(node: string, input: unknown, state: State): void;
  /** The answer of the node that a state has left last ends the run. */
  failLast(state: State): void;

  /** A step has answered this plain value: the loop need not look at it again. */
  foundPlain(answer: unknown): void;
  /** As `isPlain`, of what was answered to `input` just now (L3). */
  isPlain(answer: unknown, input: unknown, isMark: boolean): boolean;

  /** The generated line that the run may go on in at an instruction; undefined for the loop. */
  lineAt(at: number): TimedLine<State> | undefined;
  /** The generated line was left inside a node, which it had entered with this event. */
  open(node: string, state: State, entered: number, at_us: number): Visit<State>;
  /** The node that the line was suspended in is left. Answers when. */
  leaveInLine(): number;

  /** The run is suspended; `goOn` is called with the answer that it waits for. */
  suspend(goOn: (answer: unknown) => void): void;
  /** `entered` is the event of the node that the generated line waits in; -1 where the loop waits. */
  suspendedAt(at: number, entered?: number): void;
  /** The event that entered the node that the line waits in. */
  readonly waitingEvent: number;
  /** The line that waits; undefined where the loop does. */
  readonly waitingLine: TimedLine<State> | undefined;
  /** The suspended node has answered. Answers which instruction that is. */
  goOn(answer: unknown): number;

  /** The run is over: the recorder is told its outcome. */
  end(outcome: unknown, aborted: boolean): void;
}
