// What few runs have: a trace, a log, a lock, completed steps to undo. `State` is that of the run,
// RunState, which holds its duties.

import type { DeadLetter } from "#core/ports/dead-letter.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";
import type { RunJournal } from "./run-journal.js";
import type { RunTrace, Visit } from "./run-trace.js";
import type { Undoing } from "./undoing.js";

/** A lock that a run holds. */
export interface RunLock {
  /** Gives it back, once. Answers a promise where that takes time; it is never rejected. */
  release(): Promise<void> | undefined;
}

/** What few runs have, made when one first needs it: a field of the state is 8 B in each run that waits. */
export class RunDuties<State extends { readonly bus: unknown }> {
  /** Who is told what it does. */
  trace: RunTrace<State> | null = null;
  /** Where it stands in a trace that is kept. */
  mark: TraceMark | null = null;
  /** The node that a traced run has left last. */
  lastLeft: Visit<State> | null = null;
  completed: Undoing<State>[] | null = null;
  /** Whether nothing that completes from here on is part of the run. */
  isOver = false;
  /** What runs inside it and has not ended: undone before it is. */
  parts: Set<Promise<unknown>> | null = null;
  /** The lock that it holds, and gives back when it ends. */
  lock: RunLock | null = null;
  journal: RunJournal<State> | null = null;
  /** Hash of the person it is about, if that is not read from the Bus. */
  subject: string | null = null;
  /** The dead letter that the run does again. */
  redrives: DeadLetter | null = null;

  clear(): void {
    this.lastLeft = null;
    this.completed = null;
    this.isOver = false;
    this.parts = null;
    this.lock = null;
    this.journal = null;
    this.redrives = null;
    this.subject = null;
    this.trace = null;
    this.mark = null;
  }
}
