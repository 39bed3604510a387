// Ends a run: undoes its completed steps after a fault, and stores a final failure as a dead
// letter, before the run returns its outcome. Such runs go through the loop.

import { type Fault, isFault } from "#core/bus/outcome.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { DeadLetter, UndoneStep } from "#core/ports/dead-letter.js";
import { DlqPolicy, type LetterBox } from "../definition/dlq-policy.js";
import { causeText, inLog } from "../kept/journal.js";
import { settled } from "../run/answers.js";
import type { EndingPort, ProgramPort } from "../run/program-port.js";
import type { RunState } from "../run/run-state.js";
import { outermost, subjectOf } from "../run/subject.js";
import type { Undoing } from "../run/undoing.js";
import { undoAll } from "./saga.js";

export interface EndingOptions {
  readonly version: string;
  readonly reporter: Reporter;
  readonly newId: () => string;
  readonly sinks: ReadonlyMap<string, LetterBox>;
}

/** The `cause` of a letter, if the fault was mapped from an error that a service threw. */
export const causeIn = ({ mapped }: Pick<Fault<unknown>, "mapped">): Pick<DeadLetter, "cause"> =>
  mapped === undefined ? {} : { cause: causeText(mapped) };

export class RunEnding implements EndingPort {
  readonly #program: ProgramPort;
  readonly #options: EndingOptions;
  /** Completed steps with a failed compensation. */
  readonly #standing = new WeakSet<Undoing<RunState>["done"]>();

  constructor(program: ProgramPort, options: EndingOptions) {
    this.#program = program;
    this.#options = options;
  }

  /** True if runs have to be traced: a dead letter holds the failed step's input and the Timeline. */
  get wantsTrace(): boolean {
    return this.#options.sinks.size > 0;
  }

  /** The outcome, or a promise of it, once all due work is done. */
  finish(outcome: unknown, state: RunState): unknown {
    if (outcome instanceof Promise) return outcome.then((settled) => this.#end(settled, state));
    const settled = this.#end(outcome, state);
    // The run itself has not waited, so nothing else reports the end to its control.
    return settled instanceof Promise ? settled.finally(() => state.control?.end(outcome)) : settled;
  }

  #end(outcome: unknown, state: RunState): unknown {
    const settled = this.#settle(outcome, state);
    if (state.duties.lock === null) return settled;
    // Last: compensations run under the lock.
    if (settled instanceof Promise) return settled.then((later) => this.#unlock(later, state));
    return this.#unlock(settled, state);
  }

  #unlock(outcome: unknown, state: RunState): unknown {
    const released = state.duties.lock?.release();
    if (released === undefined) return outcome;
    state.waited = true;
    return released.then(() => outcome);
  }

  /** Undoes the steps of a run that failed, and writes the end to its log. */
  #settle(outcome: unknown, state: RunState): unknown {
    state.due().isOver = true;
    const undo = (failed: Fault<unknown>): unknown => this.#undo(failed, state);
    const { journal } = state.duties;
    if (journal !== null) return inLog(journal, state, outcome, undo);
    return isFault(outcome) ? undo(outcome) : outcome;
  }

  #undo(outcome: Fault<unknown>, state: RunState): unknown {
    const { completed: left, journal } = state.duties;
    const undone = undoAll(this.#program, state);
    const bury = (): unknown =>
      this.#bury(outcome, state, [...(left ?? []).map(this.#noted), ...(journal?.undoneBefore ?? [])]);
    if (undone === undefined) return bury();
    state.waited = true;
    return undone.then(bury);
  }

  readonly #noted = ({ node, done }: Undoing<RunState>): UndoneStep => ({
    node,
    input: done.input,
    ...(this.#standing.has(done) && { stands: true }),
  });

  #bury(outcome: Fault<unknown>, state: RunState, undone: DeadLetter["undone"]): unknown {
    const { trace } = state.duties;
    const journal = state.duties.journal ?? trace?.journal;
    const failed = trace?.failed ?? journal?.failedAt;
    // If another process writes its log, the run has not failed for good.
    if (failed === undefined || journal?.lost !== undefined || !DlqPolicy.wants(outcome.error))
      return outcome;
    const sent = this.#send(failed.node, "step", failed.input, outcome, state, undone);
    if (sent === undefined) return outcome;
    state.waited = true;
    return sent.then(() => outcome);
  }

  /** A compensation has failed for good. Returns a promise if storing its dead letter takes time. */
  compensationFailed(
    { node, name, done, state }: Undoing<RunState>,
    failed: Fault<unknown>,
  ): Promise<void> | undefined {
    this.#standing.add(done);
    const message = `The compensation '${name}' of node '${node}' failed: what it should have undone stands`;
    const reported = { axon: this.#program.name, ...this.#program.reportOf(state.request) };
    const error = failed.mapped?.thrown ?? failed.error;
    this.#options.reporter({ code: "COMPENSATION_FAILED", message, step: name, error, ...reported });
    return this.#send(node, "compensation", done, failed, state);
  }

  #send(
    node: string,
    kind: DeadLetter["kind"],
    input: unknown,
    failure: Fault<unknown>,
    state: RunState,
    undone: DeadLetter["undone"] = [],
  ): Promise<void> | undefined {
    const { trace, redrives, mark } = state.duties;
    const { error } = failure;
    const box = this.#options.sinks.get(node);
    // A letter that exists counts each failure.
    const isWanted = kind === "compensation" || redrives !== null || box?.policy?.sends(error) !== false;
    if (box === undefined || !isWanted) return undefined;
    const { sink } = box;
    const journal = state.duties.journal ?? trace?.journal;
    trace?.tell({ kind: "dlq_exhausted", node });
    const subject = subjectOf(state);
    const { labels } = outermost(state).duties;
    const letter: DeadLetter = {
      // The run's own id if it is stored: a letter that is sent again replaces the first.
      id: (kind === "step" ? (redrives?.id ?? journal?.id) : undefined) ?? this.#options.newId(),
      kind,
      axon: this.#program.name,
      version: this.#options.version,
      node,
      input,
      error,
      ...causeIn(failure),
      undone,
      timeline: trace?.notes.plain(),
      ...(subject !== undefined && { subject }),
      ...(labels && { labels }),
      ...(mark && { trace: mark }),
      ...(trace?.isWatched === true && { run_id: trace.runId }),
      failed_at: Date.now(),
      attempts: (kind === "step" ? (redrives?.attempts ?? 0) : 0) + 1,
    };
    const reported = { axon: this.#program.name, ...this.#program.reportOf(state.request) };
    const failed = (error: unknown): void => {
      const message = `The dead letter of node '${node}' could not be kept`;
      this.#options.reporter({ code: "DEAD_LETTER_LOST", message, error, ...reported });
    };
    const sent = settled(
      () => sink.send(letter),
      () => {},
      failed,
    );
    return sent instanceof Promise ? sent : undefined;
  }
}
