// Cancels an unfinished run. One process undoes it: the one that has the run.
//
//   CR1. A run at work is cancelled by the process that runs it: in this process its step's signal
//        fires at once, elsewhere the request in the row of the run reaches its host by the next
//        append or beat.
//   CR2. A run that no living process has is claimed, with its failure in the same append (RE1). Of
//        two that claim it one undoes it; the other waits for the end.
//   CR3. By force the run is claimed although its process lives. That process undoes nothing.

import { fault, isFault } from "#core/bus/outcome.js";
import { isRuntimeFault, type RunCancelled, runtimeFault } from "#core/bus/runtime-fault.js";
import type { RunOwnership } from "#core/ports/run-store.js";
import type { Program } from "../compile/program.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import type { JournalOptions } from "../kept/appended.js";
import { atWork } from "../kept/run-at-work.js";
import { type RunLog, readLog } from "../kept/run-log.js";
import { asked, isAtWork, ownershipOf } from "../kept/run-ownership.js";
import { decode } from "../kept/stored-value.js";
import { BY_PROGRAM, recorded } from "../run/intervention.js";
import { programOf } from "./in-process.js";
import { requireJournal, takeUp } from "./resume.js";
import type { ResumeOptions } from "./resume-options.js";

/** The request to cancel is kept, and the run has not ended yet: its process undoes it, or the next one. */
export interface Cancelling {
  readonly kind: "cancelling";
  readonly runId: string;
}

export interface CancelOptions extends ResumeOptions {
  /** How long the caller waits for the end of the run, in milliseconds. Default 10 000. */
  readonly waitMs?: number;
}

const WAIT_MS = 10_000;
const POLL_MS = 50;
const MAX_POLL_MS = 1000;

/** As Axon.cancel says. Throws KEYS_UNPROVIDED if the run is undone here and its compensations lack keys. */
export function cancelRun(
  axon: AxonDefinition,
  id: string,
  reason: string,
  options: CancelOptions = {},
): Promise<unknown> {
  const program = programOf(axon);
  const given = { watched: axon, intervention: BY_PROGRAM, ...options };
  return new Cancel(program, requireJournal(program), id, reason, given).run();
}

class Cancel {
  readonly #program: Program;
  readonly #journal: JournalOptions;
  readonly #id: string;
  readonly #options: CancelOptions;
  readonly #cancelled: RunCancelled;
  readonly #until: number;
  #isRequested = false;
  #pollMs = POLL_MS;

  constructor(program: Program, journal: JournalOptions, id: string, reason: string, options: CancelOptions) {
    this.#program = program;
    this.#journal = journal;
    this.#id = id;
    this.#options = options;
    this.#cancelled = runtimeFault({ code: "RUN_CANCELLED", runId: id, reason });
    this.#until = journal.clock.now() + (options.waitMs ?? WAIT_MS);
  }

  async run(): Promise<unknown> {
    const runId = this.#id;
    for (let isFirst = true; ; isFirst = false) {
      // Read before its owner: a claim by another process since then makes the log longer, and ours is refused.
      const log = await this.#log();
      if (isFault(log)) return log;
      if (isFirst && log.end !== undefined) return fault(runtimeFault({ code: "RUN_ENDED", runId }));
      const row = await this.#tried(() => ownershipOf(this.#journal, runId));
      if (isFault(row)) return row;
      const outcome = await this.#turn(row, log);
      if (outcome !== undefined) return outcome;
      const leftMs = this.#until - this.#journal.clock.now();
      if (leftMs <= 0) return { kind: "cancelling", runId } satisfies Cancelling;
      await this.#wait(leftMs);
    }
  }

