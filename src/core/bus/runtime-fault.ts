import { interned } from "../interned.js";
import { type Fault, isFault } from "./outcome.js";
import type { SchemaError } from "./schema-error.js";

/** A step threw, or its promise was rejected. The process continues. */
export interface TransitionPanic {
  readonly code: "TRANSITION_PANIC";
  readonly step: string;
  readonly cause: unknown;
}

/** A run made more jumps than `maxJumps` allows. */
export interface JumpLimit {
  readonly code: "JUMP_LIMIT";
  readonly step: string;
  readonly maxJumps: number;
}

/** A step took a branch that is not attached. Only untyped callers can. */
export interface BranchUnknown {
  readonly code: "BRANCH_UNKNOWN";
  readonly step: string;
  readonly branch: string;
  /** Ids of the attached branches. */
  readonly attached: readonly string[];
}

/** A step returned a jump, branch or event that it does not declare. Only untyped callers can. */
export interface TransitionUndeclared {
  readonly code: "TRANSITION_UNDECLARED";
  readonly step: string;
  /** Example: `jump 'again'`. */
  readonly outcome: string;
}

/** A step did not settle within its time limit. */
export interface StepTimeout {
  readonly code: "STEP_TIMEOUT";
  readonly step: string;
  readonly timeoutMs: number;
}

/** The run was aborted: its signal fired, or its client disconnected. */
export interface RunAborted {
  readonly code: "RUN_ABORTED";
  readonly reason: unknown;
}

/** The input does not match the Axon's input schema. */
export interface InputInvalid {
  readonly code: "INPUT_INVALID";
  readonly axon: string;
  readonly errors: readonly SchemaError[];
}

/** The output does not match the Axon's output schema. Checked outside production unless set otherwise. */
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

/** The lock provider of an Axon threw, rejected or did not respond within the lease time of the lock. */
export interface LockUnavailable {
  readonly code: "LOCK_UNAVAILABLE";
  readonly axon: string;
  readonly lockKey: string;
  readonly cause: unknown;
}

/** A value that a later step needs and that a store would not restore unchanged. */
export interface ValueNotDurable {
  readonly code: "VALUE_NOT_DURABLE";
  readonly axon: string;
  /** The value and its path: "input.lines[0].price" of the next step, or the name of a key. */
  readonly value: string;
  /** Example: "an instance of Money". */
  readonly reason: string;
  /** Present if the input of the run has more characters: the most that its log takes. */
  readonly maxInputChars?: number;
}

/** The store of a run failed. The log holds the progress of the run, so it can be resumed. */
export interface CheckpointFailed {
  readonly code: "CHECKPOINT_FAILED";
  readonly runId: string;
  readonly cause: unknown;
}

/** The log of a run has reached a limit of its `withPersistenceStore`. Its completed steps are undone. */
export interface RunLogFull {
  readonly code: "RUN_LOG_FULL";
  readonly runId: string;
  readonly entries: number;
  /** Of the values in it. */
  readonly chars: number;
}

/** A run of this id has already begun, or another process has resumed it. */
export interface RunTaken {
  readonly code: "RUN_TAKEN";
  readonly runId: string;
}

/** The store has no run of this id to resume. */
export interface RunUnknown {
  readonly code: "RUN_UNKNOWN";
  readonly runId: string;
}

/** A run has ended: it cannot be cancelled. It cannot be resumed either if its output could not be kept. */
export interface RunEnded {
  readonly code: "RUN_ENDED";
  readonly runId: string;
}

/** A run to resume was begun by another Axon or another version. The run is unchanged. */
export interface RunIncompatible {
  readonly code: "RUN_INCOMPATIBLE";
  readonly runId: string;
  readonly reason: string;
}

/** A run was cancelled and its completed steps are undone. */
export interface RunCancelled {
  readonly code: "RUN_CANCELLED";
  readonly runId: string;
  readonly reason: string;
  /**
   * The node whose step was at work when the run was taken from a process that is dead, or by force.
   * Whether the step was done is unknown, and it is not undone.
   */
  readonly uncertain?: string;
}

