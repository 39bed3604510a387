// The shape of an instruction for any Bus. A trace refers to instructions, and a run's state to
// its trace: instruction.ts fills in the Bus type, so that the imports form no cycle.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { EventSink } from "#core/bus/event.js";

/** Instructions that one step runs itself: a subgraph that is retried, a step of a parallel one. */
export interface Part {
  readonly name: string;
  /** The instruction that runs the part; then the part's first one, or END. Known once the program is laid out. */
  owner: number;
  entry: number;
}

export interface StepShape<Bus> {
  readonly run: (input: unknown, bus: Bus) => unknown;
}

export interface InstructionShape<Bus> {
  readonly name: string;
  /** Id of its node in the Schematic; "" if it is not drawn. */
  readonly node: string;
  /** The node's number in counts; -1 if it is not counted. */
  readonly number: number;
  readonly step: StepShape<Bus>;
  /** The step without its trace wrapper; the same step if the node is not traced. */
  readonly untold: StepShape<Bus>;
  readonly reads: readonly AnyKey[];
  readonly writes: readonly AnyKey[];
  readonly deletes: readonly AnyKey[];
  /** Keys read to undo the step, at any later end of the run. */
  readonly undoReads: readonly AnyKey[];
  /** True if a fault in it, or in its parts, may start it again. */
  readonly isRetried: boolean;
  next: number;
  readonly jumps: ReadonlyMap<string, number>;
  readonly branches: ReadonlyMap<string, number>;
  /** The parts it runs itself: their instructions end at END. */
  readonly parts: readonly Part[];
  /** The part it belongs to, if the end of its line is END for that part. */
  readonly part: Part | null;
  /** True if its next step runs after its part, with the values that the part wrote. */
  readonly isSubgraph: boolean;
  /** True if its part sees the values it writes: a layer writes before it calls `next`. */
  readonly isLayer: boolean;
  /** True if it only reports that a subgraph is entered or left. */
  readonly isMark: boolean;
  /** True if it only makes the outcome from the answer of the step before it. */
  readonly isSender: boolean;
  /** True if it only checks its input. It handles an abort of the run itself: streams must be released. */
  readonly isCheck: boolean;
  readonly emits: ReadonlySet<string>;
  readonly sinks: readonly EventSink[];
}
