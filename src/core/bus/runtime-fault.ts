import { interned } from "../interned.js";
import type { SchemaError } from "./schema-error.js";

/** A step threw, or its promise was rejected. The process lives on. */
export interface TransitionPanic {
  readonly code: "TRANSITION_PANIC";
  readonly step: string;
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
  /** The branches that have one. */
  readonly attached: readonly string[];
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

/** Another run holds the lock of an Axon that runs once at a time. */
export interface LockTaken {
  readonly code: "LOCK_TAKEN";
  readonly axon: string;
  readonly lockKey: string;
}

/** The provider of an Axon's lock threw, rejected or did not answer in the time that the lock would have been held. */
export interface LockUnavailable {
  readonly code: "LOCK_UNAVAILABLE";
  readonly axon: string;
  readonly lockKey: string;
  readonly cause: unknown;
}

/** A value that a later step needs, and that would not come back from a store as it is. */
export interface ValueNotDurable {
  readonly code: "VALUE_NOT_DURABLE";
  readonly axon: string;
  /** Which, and where in it: "input.lines[0].price" of the step that was to come, or the name of a key. */
  readonly value: string;
  /** For instance "an instance of Money". */
  readonly reason: string;
}

/** The store of a run failed. The run is as far as its log says, and can be resumed. */
export interface CheckpointFailed {
  readonly code: "CHECKPOINT_FAILED";
  readonly runId: string;
  readonly cause: unknown;
}

/** A run of this id has begun, or somebody else goes on with it. */
export interface RunTaken {
  readonly code: "RUN_TAKEN";
  readonly runId: string;
}

/** A run was to be resumed that the store does not have. */
export interface RunUnknown {
  readonly code: "RUN_UNKNOWN";
  readonly runId: string;
}

/** A run is over: it was to be cancelled, or resumed although its output could not be kept. */
export interface RunEnded {
  readonly code: "RUN_ENDED";
  readonly runId: string;
}

/** A run was to be resumed that another Axon, or another version, began. It stays where it is. */
export interface RunIncompatible {
  readonly code: "RUN_INCOMPATIBLE";
  readonly runId: string;
  readonly reason: string;
}

/** A run was cancelled: what it had completed is undone. */
export interface RunCancelled {
  readonly code: "RUN_CANCELLED";
  readonly runId: string;
  readonly reason: string;
}

/** Of a dead letter: hosts have resumed a run too often without a new checkpoint, and do so no more. */
export interface RunStuck {
  readonly code: "RUN_STUCK";
  readonly runId: string;
  readonly resumptions: number;
}

/** An `AuditLog` could not record what the run was about to do. */
export interface AuditFailed {
  readonly code: "AUDIT_FAILED";
  readonly step: string;
  readonly cause: unknown;
}

/** The pool has as many jobs as its threads and its queue hold. */
export interface PoolFull {
  readonly code: "POOL_FULL";
  readonly step: string;
  /** When there may be room: by the jobs that wait, and how long jobs took. */
  readonly retryAfterSecs: number;
}

/** The pool was closed while the job waited or ran: its server stopped. */
export interface PoolClosed {
  readonly code: "POOL_CLOSED";
  readonly step: string;
}

/** The job was ended because it took too much memory. */
export interface PoolMemory {
  readonly code: "POOL_MEMORY";
  readonly step: string;
  /** `heap`: what JavaScript keeps; `process`: with ArrayBuffers, by the growth of the process. */
  readonly of: "heap" | "process";
  readonly limitMb: number;
}

/** The thread of the job ended by itself: it exited, or something in it threw outside the function. */
export interface WorkerCrashed {
  readonly code: "WORKER_CRASHED";
  readonly step: string;
  readonly cause: unknown;
}

/** A thread could not load the step's module, or the module has no such function. */
export interface WorkerModuleFailed {
  readonly code: "WORKER_MODULE_FAILED";
  readonly step: string;
  readonly module: string;
  readonly reason: string;
  readonly cause: unknown;
}

/** The input or the answer of an offloaded step is no data. */
export interface ValueNotCloneable {
  readonly code: "VALUE_NOT_CLONEABLE";
  readonly step: string;
  readonly value: "input" | "answer";
  readonly reason: string;
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
  | OutputInvalid
  | LockTaken
  | LockUnavailable
  | ValueNotDurable
  | CheckpointFailed
  | RunTaken
  | RunUnknown
  | RunEnded
  | RunIncompatible
  | RunCancelled
  | RunStuck
  | AuditFailed
  | PoolFull
  | PoolClosed
  | PoolMemory
  | WorkerCrashed
  | WorkerModuleFailed
  | ValueNotCloneable;

// Tells a fault of the run from an application's error that happens to have the same code.
class RuntimeFaultMark {}
const Mark = interned("RuntimeFault", () => RuntimeFaultMark);

export const runtimeFault = <F extends RuntimeFault>(fields: F): F => Object.assign(new Mark(), fields);

export const isRuntimeFault = (error: unknown): error is RuntimeFault => error instanceof Mark;
