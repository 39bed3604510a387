// The log of one run, as the rest of the run uses it. Journal implements it, and has the invariants.

import type { Fault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { DeadLetter } from "#core/ports/dead-letter.js";
import type { RunPosition } from "#core/ports/run-store.js";

/** Undefined once an entry is written, else the fault that ends the run. */
export type Written = MaybePromise<Fault<unknown> | undefined>;

/** `State` is that of the run: RunState. */
export interface RunJournal<State> {
  /** The run's id in its store. */
  readonly id: string;
  /** Why the log is no longer this run's to write: the run stops, and undoes nothing (J2). */
  readonly lost: Fault<unknown> | undefined;
  /** The fault that the run had failed with before it was resumed: its completed steps are undone. */
  readonly failure: Fault<unknown> | undefined;
  /** The steps that were undone before the run was resumed, the first completed first. */
  readonly undoneBefore: DeadLetter["undone"];
  /** The node that the run had failed at before it was resumed. */
  readonly failedAt: { readonly node: string; readonly input: unknown } | undefined;

  /** Writes a checkpoint, unless the run was resumed from this one. */
  reached(position: () => RunPosition): Written;
  /** Writes that the run has failed, and what it has completed, before that is undone. */
  failed(error: unknown): Written;
  /** Writes that a completed step is undone; `left` are still to be undone. */
  undone(left: number): Written;
  /** Writes the end of a run that succeeded. */
  ended(output: unknown): Written;
  /** Writes the end of a run that failed, once all is undone. */
  endedWith(error: unknown): Written;
  /** From here on it is the log of the run around: layers stand around the line (J4). */
  passTo(around: State): void;
  /** Gives the log up: its run is not over, and may be resumed. */
  leave(why: Fault<unknown>): void;
}
