// What an instruction is, for any Bus. The state of a run reaches instructions through its trace, and
// steps get the Bus of that state: instruction.ts says which Bus that is.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { EventSink } from "#core/bus/event.js";

/** Instructions that one step runs by itself: a subgraph that is tried again, a step of a parallel one. */
export interface Part {
  readonly name: string;
  /** The instruction that runs it; and its own first one, or END. Known once the program is laid out. */
  owner: number;
  entry: number;
}

export interface StepShape<Bus> {
  readonly run: (input: unknown, bus: Bus) => unknown;
}

export interface InstructionShape<Bus> {
  readonly name: string;
  /** The node of the Schematic that it runs; "" for what is not drawn. */
  readonly node: string;
  /** The node's number in counts; -1 for what is not counted. */
  readonly number: number;
  readonly step: StepShape<Bus>;
  /** The step without what tells of it: the same, where nobody is told. */
  readonly untold: StepShape<Bus>;
  readonly reads: readonly AnyKey[];
  readonly writes: readonly AnyKey[];
  readonly deletes: readonly AnyKey[];
  /** What is read to undo it, whenever the run may end from then on. */
  readonly undoReads: readonly AnyKey[];
  /** Whether a fault in it, or in its parts, may begin it again. */
  readonly isRetried: boolean;
  next: number;
  readonly jumps: ReadonlyMap<string, number>;
  readonly branches: ReadonlyMap<string, number>;
  /** What it runs by itself: their instructions end at END. */
  readonly parts: readonly Part[];
  /** The part that it belongs to, if its line ends at END for that. */
  readonly part: Part | null;
  /** Whether its next step comes after its part, and with what that has written. */
  readonly isSubgraph: boolean;
  /** Whether what it writes is there inside its part: a layer writes before it calls `next`. */
  readonly isLayer: boolean;
  /** Whether it only tells that a subgraph is entered or left. */
  readonly isMark: boolean;
  /** Whether it only makes the outcome of what the step before it has answered. */
  readonly isSender: boolean;
  /** Whether it only checks what it is given. It looks itself whether the run is aborted: streams have to be let go of. */
  readonly isCheck: boolean;
  readonly emits: ReadonlySet<string>;
  readonly sinks: readonly EventSink[];
}