  /** The outcome of the cancellation; undefined while another run, here or elsewhere, is to end. */
  async #turn(row: RunOwnership | undefined, log: RunLog): Promise<unknown> {
    if (row?.state === "ended") return this.#ended();
    const { force = false, by, intervention } = this.#options;
    if (!force && isAtWork(this.#journal, this.#id, row, by)) return this.#request(log);
    const recording = this.#isRequested ? undefined : intervention;
    const given = {
      ...{ ...this.#options, force: true, intervention: recording },
      ...(!force && row !== undefined && { entries: log.known }),
    };
    const outcome = await this.#inTime(takeUp(this.#program, this.#id, given, this.#cancelled));
    const isTaken = isFault(outcome) && isRuntimeFault(outcome.error) && outcome.error.code === "RUN_TAKEN";
    // A store without rows cannot be asked for the end of a run of another process.
    const isFollowed = row !== undefined || atWork(this.#journal.persistence.store, this.#id) !== undefined;
    if (isTaken) this.#isRequested = true;
    return isTaken && isFollowed ? undefined : outcome;
  }

  /** Once: asks the process that has the run to cancel it (CR1). */
  async #request(log: RunLog): Promise<unknown> {
    if (this.#isRequested) return undefined;
    const { store } = this.#journal.persistence;
    const { reason } = this.#cancelled;
    const by = { intent: reason, ...BY_PROGRAM, ...this.#options.intervention };
    const { version, position } = log;
    const refused = await recorded(
      by,
      {
        ...{ action: "run.cancel", target: this.#id },
        metadata: { axon: this.#program.name, node: position.node, version },
      },
      { ...this.#journal, use: this.#program.audit },
    );
    if (refused !== undefined) return refused;
    this.#isRequested = true;
    // The request is kept all the same: this process may die before the run is undone.
    atWork(store, this.#id)?.cancel(this.#cancelled);
    const request = { reason, at: Date.now(), actor: by.actor };
    const row = await this.#tried(() => asked(this.#journal, () => store.requestCancel?.(this.#id, request)));
    return isFault(row) ? row : undefined;
  }

  /** The outcome of a run that is undone here; a Cancelling if that takes longer than the caller waits. */
  #inTime(undoing: Promise<unknown>): Promise<unknown> {
    const { clock, axon, reporter } = this.#journal;
    const runId = this.#id;
    return new Promise((resolve, reject) => {
      let isLate = false;
      const cancel = clock.after(Math.max(0, this.#until - clock.now()), () => {
        isLate = true;
        resolve({ kind: "cancelling", runId } satisfies Cancelling);
      });
      undoing.finally(cancel).then(resolve, (error: unknown) => {
        if (!isLate) reject(error);
        else {
          const message = `Run '${runId}' was cancelled and could not be undone`;
          reporter({ code: "RUN_UNRESUMED", message, axon, error });
        }
      });
    });
  }

  async #wait(leftMs: number): Promise<void> {
    const { clock, persistence } = this.#journal;
    const work = this.#options.force === true ? undefined : atWork(persistence.store, this.#id);
    const waitMs = Math.min(leftMs, work === undefined ? this.#pollMs : leftMs);
    this.#pollMs = Math.min(MAX_POLL_MS, this.#pollMs * 2);
    await new Promise<void>((resolve) => {
      const cancel = clock.after(waitMs, resolve);
      void work?.whenOver().then(() => {
        cancel();
        resolve();
      });
    });
  }

  async #ended(): Promise<unknown> {
    const log = await this.#log();
    if (isFault(log)) return log;
    if (log.end !== undefined && "error" in log.end) return fault(decode(log.end.error));
    return fault(runtimeFault({ code: "RUN_ENDED", runId: this.#id }));
  }

  async #log() {
    const runId = this.#id;
    const log = await this.#tried(async () =>
      readLog(await asked(this.#journal, () => this.#journal.persistence.store.read(runId))),
    );
    return log ?? fault(runtimeFault({ code: "RUN_UNKNOWN", runId }));
  }

  async #tried<T>(ask: () => Promise<T>) {
    try {
      return await ask();
    } catch (cause) {
      return fault(runtimeFault({ code: "CHECKPOINT_FAILED", runId: this.#id, cause }));
    }
  }
}
