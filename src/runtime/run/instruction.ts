// One instruction of the line that an Axon and everything attached to it is laid out as.

import type { InstructionShape } from "./instruction-shape.js";
import type { RunBus } from "./run-state.js";

export const END = -1;

/** Its step gets the Bus of its run. */
export type Instruction = InstructionShape<RunBus>;

/** Steps that make the outcome from the answer of the step before them. */
export const senders = new WeakSet<object>();

/** True if the answer of an instruction is the outcome of its run, before layers around it change that. */
export function isLast(code: readonly Instruction[], at: number): boolean {
  const { next, part } = code[at] as Instruction;
  if (next !== END && handsOn(code[next] as Instruction)) return isLast(code, next);
  if (next !== END || part === null) return next === END;
  const { isLayer, isSubgraph } = code[part.owner] as Instruction;
  return (isLayer || isSubgraph) && isLast(code, part.owner);
}

const handsOn = ({ isSender, isMark, isCheck }: Instruction): boolean => isSender || isMark || isCheck;

/** An instruction while its line is laid out: its successors are filled in once they are known. */
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

/** Reports that a subgraph is entered or left. */
export const mark = (name: string, step: Instruction["step"]): Draft => ({
  ...draft(name, "", step),
  isMark: true,
});

/**
 * Returned by the input step when the input arrives later, through `Program.goOn` and without a
 * promise. Its `then` makes generated code leave for the loop.
 */
export const SUSPENDED: object = Object.freeze({ then: null });
