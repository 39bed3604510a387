// An instruction while its line is laid out: where it leads is filled in when that is known.

import { END, type Instruction } from "./instruction.js";

export interface Draft extends Instruction {
  next: number;
  readonly jumps: Map<string, number>;
  readonly branches: Map<string, number>;
}

type Declared = Pick<
  Instruction,
  | "reads"
  | "writes"
  | "deletes"
  | "undoReads"
  | "isRetried"
  | "emits"
  | "sinks"
  | "parts"
  | "isSubgraph"
  | "isLayer"
  | "isSender"
  | "isCheck"
>;

/** Of an instruction that is no step. */
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
