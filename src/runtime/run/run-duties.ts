// State that few runs have: a trace, a log, a lock, completed steps to undo. `State` is the
// state of the run, RunState, which holds its duties.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { RunLabels } from "#core/bus/label.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { RedrivenLetter } from "#core/ports/run-store.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";
import type { LogApart, RunJournal } from "./run-journal.js";
import type { RunTrace, Visit } from "./run-trace.js";
import type { Undoing } from "./undoing.js";

/** A lock that a run holds. */
export interface RunLock {
  /** Releases the lock, once. Returns a promise if that takes time; it never rejects. */
  release(): Promise<void> | undefined;
}

/** The dead letter of a run that repeats failed work. */
export interface Redriving extends RedrivenLetter {
  /** Removes the letter, before the log says that the run has ended well. Never throws or rejects. */
  readonly discard: () => MaybePromise<void>;
}

/** Made when a run first needs it: each field of the state costs 8 B in every waiting run. */
export class RunDuties<State extends { readonly bus: unknown }> {
  /** Records what the run does. */
  trace: RunTrace<State> | null = null;
  /** The run's position in a trace that is retained. */
  mark: TraceMark | null = null;
  /** The node that a traced run left last. */
  lastLeft: Visit<State> | null = null;
  completed: Undoing<State>[] | null = null;
  /** True if a step that completes from now on is not part of the run. */
  isOver = false;
  /** Unfinished parts of the run: each is undone before the run is. */
  parts: Set<Promise<unknown>> | null = null;
  /** The lock that the run holds until it ends. */
  lock: RunLock | null = null;
  journal: RunJournal<State> | null = null;
  /** Present if its host keeps the log, and not the store of its Axon. On the outermost state. */
  apart: LogApart | null = null;
  /** Hash of the person the run is about, if it is not read from the Bus. */
  subject: string | null = null;
  /** Of the request that begins the run under an idempotency key. */
  fingerprint: string | null = null;
  /** The run that is told of its end. */
  tells: string | null = null;
  /** Keys of the log of a resumed run that no step writes: a guard in front has, which hosts do not run. */
  carried: readonly AnyKey[] | null = null;
  /** The dead letter that the run re-drives. */
  redrives: Redriving | null = null;
  /** Null if it has none. On the outermost state. */
  labels: RunLabels | null = null;
  /** The id of a run that the framework names: by an idempotency key, or by a dead letter. */
  runId: string | null = null;

  clear(): void {
    this.lastLeft = null;
    this.completed = null;
    this.isOver = false;
    this.parts = null;
    this.lock = null;
    this.journal = null;
    this.apart = null;
    this.carried = null;
    this.redrives = null;
    this.runId = null;
    this.subject = null;
    this.fingerprint = null;
    this.tells = null;
    this.labels = null;
    this.trace = null;
    this.mark = null;
  }
}
