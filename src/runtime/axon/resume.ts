// Resumes a run that was stopped.
//
//   RE1. A process claims the run by an entry in its log, after the entries it has read: of two
//        claims one is refused. The previous owner is refused at its next entry. A cancellation
//        claims the run too, and appends the failure with the claim; so does a resumption that
//        finds a request to cancel in the row of the run.
//   RE2. Before the claim the run is not changed: a run that cannot resume here stays stored.
//   RE3. The lock of the Axon is acquired before the claim: a run that waits for it is not lost.

import type { AnyKey } from "#core/bus/bus-key.js";
import { type Fault, fault, isFault, mappedFault } from "#core/bus/outcome.js";
import { type RunCancelled, runtimeFault } from "#core/bus/runtime-fault.js";
import { invalidOption } from "#core/invalid-option.js";
import {
  type RunEntry,
  RunEpoch,
  RunId,
  type RunOwnership,
  type RunPosition,
} from "#core/ports/run-store.js";
import { endedRun, type Woken } from "#core/ports/run-waits.js";
import { continuedTrace } from "#core/timeline/continued-trace.js";
import type { Json } from "#core/wire/json-text.js";
import type { Program } from "../compile/program.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { appended, cancelIn, claimBy, isAppended, type JournalOptions, keptIn } from "../kept/appended.js";
import { ContinuedWatch, runContinued } from "../kept/continuation.js";
import { encodeError } from "../kept/durable-value.js";
import { Journal } from "../kept/journal.js";
import { atWork } from "../kept/run-at-work.js";
import { fitOf } from "../kept/run-fit.js";
import { type RunEnd, type RunLog, readLog, unreadable } from "../kept/run-log.js";
import { asked, cancelledBy, isAtWork, ownershipOf } from "../kept/run-ownership.js";
import { decode } from "../kept/stored-value.js";
import { markStuck, mayResume, resumption, stuck } from "../kept/stuck-runs.js";
import { waitingFault } from "../kept/waiting-run.js";
import { recorded } from "../run/intervention.js";
import { RunControl } from "../run/run-control.js";
import type { RunState } from "../run/run-state.js";
import { fill, programOf } from "./in-process.js";
import { discardIn, redriving } from "./kept-redrive.js";
import { requireKeysAt } from "./keys-at.js";
import type { ResumeOptions } from "./resume-options.js";

/** Returns the outcome of the run. Throws KEYS_UNPROVIDED for keys that its remaining steps read. */
export const resumeRun = (axon: AxonDefinition, id: string, options: ResumeOptions = {}): Promise<unknown> =>
  resumeIn(programOf(axon), id, { watched: axon, ...options });

/** As above, with an existing program. */
export const resumeIn = (program: Program, id: string, options: ResumeOptions = {}): Promise<unknown> =>
  takeUp(program, id, options, undefined);

/** `cancels`: fails the run with this fault and undoes its completed steps. */
export async function takeUp(
  program: Program,
  id: string,
  options: ResumeOptions,
  cancels: RunCancelled | undefined,
): Promise<unknown> {
  const { signal, apart } = options;
  const own = requireJournal(program);
  const journal = apart === undefined ? own : keptIn(own, apart.store);
  let row: RunOwnership | undefined;
  try {
    // The append of a run that is woken answers a request to cancel it.
    if (options.wakes === undefined) row = await ownershipOf(journal, id);
  } catch (cause) {
    return fault(runtimeFault({ code: "CHECKPOINT_FAILED", runId: id, cause }));
  }
  if (isOwned(journal, id, row, options)) return owned(id, row);
  const cancelled = cancels ?? (row?.cancel && cancelledBy(id, row.cancel));
  const state = program.acquire();
  state.control = new RunControl();
  if (signal !== undefined) state.control.follow(signal);
  let claim: Claim | undefined;
  try {
    const locked = await program.lock?.run(undefined, state.bus);
    claim = isFault(locked)
      ? over(locked)
      : await new Resuming({ ...options, program, journal, id, state, cancelled, cancels }).claim();
  } finally {
    if (claim?.kind !== "claimed") {
      state.control.end(undefined);
      await state.duties.lock?.release();
    }
  }
  if (claim.kind === "claimed") {
    options.claimed?.();
    return claim.run();
  }
  if (claim.kind === "over") return claim.outcome;
  if (claim.kind === "cancelled") return takeUp(program, id, { ...options, wakes: undefined }, cancels);
  const old = (apart?.programOf ?? programOf)(claim.axon);
  return takeUp(old, id, { watched: claim.axon, ...options }, cancels);
}

