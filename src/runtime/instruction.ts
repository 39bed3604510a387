// One Axon with all that is attached to it, laid out in a line. The main line
// comes first and in order; the bodies of branches follow and lead back to it.

import type { AnyKey } from "#core/bus-key.js";
import type { EventSink } from "#core/event.js";
import type { Part } from "./part.js";
import type { RunBus } from "./run-bus.js";

/** Where a run ends. */
export const END = -1;

export interface Instruction {
  /** For faults: the step's name. */
  readonly name: string;
  /** The node of the Schematic that it runs; "" for what is not drawn. */
  readonly node: string;
  /** The node's number in counts; -1 for what is not counted. */
  readonly number: number;
  readonly step: { readonly run: (input: unknown, bus: RunBus) => unknown };
  /** The step without what tells of it: the same, where nobody is told. */
  readonly untold: { readonly run: (input: unknown, bus: RunBus) => unknown };
  readonly reads: readonly AnyKey[];
  readonly writes: readonly AnyKey[];
  readonly deletes: readonly AnyKey[];
  /** What is read to undo it, whenever the run may end from then on. */
  readonly undoReads: readonly AnyKey[];
  /** Whether a fault in it, or in its parts, may begin it again. */
  readonly isRetried: boolean;
  /** Where Next goes. */
  next: number;
  /** Declared label to where it stands. */
  readonly jumps: ReadonlyMap<string, number>;
  /** Branch id to where its body begins. */
  readonly branches: ReadonlyMap<string, number>;
  /** What it runs by itself: their instructions end at END. */
  readonly parts: readonly Part[];
  /** The part that it belongs to, if its line ends at END for that. */
  readonly part: Part | null;
  /** Whether its next step comes after its part, and with what that has written. */
  readonly isSubgraph: boolean;
  /** Whether what it writes is there inside its part: a layer writes before it calls `next`. */
  readonly isLayer: boolean;
  /** Whether it only tells that a subgraph is entered or left: an abort has nothing to stop there. */
  readonly isMark: boolean;
  /** Whether it makes the outcome of what the step before it has answered, and nothing else: an abort has nothing to stop there either. */
  readonly isSender: boolean;
  /** Whether it answers what it is given, or a fault: in an aborted run that of the abort, but for what streams, which has to be let go of. */
  readonly isCheck: boolean;
  readonly emits: ReadonlySet<string>;
  readonly sinks: readonly EventSink[];
}

/** Steps that make the outcome of what the one before them has answered. */
export const senders = new WeakSet<object>();

/** Whether what an instruction answers is what its run answers, but for what layers around it make of that. */
export function isLast(code: readonly Instruction[], at: number): boolean {
  const { next, part } = code[at] as Instruction;
  if (next !== END && handsOn(code[next] as Instruction)) return isLast(code, next);
  if (next !== END || part === null) return next === END;
  const { isLayer, isSubgraph } = code[part.owner] as Instruction;
  return (isLayer || isSubgraph) && isLast(code, part.owner);
}

/** Whether it makes nothing of its own of what comes before it. */
const handsOn = ({ isSender, isMark, isCheck }: Instruction): boolean => isSender || isMark || isCheck;