/**
 * A run waits from here on, and goes on in whichever process its store wakes it: not a failure. Also
 * the answer to a resumption by hand.
 */
export interface RunWaiting {
  readonly code: "RUN_WAITING";
  readonly runId: string;
  /** Names of the signals that end the wait. Absent for a run that sleeps. */
  readonly signals?: readonly string[];
}

/** No signal came in the time of a `waitFor`. */
export interface WaitTimeout {
  readonly code: "WAIT_TIMEOUT";
  readonly step: string;
  readonly timeoutMs: number;
}

/** A process is running the run, and its lease lives: the run is resumed only by force. */
export interface RunOwned {
  readonly code: "RUN_OWNED";
  readonly runId: string;
  /** The id of the host that runs it, if it has one. */
  readonly host?: string;
}

/** Error of a dead letter: the run was resumed too often without a new checkpoint. Hosts no longer resume it. */
export interface RunStuck {
  readonly code: "RUN_STUCK";
  readonly runId: string;
  readonly resumptions: number;
}

/** An `AuditLog` could not record the next action of the run. */
export interface AuditFailed {
  readonly code: "AUDIT_FAILED";
  readonly step: string;
  readonly cause: unknown;
}

/** The threads and the queue of the pool are full. */
export interface PoolFull {
  readonly code: "POOL_FULL";
  readonly step: string;
  /** Estimated time until the pool has room, from the queued jobs and the durations of past jobs. */
  readonly retryAfterSecs: number;
}

/** The pool was closed because its server stopped, while the job waited or ran. */
export interface PoolClosed {
  readonly code: "POOL_CLOSED";
  readonly step: string;
}

/** The job was ended because it used too much memory. */
export interface PoolMemory {
  readonly code: "POOL_MEMORY";
  readonly step: string;
  /** `heap`: the JavaScript heap; `process`: ArrayBuffers included, measured by the growth of the process. */
  readonly of: "heap" | "process";
  readonly limitMb: number;
}

/** The thread of the job ended unexpectedly: it exited, or code outside the function threw. */
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

/** The input or the result of an offloaded step cannot be cloned. */
export interface ValueNotCloneable {
  readonly code: "VALUE_NOT_CLONEABLE";
  readonly step: string;
  readonly value: "input" | "answer";
  readonly reason: string;
}

/** Faults with which the runtime ends a run, beside those its steps declare. */
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
  | RunLogFull
  | RunIncompatible
  | RunCancelled
  | RunOwned
  | RunStuck
  | RunWaiting
  | WaitTimeout
  | AuditFailed
  | PoolFull
  | PoolClosed
  | PoolMemory
  | WorkerCrashed
  | WorkerModuleFailed
  | ValueNotCloneable;

// Tells a runtime fault from an application's error with the same code.
class RuntimeFaultMark {}
const Mark = interned("RuntimeFault", () => RuntimeFaultMark);

export const runtimeFault = <F extends RuntimeFault>(fields: F): F => Object.assign(new Mark(), fields);

export const isRuntimeFault = (error: unknown): error is RuntimeFault => error instanceof Mark;

export const isRunCancelled = (error: unknown): error is RunCancelled =>
  isRuntimeFault(error) && error.code === "RUN_CANCELLED";

/** True if the outcome is that the run waits: it has not ended. */
export const isWaiting = (outcome: unknown): outcome is Fault<RunWaiting> =>
  isFault(outcome) && isRuntimeFault(outcome.error) && outcome.error.code === "RUN_WAITING";

/** The id of the run, if the outcome is that another process or run has it, or an earlier request. */
export const takenRun = (outcome: unknown): string | undefined =>
  isFault(outcome) && isRuntimeFault(outcome.error) && outcome.error.code === "RUN_TAKEN"
    ? outcome.error.runId
    : undefined;
