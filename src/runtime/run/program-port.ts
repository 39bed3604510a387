// The part of a program that the loop, the steps and the end of a run use. Program implements it.

import type { Fault } from "#core/bus/outcome.js";
import type { Report, Reporter } from "#core/bus/reporter.js";
import type { Instruction } from "./instruction.js";
import type { RunState } from "./run-state.js";
import type { Undoing } from "./undoing.js";

/** Runs an Axon once. The state was acquired for this run and must not be used after it. */
export type Run = (input: unknown, state: RunState) => unknown;

/**
 * Resumes at an instruction of the main line after a promise, or at END. Returns the outcome, a
 * promise of it, or the marker that the state gets the outcome later.
 */
export type Resume = (at: number, value: unknown, state: RunState) => unknown;

/** Called with an outcome that is not sent, and the answer that a layer gives instead: null for none, undefined if the run was over. Must not throw. */
export type Unsent = (answer: unknown, instead: unknown, request: unknown) => void;

/** Work that is due before a run returns its outcome. */
export interface EndingPort {
  /** True if runs have to be traced: a dead letter holds the failed step's input and the Timeline. */
  readonly wantsTrace: boolean;
  /** The outcome, or a promise of it, once all due work is done. */
  finish(outcome: unknown, state: RunState): unknown;
  /** A compensation has failed for good. Returns a promise if storing its dead letter takes time. */
  compensationFailed(undoing: Undoing<RunState>, failed: Fault<unknown>): Promise<void> | undefined;
}

export interface ProgramPort {
  /** The name of the program's Axon. */
  readonly name: string;
  /** The program's instructions: the first `length` are the main line. */
  readonly code: readonly Instruction[];
  readonly length: number;
  readonly maxJumps: number;
  readonly reporter: Reporter;
  /** Undefined if no ingress runs it. */
  readonly unsent: Unsent | undefined;
  /** Undefined if no work can be due: no compensation, dead letter, lock or log. */
  readonly ending: EndingPort | undefined;
  /** Takes the lock of the Axon; undefined if it has none. */
  readonly lock: Instruction["step"] | undefined;
  /** Undefined if its runs are not stored. */
  readonly journal: object | undefined;
  /** The generated functions that resume after a promise; the second one counts. */
  readonly resume: Resume;
  readonly resumeCounted: Resume;
  /** The fields of a report that describe the run's request. */
  reportOf(request: unknown): Partial<Report>;
}
