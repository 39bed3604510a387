import { interned } from "./interned.js";
import type { SchemaError } from "./schema-error.js";

/** A step threw, or its promise was rejected. The process lives on. */
export interface TransitionPanic {
  readonly code: "TRANSITION_PANIC";
  readonly step: string;
  /** What was thrown. */
  readonly cause: unknown;
}

/** More jumps in one run than `maxJumps` allows. */
export interface JumpLimit {
  readonly code: "JUMP_LIMIT";
  readonly step: string;
  readonly maxJumps: number;
}

/** A step took a branch that nothing is attached to. Only untyped callers can. */
export interface BranchUnknown {
  readonly code: "BRANCH_UNKNOWN";
  readonly step: string;
  readonly branch: string;
}

/** A step answered a jump, branch or event it does not declare. Only untyped callers can. */
export interface TransitionUndeclared {
  readonly code: "TRANSITION_UNDECLARED";
  readonly step: string;
  /** For instance `jump 'again'`. */
  readonly outcome: string;
}

/** A step did not answer within its time. */
export interface StepTimeout {
  readonly code: "STEP_TIMEOUT";
  readonly step: string;
  readonly timeoutMs: number;
}

/** The run was aborted: its signal fired, or its client went away. */
export interface RunAborted {
  readonly code: "RUN_ABORTED";
  readonly reason: unknown;
}

/** The input is against the Axon's input schema. */
export interface InputInvalid {
  readonly code: "INPUT_INVALID";
  readonly axon: string;
  readonly errors: readonly SchemaError[];
}

/** The output is against the Axon's output schema. Checked outside production unless set otherwise. */
export interface OutputInvalid {
  readonly code: "OUTPUT_INVALID";
  readonly axon: string;
  readonly errors: readonly SchemaError[];
}

/** The faults that a run itself can end with, beside those its steps declare. */
export type RuntimeFault =
  | TransitionPanic
  | JumpLimit
  | BranchUnknown
  | TransitionUndeclared
  | StepTimeout
  | RunAborted
  | InputInvalid
  | OutputInvalid;

// Tells a fault of the run from an application's error that happens to have the same code.
class RuntimeFaultMark {}
const Mark = interned("RuntimeFault", () => RuntimeFaultMark);

export const runtimeFault = <F extends RuntimeFault>(fields: F): F => Object.assign(new Mark(), fields);

export const isRuntimeFault = (error: unknown): error is RuntimeFault => error instanceof Mark;
