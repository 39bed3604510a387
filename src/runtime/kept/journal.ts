// The log of one run while it is written.
//
//   J1. One append at a time, in order. With "sync" checkpoints each append is awaited. With
//       "async" ones, entries that arrive meanwhile are appended together, and the run is held
//       only if MAX_BEHIND of them wait. The begin entry is awaited in each mode: else the run
//       could be lost, and two runs could have one id.
//   J2. A refused append means that another process has resumed the run. After a failed append
//       the stored length is unknown. In both cases the run stops, `lost`: it undoes nothing and
//       ends nothing, because the process that resumes it will. A host's append is retried once
//       before that: the store takes equal entries of a host once.
//   J3. With "async" checkpoints a failure is reported, and the run continues.
//   J4. If layers stand around the Axon, its line ends before the run does: the log records the
//       line's end. A layer that faults after that reopens the log, to undo the steps.
//   J5. A run that waits gives its log up ("waiting", or "begun" in place of the log before): its fault
//       is RUN_WAITING, and it undoes and ends nothing, as one that is lost.

import type { RunLabels } from "#core/bus/label.js";
import { type Fault, fault, isFault, type MappedError } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { thrownText } from "#core/bus/reporter.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import type { DeadLetter } from "#core/ports/dead-letter.js";
import {
  type CompletedStep,
  type KeptEffect,
  type RunEntry,
  RunEpoch,
  type RunPosition,
} from "#core/ports/run-store.js";
import type { Woken } from "#core/ports/run-waits.js";
import { settled } from "../run/answers.js";
import { axonId, ingressId } from "../run/node-id.js";
import { RunControl } from "../run/run-control.js";
import type { NewWait, RunJournal, Written } from "../run/run-journal.js";
import type { RunState } from "../run/run-state.js";
import { outermost, subjectOf } from "../run/subject.js";
import {
  appended,
  cancelIn,
  claimBy,
  isAppended,
  isDueIn,
  type JournalOptions,
  type RunOwner,
} from "./appended.js";
import { keptStep, keptStepIfDurable } from "./completed-steps.js";
import { encode, encodeError, NotDurable } from "./durable-value.js";
import { LogLimit, type LogSize } from "./log-limit.js";
import { RunAtWork } from "./run-at-work.js";
import { dueInMs, isWait, waitingFault } from "./waiting-run.js";

/** Maximum number of entries that wait while the run continues. */
const MAX_BEHIND = 64;

/** The error of a service, as logs of runs and dead letters keep it. */
export const causeText = ({ thrown }: MappedError): string => thrownText(thrown).slice(0, MAX_CAUSE);

const MAX_CAUSE = 8000;

const NO_LOG: KeptSize = { entries: 0, chars: 0 };

/** Size of the log of a run that is resumed. */
interface KeptSize extends LogSize {
  /** See the entry "begun". */
  readonly continues?: number;
}

export class Journal implements RunJournal<RunState> {
  readonly id: string;
  /** Why this run may no longer write the log (J2). */
  lost: Fault<unknown> | undefined;
  /** The fault that the run had before it was resumed; its steps are to be undone. */
  failure: Fault<unknown> | undefined;
  /** The steps undone before the run was resumed, in order of completion. */
  undoneBefore: DeadLetter["undone"] = [];
  failedAt: { readonly node: string; readonly input: unknown } | undefined;
  /** What ended the wait at which the run was resumed. */
  woken: Woken | undefined;
  readonly generation: number;
  readonly #options: JournalOptions;
  readonly #owner: RunOwner | undefined;
  readonly #limit: LogLimit;
  /** The state that owns the log: the line's, then that of the layers around it (J4). */
  #state: RunState;
  #known: number;
  /** How many of the run's completed steps are in the log. */
  #completed: number;
  #hasBegun: boolean;
  #hasEnded = false;
  /** True if the next checkpoint is the one that the run was resumed from. */
  #atCheckpoint: boolean;
  #writing: Promise<unknown> | undefined;
  /** Entries that wait while one is written: "async" only. */
  #behind: RunEntry[] = [];
  /** True after a failure: the number of stored entries is unknown. "async" only. */
  #isUncertain = false;
  #hasGivenUp = false;
  /** The labels that the log has. */
  #labels: RunLabels | null;
  /** Effects inside steps that no entry has yet. */
  #effects: KeptEffect[] | undefined;
  /** Completed steps that could not be stored: only this run can undo them. */
  #unkept: readonly number[] = [];
  readonly work: RunAtWork;

