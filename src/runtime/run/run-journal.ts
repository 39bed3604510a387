// The log of one run, as the rest of the run uses it. Journal implements it and states the invariants.

import type { Fault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { DeadLetter } from "#core/ports/dead-letter.js";
import type { KeptEffect, RunPosition, RunStore } from "#core/ports/run-store.js";
import type { RunWait, Woken } from "#core/ports/run-waits.js";

/** Undefined once an entry is written, else the fault that ends the run. */
export type Written = MaybePromise<Fault<unknown> | undefined>;

/** `inMs`: due so long after it is stored. */
export interface NewWait extends RunWait {
  readonly inMs?: number;
}

/** The log of a run that its host keeps, during one advance. */
export interface LogApart {
  readonly store: RunStore;
  /** Notes a run that a step begins. Returns the fault of an input that cannot be kept. */
  readonly begins: (axon: string, input: unknown, runId: string) => Fault<unknown> | undefined;
}

/** `State` is the state of the run: RunState. */
export interface RunJournal<State> {
  /** The run's id in its store. */
  readonly id: string;
  /** Why this run may no longer write the log: it stops and undoes nothing (J2). */
  readonly lost: Fault<unknown> | undefined;
  /** The fault that the run had before it was resumed: its completed steps are undone. */
  readonly failure: Fault<unknown> | undefined;
  /** The steps that were undone before the run was resumed, in order of completion. */
  readonly undoneBefore: DeadLetter["undone"];
  /** The node at which the run failed before it was resumed. */
  readonly failedAt: { readonly node: string; readonly input: unknown } | undefined;

  /** Number of entries in the logs that this one replaces: the same after each resumption. */
  readonly generation: number;
  /** What ended the wait at which the run was resumed, once. */
  takeWoken(): Woken | undefined;
  /** Writes that the run waits at this position, and gives the log up: RUN_WAITING once that is stored. */
  waits(position: () => RunPosition, wait: NewWait): Written;
  /** Puts a new log in place of this one, which begins at this position, and gives it up: RUN_WAITING. */
  continues(position: () => RunPosition): Written;
  /** Writes a checkpoint, unless the run was resumed from this one. */
  reached(position: () => RunPosition): Written;
  /** The outcome that the run ends with: the fault of a run that was cancelled meanwhile. */
  outcomeOf(outcome: unknown): unknown;
  /** What an effect inside a step came to, for the next entry. `made` never throws. */
  keepEffect(made: () => KeptEffect): void;
  /** Writes the failure of the run and its completed steps, before they are undone. */
  failed(fault: Fault<unknown>): Written;
  /** Writes that a completed step is undone; `left` steps remain. */
  undone(left: number): Written;
  /** Writes the end of a run that succeeded. */
  ended(output: unknown): Written;
  /** Writes the end of a run that failed, once its steps are undone. */
  endedWith(error: unknown): Written;
  /** From now on it is the log of the run around this one: layers stand around the line (J4). */
  passTo(around: State): void;
  /** Gives the log up: its run is not over and may be resumed. */
  leave(why: Fault<unknown>): void;
}
