// One place in the line that an Axon, with all that is attached to it, is laid out as.

import type { InstructionShape } from "./instruction-shape.js";
import type { RunBus } from "./run-state.js";

export const END = -1;

/** Its step gets the Bus of its run. */
export type Instruction = InstructionShape<RunBus>;

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
