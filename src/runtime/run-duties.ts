// What few runs have: made for a run when it first needs one of them, so that the others
// are no larger for it (8 B a field, in each run that waits).

import type { DeadLetter } from "#core/dead-letter.js";
import type { TraceMark } from "#core/trace-mark.js";
import type { HeldLock } from "./held-lock.js";
import type { Journal } from "./journal.js";
import type { Undoing } from "./saga.js";
import type { Trace } from "./trace.js";
import type { Visit } from "./visit.js";

export class RunDuties {
  /** Who is told what it does. */
  trace: Trace | null = null;
  /** Where it stands in a trace that is kept. */
  mark: TraceMark | null = null;
  /** The node that a traced run has left last. */
  lastLeft: Visit | null = null;
  /** Compensated steps that are completed. */
  completed: Undoing[] | null = null;
  /** Whether nothing that completes from here on is part of the run. */
  isOver = false;
  /** What runs inside it and has not ended: undone before it is. */
  parts: Set<Promise<unknown>> | null = null;
  /** The lock that it holds, and gives back when it ends. */
  lock: HeldLock | null = null;
  /** Its log, once it has one. */
  journal: Journal | null = null;
  /** The dead letter that the run does again. */
  redrives: DeadLetter | null = null;

  /** Makes them fit for another run. */
  clear(): void {
    this.lastLeft = null;
    this.completed = null;
    this.isOver = false;
    this.parts = null;
    this.lock = null;
    this.journal = null;
    this.redrives = null;
    this.trace = null;
    this.mark = null;
  }
}

/** Of a run that has none. */
export const noDuties: Readonly<RunDuties> = new RunDuties();