/** By hand, and without force: a run at work is not taken from its process. */
const isCareful = ({ count, force = false }: ResumeOptions): boolean => count === undefined && !force;

const isOwned = (
  journal: JournalOptions,
  id: string,
  row: RunOwnership | undefined,
  options: ResumeOptions,
): boolean => isCareful(options) && isAtWork(journal, id, row, options.by);

const owned = (runId: string, row: RunOwnership | undefined): unknown =>
  fault(runtimeFault({ code: "RUN_OWNED", runId, ...(row?.host && { host: row.host }) }));

export function requireJournal({ journal, name }: Program): JournalOptions {
  if (journal !== undefined) return journal;
  throw invalidOption(
    `Axon '${name}' keeps no runs that could be resumed`,
    "give it a store by withPersistenceStore",
  );
}

type Claim =
  | { readonly kind: "claimed"; readonly run: () => unknown }
  /** No step runs here: the run has ended, or cannot resume. */
  | { readonly kind: "over"; readonly outcome: unknown }
  | { readonly kind: "another"; readonly axon: AxonDefinition }
  /** The row of the run is to be asked. */
  | { readonly kind: "cancelled" };

const over = (outcome: unknown): Claim => ({ kind: "over", outcome });

interface Resumed extends ResumeOptions {
  readonly program: Program;
  readonly journal: JournalOptions;
  readonly id: string;
  readonly state: RunState;
  /** By the caller, or by a request in the row of the run. */
  readonly cancelled: RunCancelled | undefined;
  readonly cancels: RunCancelled | undefined;
}

class Resuming {
  readonly #of: Resumed;
  #journal: Journal | undefined;

  constructor(of: Resumed) {
    this.#of = of;
  }

