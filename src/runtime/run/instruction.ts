// One place in the line that an Axon, with all that is attached to it, is laid out as.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { EventSink } from "#core/bus/event.js";
import type { RunBus } from "./run-bus.js";

export const END = -1;

/** Instructions that one step runs by itself: a subgraph that is tried again, a step of a parallel one. */
export interface Part {
  readonly name: string;
  /** The instruction that runs it; and its own first one, or END. Known once the program is laid out. */
  owner: number;
  entry: number;
}

export interface Instruction {
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

const handsOn = ({ isSender, isMark, isCheck }: Instruction): boolean => isSender || isMark || isCheck;

/** An instruction while its line is laid out: where it leads is filled in when that is known. */
export interface Draft extends Instruction {
  next: number;
  readonly jumps: Map<string, number>;
  readonly branches: Map<string, number>;
}

type Placed =
  | "name"
  | "node"
  | "number"
  | "step"
  | "untold"
  | "isMark"
  | "part"
  | "next"
  | "jumps"
  | "branches";
type Declared = Omit<Instruction, Placed>;

export const nothing: Declared = {
  reads: [],
  writes: [],
  deletes: [],
  undoReads: [],
  isRetried: false,
  emits: new Set(),
  sinks: [],
  parts: [],
  isSubgraph: false,
  isLayer: false,
  isSender: false,
  isCheck: false,
};

export function draft(name: string, node: string, step: Instruction["step"], declared = nothing): Draft {
  return {
    name,
    node,
    number: -1,
    step,
    untold: step,
    ...declared,
    isMark: false,
    part: null,
    next: END,
    jumps: new Map(),
    branches: new Map(),
  };
}

/** Tells that a subgraph is entered or left. */
export const mark = (name: string, step: Instruction["step"]): Draft => ({
  ...draft(name, "", step),
  isMark: true,
});

/**
 * What the input step answers where the input comes later, by `Program.goOn`, and without a
 * promise. Its `then` makes generated code leave for the loop.
 */
export const SUSPENDED: object = Object.freeze({ then: null });
