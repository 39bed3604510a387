// What the loop, the steps and the end of a run need of the program that the run is of. Program
// implements it.

import type { Report, Reporter } from "#core/bus/reporter.js";
import type { Instruction } from "./instruction.js";
import type { RunState } from "./run-state.js";
import type { Undoing } from "./undoing.js";

/** Runs an Axon once. The state was acquired for this run and is not to be used after it. */
export type Run = (input: unknown, state: RunState) => unknown;

/**
 * Goes on at an instruction of the main line after a promise, or at END. Answers the
 * outcome, a promise of it, or what tells that the state will be told.
 */
export type Resume = (at: number, value: unknown, state: RunState) => unknown;

/** Told of what would have been a run's outcome, and of what a layer answers in its place, null for nothing; undefined where the run was over. Must not throw. */
export type Unsent = (answer: unknown, instead: unknown, request: unknown) => void;

/** What is due before a run answers. */
export interface EndingPort {
  /** Whether runs have to be traced: a letter holds the failed step's input, and the Timeline. */
  readonly wantsTrace: boolean;
  /** The outcome, or a promise of it, once all that is due has been done. */
  finish(outcome: unknown, state: RunState): unknown;
  /** A compensation has failed for good. Answers a promise where keeping its letter takes time. */
  compensationFailed(undoing: Undoing<RunState>, error: unknown): Promise<void> | undefined;
}

export interface ProgramPort {
  /** The name of its Axon. */
  readonly name: string;
  /** Its instructions: the main line comes first, and has `length` of them. */
  readonly code: readonly Instruction[];
  readonly length: number;
  readonly maxJumps: number;
  readonly reporter: Reporter;
  /** Undefined where no ingress runs it. */
  readonly unsent: Unsent | undefined;
  /** Undefined if nothing can be due: no compensation, dead letter, lock or log. */
  readonly ending: EndingPort | undefined;
  /** Takes the lock of the Axon; undefined if it has none. */
  readonly lock: Instruction["step"] | undefined;
  /** Undefined if its runs are not kept. */
  readonly journal: object | undefined;
  /** The generated functions that go on after a promise; the second one counts. */
  readonly resume: Resume;
  readonly resumeCounted: Resume;
  /** What a report of a run says of its request. */
  reportOf(request: unknown): Partial<Report>;
}