  async claim(): Promise<Claim> {
    const { program, state, journal, id: runId, watched, by, cancelled, cancels } = this.#of;
    const { persistence, version } = journal;
    const failed = (cause: unknown): Claim => this.#failed(cause);
    let log: RunLog | undefined;
    try {
      log = readLog(await asked(journal, () => persistence.store.read(runId)));
      if (log?.end !== undefined)
        return over(outcomeOf(runId, cancels && "output" in log.end ? {} : log.end));
      // Once more after the log was read: a claim since then makes it longer, and ours is refused.
      const row = isCareful(this.#of) ? await ownershipOf(journal, runId) : undefined;
      if (isOwned(journal, runId, row, this.#of)) return over(owned(runId, row));
    } catch (cause) {
      return failed(cause);
    }
    if (log === undefined) return over(fault(runtimeFault({ code: "RUN_UNKNOWN", runId })));
    if (this.#of.entries !== undefined && this.#of.entries !== log.known)
      return over(fault(runtimeFault({ code: "RUN_TAKEN", runId })));
    const { count, maxResumptions } = this.#of;
    const isCounted = count !== undefined && cancelled === undefined;
    if (isCounted && !mayResume(log, maxResumptions, count)) return this.#leaveStuck(log);
    const fit = fitOf(program, journal, log);
    if (fit.kind === "unfit") return this.#incompatible(fit.reason);
    if (fit.kind === "damaged") return failed(unreadable(fit.cause));
    if (fit.kind === "another") return fit;
    const there = fit.position;
    try {
      const given = this.#of.bus?.entries.map(([key]) => key) ?? [];
      requireKeysAt(program, there, log, { given, isCancelled: cancelled !== undefined });
    } catch (error) {
      // No host has them: only the process that began the run did.
      if (count !== undefined) await this.#leaveStuck(log, error);
      throw error;
    }
    let input: unknown;
    let woken: Woken | undefined;
    try {
      if (log.wait !== undefined && cancelled === undefined) {
        const ended = await this.#endOf(log.wait);
        // What made it due, if not what it waits for, is a request to cancel it.
        if (ended === undefined && this.#of.wakes === true) return { kind: "cancelled" };
        if (ended === undefined) return over(waitingFault(runId, log.wait));
        // A new log of a loop waits for nothing: else its first wait would be over at once.
        const { signals, inMs, due } = log.wait;
        if ((signals ?? inMs ?? due) !== undefined) woken = ended;
      }
      if (cancelled !== undefined) await this.#cancelAwaited(log, cancelled);
    } catch (cause) {
      return failed(cause);
    }
    try {
      input = decode(there.input);
      this.#restore(there, log, woken);
    } catch (cause) {
      return failed(unreadable(cause));
    }
    const { control } = state;
    if (control?.stopped === true) return over(control.abortion());
    const refused = await this.#recorded(there, log);
    if (refused !== undefined) return over(refused);
    const kept = continuedTrace(`resume ${program.name}`, log.trace);
    const watch = watched && ContinuedWatch.of(watched, { kind: "resume", id: runId, log });
    const seen = { ...(kept && { trace: kept.mark }), ...(watch && { watched_as: watch.runId }) };
    // The mark may have been stored all the same.
    const lost = (claim: Claim): Claim => {
      if (claim.kind === "over") kept?.end(claim.outcome);
      return claim;
    };
    const at = Date.now();
    const counted = count === undefined ? {} : resumption(log, at, count);
    const claimed = { ...claimBy(by), ...counted, ...(woken && { woken }) };
    const entry: RunEntry = { kind: "resumed", at, version, ...claimed, ...seen, ...there };
    try {
      const entries = [...(this.#isClaimed(log) ? [entry] : []), ...this.#failing(log, at, there)];
      const answer = entries.length === 0 || (await appended(journal, runId, log.known, entries, by));
      const taken = fault(runtimeFault({ code: "RUN_TAKEN", runId }));
      if (!isAppended(answer)) return lost(over(taken));
      atWork(persistence.store, runId)?.yieldTo(taken);
      const work = this.#journal?.work;
      work?.enter(this.#journal?.failure !== undefined);
      const request = cancelIn(answer);
      if (request !== undefined) work?.cancel(cancelledBy(runId, request));
    } catch (cause) {
      return lost(failed(cause));
    }
    const run = (): unknown =>
      runContinued({ kept, watch }, state, (told, number) =>
        program.runFrom(there.node, told, number)(input, state),
      );
    return { kind: "claimed", run };
  }

  /** An automatic resumption by a host is not an intervention, unless it migrates the run. */
  async #recorded({ node }: RunPosition, { version: from }: RunLog): Promise<unknown> {
    const { program, journal, id, cancels, intervention } = this.#of;
    const { version } = journal;
    const isMigrated = from !== version;
    if (intervention === undefined && !isMigrated) return undefined;
    const action = intervention === undefined ? "run.migrate" : cancels ? "run.cancel" : "run.resume";
    const by = { actor: "host", ...(cancels && { intent: cancels.reason }), ...intervention };
    const metadata = { axon: program.name, node, version, ...(isMigrated && { from_version: from }) };
    return recorded(by, { action, target: id, metadata }, { ...journal, use: program.audit });
  }

  /** What ended the wait; undefined if the run waits on. */
  async #endOf({ signals, inMs, due }: NonNullable<RunLog["wait"]>): Promise<Woken | undefined> {
    const { journal, id, wakes } = this.#of;
    if (wakes === undefined) return undefined;
    if (signals === undefined) return { by: "time" };
    const kept = await asked(journal, () => journal.persistence.store.waits?.signals(id, signals));
    const [first] = kept ?? [];
    if (first !== undefined) {
      const { name, number, payload, id: signalId, actor } = first;
      return { by: "signal", name, number, payload, id: signalId, ...(actor !== undefined && { actor }) };
    }
    return inMs === undefined && due === undefined ? undefined : { by: "time" };
  }

  /** The runs that it waits for are to be cancelled, too. */
  async #cancelAwaited({ wait }: RunLog, { reason }: RunCancelled): Promise<void> {
    const { journal, intervention } = this.#of;
    const { store } = journal.persistence;
    const request = { reason, at: Date.now(), ...(intervention && { actor: intervention.actor }) };
    for (const run of (wait?.signals ?? []).flatMap((name) => endedRun(name) ?? []))
      await asked(journal, () => store.requestCancel?.(run, request));
  }

  async #leaveStuck(log: RunLog, why?: unknown): Promise<Claim> {
    const { program, journal, id: runId, by } = this.#of;
    try {
      if (!log.isStuck && !(await markStuck(program, journal, runId, log, by, why)))
        return over(fault(runtimeFault({ code: "RUN_TAKEN", runId })));
    } catch (cause) {
      return this.#failed(cause);
    }
    return over(fault(stuck(runId, log)));
  }

  /** RE1. A host that keeps the log itself is its only writer: the log has what ended a wait, a new version, and the end of being stuck. */
  #isClaimed({ wait, isStuck, version }: RunLog): boolean {
    const { apart, journal } = this.#of;
    return apart === undefined || wait !== undefined || isStuck || version !== journal.version;
  }

  /** The failure of a run that is cancelled; empty if the run has already failed. */
  #failing(log: RunLog, at: number, there: RunPosition): readonly RunEntry[] {
    const cancelled = this.#cancelledAt(there, log);
    if (cancelled === undefined || log.error !== undefined) return [];
    const { node, input } = there;
    const { cancels, intervention } = this.#of;
    const actor = cancels && intervention && { actor: intervention.actor };
    return [
      { kind: "failed", at, error: encodeError(cancelled), completed: [], step: { node, input }, ...actor },
    ];
  }

  /** The step there may have been at work when its process lost the run, unless the run waited. */
  #cancelledAt({ node }: RunPosition, { wait }: RunLog): RunCancelled | undefined {
    const { cancelled } = this.#of;
    return cancelled && runtimeFault({ ...cancelled, ...(wait === undefined && { uncertain: node }) });
  }

  #restore(there: RunPosition, log: RunLog, woken: Woken | undefined): void {
    const { bus, jumps } = there;
    const { state, program, journal: options, id, bus: given, by } = this.#of;
    const { layout, compensations } = program;
    if (given !== undefined) fill(state, given);
    const put = (from: RunPosition["bus"], values: unknown[]): unknown[] => {
      for (const key of layout.keys)
        if (Object.hasOwn(from, key.name)) values[state.slotOf(key)] = decode(from[key.name] as Json);
      return values;
    };
    put(bus, state.values);
    state.values[state.slotOf(RunId)] = id;
    const claims = this.#isClaimed(log) ? 1 : 0;
    state.values[state.slotOf(RunEpoch)] = log.epoch + claims;
    state.jumps = jumps;
    const duties = state.due();
    duties.apart = this.#of.apart ?? null;
    const isWritten = (key: AnyKey): boolean => program.code.some(({ writes }) => writes.includes(key));
    duties.carried = layout.keys.filter((key) => Object.hasOwn(bus, key.name) && !isWritten(key));
    duties.subject = log.subject ?? null;
    duties.labels = log.labels ?? null;
    duties.fingerprint = log.fingerprint ?? null;
    duties.tells = log.tells ?? null;
    const { letter } = log;
    if (letter !== undefined)
      duties.redrives = redriving(letter, program, () => discardIn(program.deadLetters, letter.id));
    duties.completed = log.completed.map(({ node, input, output, bus: own }) => {
      const undo = compensations.get(node);
      if (undo === undefined) throw new TypeError(`No compensation of '${node}'`);
      const done = { input: decode(input), output: decode(output) };
      const values = own && { values: put(own, state.values.slice()) };
      return { ...undo, node, done, state, ...values };
    });
    const cancelled = this.#cancelledAt(there, log);
    const known = log.known + claims + this.#failing(log, 0, there).length;
    const { chars, continues } = log;
    const journal = new Journal(options, id, state, by, { entries: known, chars, continues });
    journal.woken = woken ?? log.woken;
    this.#journal = journal;
    duties.journal = journal;
    if (log.error !== undefined) journal.failure = failureOf(log, decode(log.error));
    else if (cancelled !== undefined) journal.failure = fault(cancelled);
    journal.undoneBefore = log.completedAtFailure
      .slice(log.completed.length)
      .map(({ node, input }) => ({ node, input: decode(input) }));
    const failedAt = log.error === undefined && cancelled !== undefined ? there : log.failedAt;
    journal.failedAt = failedAt && { node: failedAt.node, input: decode(failedAt.input) };
  }

  /** The state of the run could not be read or written. */
  #failed(cause: unknown): Claim {
    return over(fault(runtimeFault({ code: "CHECKPOINT_FAILED", runId: this.#of.id, cause })));
  }

  #incompatible(reason: string): Claim {
    return over(fault(runtimeFault({ code: "RUN_INCOMPATIBLE", runId: this.#of.id, reason })));
  }
}

const failureOf = ({ cause }: RunLog, error: unknown): Fault<unknown> =>
  cause === undefined ? fault(error) : mappedFault(error, cause);

function outcomeOf(runId: string, end: RunEnd | { readonly output?: undefined }): unknown {
  if ("error" in end) return fault(decode(end.error));
  const { output } = end;
  return output === undefined ? fault(runtimeFault({ code: "RUN_ENDED", runId })) : decode(output);
}