  /** `size` is that of the log; the run has completed the steps in its state. */
  constructor(
    options: JournalOptions,
    id: string,
    state: RunState,
    owner: RunOwner | undefined,
    size: KeptSize = NO_LOG,
  ) {
    const { entries: known } = size;
    this.#options = options;
    this.#owner = owner;
    this.#limit = new LogLimit({ ...options, id }, size);
    this.id = id;
    this.#state = state;
    this.#known = known;
    this.generation = size.continues ?? 0;
    this.#completed = known === 0 ? 0 : (state.duties.completed?.length ?? 0);
    this.#hasBegun = known > 0;
    this.#atCheckpoint = this.#hasBegun;
    this.#labels = this.#hasBegun ? outermost(state).duties.labels : null;
    const { store } = options.persistence;
    this.work = new RunAtWork({ store, id, halt: (why) => this.#halt(why), leave: (why) => this.leave(why) });
    const { trace } = state.duties;
    if (trace !== null) trace.journal = this;
  }

  reached(position: () => RunPosition): Written {
    // It ended the wait of the node at which the run was resumed, and no later one.
    this.woken = undefined;
    const stopped = this.lost ?? this.work.cancelled;
    if (stopped !== undefined) return stopped;
    const isKept = this.#atCheckpoint;
    this.#atCheckpoint = false;
    const { checkpoint } = this.#options.persistence;
    if (isKept || (checkpoint === "none" && this.#hasBegun)) return undefined;
    const { full } = this.#limit;
    if (full !== undefined) this.#state.duties.trace?.failLast(this.#state);
    return full ?? this.#durably(() => this.#write(this.#limit.counted(() => this.#entryAt(position()))));
  }

  /** The checkpoint behind the wait says no more than the claim: it is left out. */
  takeWoken(): Woken | undefined {
    const { woken } = this;
    this.woken = undefined;
    return woken;
  }

  waits(position: () => RunPosition, wait: NewWait): Written {
    return this.#leaving(() => {
      const there = position();
      const begun = this.#hasBegun ? [] : [this.#entryAt(there)];
      return [...begun, { ...this.#checkpointAt(there), kind: "waiting", ...wait }];
    });
  }

  continues(position: () => RunPosition): Written {
    return this.#leaving(() => {
      const epoch = this.#state.values[this.#state.slotOf(RunEpoch)] as number;
      return [{ ...this.#begunAt(position()), continues: this.#known, epoch }];
    });
  }

  /** J5. */
  #leaving(made: () => readonly RunEntry[]): Written {
    const stopped = this.lost ?? this.work.cancelled;
    if (stopped !== undefined) return stopped;
    const { full } = this.#limit;
    if (full !== undefined) this.#state.duties.trace?.failLast(this.#state);
    return full ?? this.#durably(() => this.#write(...this.#limit.counted(made)));
  }

  ended(output: unknown): Written {
    if (this.#hasEnded) return this.lost;
    this.#hasEnded = true;
    const at = Date.now();
    try {
      return this.#write({ kind: "ended", at, output: encode(output, "output", this.#maxValueChars) });
    } catch {
      return this.#write({ kind: "ended", at });
    }
  }

  keepEffect(made: () => KeptEffect): void {
    this.#effects ??= [];
    // A part that jumps may have any number: a replay then ends before the run did.
    const isBounded = this.#effects.length < this.#options.persistence.maxLogEntries;
    if (isBounded && this.#limit.full === undefined) this.#effects.push(this.#limit.measured(made));
  }

  failed({ error, mapped }: Fault<unknown>): Written {
    if (this.failure !== undefined || this.#options.persistence.checkpoint === "none") return this.lost;
    const { completed } = this.#state.duties;
    if (completed === null || completed.length === 0) return this.lost;
    const steps = completed.slice(this.#completed).map((undoing, i) => ({
      at: this.#completed + i,
      step: keptStepIfDurable(undoing, this.#state, this.#maxValueChars),
    }));
    this.#unkept = steps.flatMap(({ at, step }) => (step === undefined ? [at] : []));
    this.#completed = completed.length;
    this.#hasEnded = false;
    if (this.lost === undefined) this.work.enter();
    const entry = {
      kind: "failed",
      at: Date.now(),
      error: encodeError(error),
      ...(mapped && { cause: { step: mapped.step, thrown: causeText(mapped) } }),
      completed: steps.flatMap(({ step }) => step ?? []),
    } as const;
    const { failed } = this.#state.duties.trace ?? {};
    try {
      const step = failed && { node: failed.node, input: encode(failed.input, "input", this.#maxValueChars) };
      return this.#write({ ...entry, ...(step && { step }) });
    } catch {
      return this.#write(entry);
    }
  }

  undone(left: number): Written {
    if (this.#options.persistence.checkpoint === "none") return this.lost;
    const unkept = this.#unkept.filter((at) => at < left).length;
    return this.#write({ kind: "undone", at: Date.now(), left: left - unkept });
  }

  endedWith(error: unknown): Written {
    if (this.#hasEnded) return this.lost;
    this.#hasEnded = true;
    return this.#write({ kind: "ended", at: Date.now(), error: encodeError(error) });
  }

  passTo(around: RunState): void {
    this.#state = around;
    around.due().journal = this;
  }

  leave(why: Fault<unknown>): void {
    this.lost ??= why;
    this.work.exit();
  }

  outcomeOf(outcome: unknown): unknown {
    const settled = this.failure === undefined ? this.work.outcomeOf(outcome) : outcome;
    return this.lost === undefined ? settled : outcome;
  }

  /** Not an abort: that would end the run beside its step, whose late work no log would have. */
  #halt(why: string): void {
    this.#state.control ??= new RunControl();
    this.#state.control.halt(new Error(why));
  }

  get #maxValueChars(): number {
    return this.#options.persistence.maxValueChars;
  }

  #entryAt(position: RunPosition): RunEntry {
    if (this.#hasBegun) return this.#checkpointAt(position);
    this.#hasBegun = true;
    return this.#begunAt(position);
  }

  #begunAt(position: RunPosition): RunEntry & { readonly kind: "begun" } {
    const { axon, version, persistence } = this.#options;
    const { checkpoint } = persistence;
    const { mark, trace } = this.#state.duties;
    const { fingerprint, redrives, tells } = outermost(this.#state).duties;
    const subject = subjectOf(this.#state);
    if (subject !== undefined) outermost(this.#state).due().subject = subject;
    const seen = {
      ...(subject !== undefined && { subject }),
      ...(fingerprint !== null && { fingerprint }),
      ...(redrives !== null && { letter: { id: redrives.id, attempts: redrives.attempts } }),
      ...(tells !== null && { tells }),
      ...(mark && { trace: mark }),
      ...(trace?.isWatched === true && { watched_as: trace.runId }),
      ...(checkpoint !== "sync" && { checkpoint }),
    };
    return { kind: "begun", at: Date.now(), axon, version, ...claimBy(this.#owner), ...seen, ...position };
  }

  #checkpointAt(position: RunPosition): RunEntry & { readonly kind: "checkpoint" } {
    const completed: CompletedStep[] = (this.#state.duties.completed ?? [])
      .slice(this.#completed)
      .map((undoing) => keptStep(undoing, this.#state, this.#maxValueChars));
    this.#completed += completed.length;
    return { kind: "checkpoint", at: Date.now(), ...position, completed };
  }

  /** A value that cannot be stored is a fault of the run, in each mode. */
  #durably(write: () => Written): Written {
    try {
      return write();
    } catch (error) {
      if (!(error instanceof NotDurable)) throw error;
      this.#state.duties.trace?.failLast(this.#state);
      const { axon } = this.#options;
      const { path, message, maxChars } = error;
      const isInput = !this.#hasBegun && path.startsWith("input");
      const longInput = isInput && maxChars !== undefined ? { maxInputChars: maxChars } : {};
      return fault(
        runtimeFault({ code: "VALUE_NOT_DURABLE", axon, value: path, reason: message, ...longInput }),
      );
    }
  }

  /** A wait of the run, and no time of the step before or after it. */
  #write(...entries: readonly RunEntry[]): Written {
    const { trace, lastLeft } = this.#state.duties;
    const labelled = (): readonly RunEntry[] =>
      entries.map((entry) => this.#withEffects(this.#labelled(entry)));
    if (trace === null) return this.#writeNow(labelled());
    const [entry] = entries;
    const node = entry && "node" in entry ? entry.node : lastLeft?.node;
    const at = node ?? ingressId(axonId(this.#options.axon));
    return trace.wait("checkpoint", at, () => this.#writeNow(labelled()));
  }

  #labelled(entry: RunEntry): RunEntry {
    const { labels } = outermost(this.#state).duties;
    if (labels === this.#labels || labels === null) return entry;
    this.#labels = labels;
    return { ...entry, labels };
  }

  /** A log that begins has none of the log that it replaces. */
  #withEffects(entry: RunEntry): RunEntry {
    const effects = this.#effects;
    if (effects === undefined) return entry;
    this.#effects = undefined;
    return entry.kind === "begun" ? entry : { ...entry, effects };
  }

  #writeNow(entries: readonly RunEntry[]): Written {
    // The input could not be stored: no log exists.
    if (!this.#hasBegun) return undefined;
    if (this.#owner?.isOver === true) {
      this.leave(fault(runtimeFault({ code: "RUN_ABORTED", reason: new Error("The server stops") })));
      return this.lost;
    }
    const { checkpoint } = this.#options.persistence;
    if (checkpoint !== "async" || entries[0]?.kind === "begun") return this.#append(entries);
    if (this.#hasGivenUp) {
      if (entries.at(-1)?.kind === "ended") this.work.exit();
      return undefined;
    }
    this.#behind.push(...entries);
    this.#catchUp();
    if (this.#behind.length <= MAX_BEHIND) return this.lost;
    return this.#writing?.then(() => this.lost) ?? this.lost;
  }

  #append(entries: readonly RunEntry[]): Written {
    if (this.#writing !== undefined) return this.#writing.then(() => this.#append(entries));
    if (this.lost !== undefined) return this.lost;
    const written = (answer: unknown): Fault<unknown> | undefined => {
      this.#writing = undefined;
      if (!isAppended(answer)) this.#loseToOther();
      else {
        this.#kept(entries, answer);
        if (entries[0]?.kind === "begun") this.#owner?.begun(this.id, this.#state);
      }
      return this.lost ?? this.work.cancelled;
    };
    const failed = (cause: unknown): Fault<unknown> | undefined => {
      this.#writing = undefined;
      this.#report("could not be kept: the run stops here, and can be resumed", cause);
      this.#lose(fault(runtimeFault({ code: "CHECKPOINT_FAILED", runId: this.id, cause })));
      this.#owner?.lost(this.id);
      return this.lost;
    };
    return this.#ask(entries, written, failed);
  }

  #catchUp(): void {
    if (this.#writing !== undefined || this.#behind.length === 0 || this.lost !== undefined) return;
    const entries = this.#behind.slice();
    const written = (answer: unknown): undefined => {
      this.#writing = undefined;
      if (isAppended(answer)) {
        this.#behind.splice(0, entries.length);
        this.#kept(entries, answer);
        this.#isUncertain = false;
        this.#catchUp();
      } else if (this.#isUncertain) this.#giveUp(undefined);
      else {
        this.#behind = [];
        this.#loseToOther();
      }
    };
    const failed = (cause: unknown): undefined => {
      this.#writing = undefined;
      // Entries that arrived meanwhile are retried with the rest.
      if (this.#behind.length > MAX_BEHIND) this.#giveUp(cause);
      else this.#report("could not be kept yet", cause);
      this.#isUncertain = true;
    };
    void this.#ask(entries, written, failed);
  }

  #kept(entries: readonly RunEntry[], answer: unknown): void {
    this.#known += entries.length;
    this.#owner?.wrote(this.id);
    const [first, last] = [entries[0], entries.at(-1)];
    if (first?.kind === "begun") this.work.enter();
    if (last?.kind === "ended") this.work.exit();
    const { tells } = outermost(this.#state).duties;
    if (last?.kind === "ended" && tells !== null) this.#owner?.tells?.();
    if (last !== undefined && isWait(last)) {
      this.leave(waitingFault(this.id, last));
      this.#owner?.waits?.(isDueIn(answer) ? 0 : dueInMs(last));
      return;
    }
    const request = cancelIn(answer);
    if (request !== undefined)
      this.work.cancel(runtimeFault({ code: "RUN_CANCELLED", runId: this.id, reason: request.reason }));
  }

  /** Writes no more entries: the log stays as it is. */
  #giveUp(cause: unknown): void {
    this.#behind = [];
    this.#hasGivenUp = true;
    if (this.#hasEnded) this.work.exit();
    this.#report("could not be kept: the run goes on without them", cause);
  }

  #ask<T>(
    entries: readonly RunEntry[],
    written: (answer: unknown) => T,
    failed: (cause: unknown) => T,
  ): MaybePromise<T> {
    const asked = settled(
      () => appended(this.#options, this.id, this.#known, entries, this.#owner),
      written,
      failed,
    );
    if (asked instanceof Promise) this.#writing = asked;
    return asked;
  }

  #loseToOther(): void {
    this.#lose(fault(runtimeFault({ code: "RUN_TAKEN", runId: this.id })));
  }

  #lose(why: Fault<unknown>): void {
    this.leave(why);
    // A run that does not wait for its checkpoints would continue.
    if (this.#options.persistence.checkpoint === "async")
      this.#halt(`Somebody else goes on with run '${this.id}'`);
  }

  #report(how: string, error: unknown): void {
    const { axon, reporter } = this.#options;
    const message = `Checkpoints of run '${this.id}' of '${axon}' ${how}`;
    reporter({ code: "CHECKPOINT_LOST", message, axon, error });
  }
}

/** Returns the outcome once the log has the end of the run. After a fault it runs `undo` between the two entries. */
export function inLog(
  journal: RunJournal<RunState>,
  state: RunState,
  given: unknown,
  undo: (failed: Fault<unknown>) => unknown,
): unknown {
  const outcome = journal.outcomeOf(given);
  const after = (written: Written | MaybePromise<void>, goOn: () => unknown): unknown => {
    if (!(written instanceof Promise)) return written ?? goOn();
    state.waited = true;
    return written.then((failed) => failed ?? goOn());
  };
  if (!isFault(outcome)) {
    const ended = (): unknown => after(journal.ended(outcome), () => outcome);
    // Before the end: else a letter whose work is done could outlive the log that says so.
    const discarded = journal.lost === undefined ? state.duties.redrives?.discard() : undefined;
    return after(discarded, ended);
  }
  const { parts } = state.duties;
  if (journal.lost === undefined && parts !== null && parts.size > 0) {
    // Parts undo their completed steps, which no log has: a run stopped before resumes at their step.
    state.waited = true;
    return Promise.all(parts).then(() => inLog(journal, state, outcome, undo));
  }
  return after(journal.failed(outcome), () => {
    const undone = undo(outcome);
    const ended = (): unknown => after(journal.lost ?? journal.endedWith(outcome.error), () => outcome);
    return undone instanceof Promise ? undone.then(ended) : ended();
  });
}
