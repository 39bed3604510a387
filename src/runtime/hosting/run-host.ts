// A process that stores runs. It holds a lease at each store. It takes over runs of hosts with an
// expired lease, and its own runs after a failed write to their log.
//
//   RH1. The first heartbeat settles before the first run begins: no run has a host without a lease.
//   RH2. The append of "resumed" is the claim (RE1). With separate appends a run could get stuck.
//        The claim names the number of entries with which the run was listed as abandoned: else
//        the slower of two hosts would take the run from the other.
//   RH3. No run is taken before the server is ready, nor once it stops. The lease ends after the
//        last append: other hosts take the cut runs at once.

import { randomUUID } from "node:crypto";
import { backgroundClock } from "#core/background-clock.js";
import { Bus } from "#core/bus/bus.js";
import { type Fault, isFault } from "#core/bus/outcome.js";
import type { Reporter } from "#core/bus/reporter.js";
import { isRuntimeFault, isWaiting } from "#core/bus/runtime-fault.js";
import { type Clock, systemClock } from "#core/clock.js";
import type { AuditUse } from "#core/ports/audit-use.js";
import { type RunStore, type UnfinishedRun, UnreadableLog } from "#core/ports/run-store.js";
import type { DueRun } from "#core/ports/run-waits.js";
import { hostAxon } from "../axon/hosted-axons.js";
import { resumeRun } from "../axon/resume.js";
import { type AxonDefinition, oldVersionsOf } from "../definition/axon-definition.js";
import { waits } from "../definition/waiting-step.js";
import type { RunOwner } from "../kept/appended.js";
import type { RunState } from "../run/run-state.js";
import { outermost } from "../run/subject.js";
import { AbandonedRuns, type KeptAxon } from "./abandoned-runs.js";
import { DueRuns } from "./due-runs.js";
import { forgetEnded } from "./forgotten-runs.js";
import { factsOf, Heartbeat, type HostProcess } from "./heartbeat.js";
import { LeftRuns } from "./left-runs.js";
import { releaseOf } from "./release.js";
import { RequestedCancels } from "./requested-cancels.js";
import { Rounds } from "./rounds.js";
import { TakenRuns } from "./taken-runs.js";
import { ToldEnds } from "./told-ends.js";
import { UnfitRuns } from "./unfit-runs.js";

export interface RunHostOptions {
  /** Time before another process takes the runs of a dead one, in milliseconds. Default 10 000. */
  readonly leaseMs?: number;
  /** Runs taken over at once. Default 32. */
  readonly maxTaken?: number;
  /**
   * Maximum number of processes that run one run in turn without a new checkpoint. The run is then
   * stuck and not resumed: it may be what ends its process. Default 8.
   */
  readonly maxResumptions?: number;
  /**
   * Time for which the lease is extended although the event loop is held up, in milliseconds: a step
   * that computes for longer loses the runs of its process. Default 60 000.
   */
  readonly maxSilenceMs?: number;
  /** The longest that a run waits which is due, while nothing tells this process of it, in milliseconds. Default 500. */
  readonly everyMs?: number;
  /** Runs that were woken and are at work at once. Default 128. */
  readonly maxWoken?: number;
}

export const DEFAULT_HOSTING: Required<RunHostOptions> = {
  leaseMs: 10_000,
  maxTaken: 32,
  maxResumptions: 8,
  maxSilenceMs: 60_000,
  everyMs: 500,
  maxWoken: 128,
};

export interface HostedRuns extends Required<RunHostOptions> {
  /** Axons with stored runs, each with its store. */
  readonly axons: readonly AxonDefinition[];
  readonly isReady: () => boolean;
  /** How long ended runs are retained whose Axon does not say, in milliseconds. */
  readonly retainMs: number;
  /** For what is done with runs whose Axon is mounted no more. */
  readonly audit?: AuditUse | undefined;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** What its process tells of itself. */
  readonly process?: HostProcess;
  /** Called with the fault of a run whose outcome no caller gets. */
  readonly failed: (run: { readonly id: string; readonly axon: string }, fault: Fault<unknown>) => void;
  readonly random?: () => number;
}

export type Started =
  | { readonly kind: "begun"; readonly id: string }
  | { readonly kind: "over"; readonly outcome: unknown };

/** Maximum number of runs to resume later, because this process could not write their log. */
const MAX_LOST = 10_000;
const HOUR_MS = 3_600_000;

/** An earlier version may have waited. */
const mayWait = (axon: KeptAxon): boolean => axon.persistence.migrations.length > 0 || waits(axon);

type Resumed = Pick<UnfinishedRun, "id" | "axon" | "entries">;

/** A run that waits has not failed. */
const isFailure = (outcome: unknown): outcome is Fault<unknown> => isFault(outcome) && !isWaiting(outcome);

export class RunHost implements RunOwner {
  readonly id = randomUUID();
  /** The outside values of resumed runs: resources. */
  resources: Bus = Bus.of([]);
  /** True once runs in flight are cut: they write no more entries, and stay unfinished. */
  isOver = false;
  /** Begins a run of a mounted Axon. See `ServedRuns`. */
  startRun: RunOwner["startRun"];
  readonly #of: HostedRuns;
  readonly #axons: ReadonlyMap<string, KeptAxon>;
  /** The stores of its Axons. */
  readonly stores: readonly RunStore[];
  readonly heartbeat: Heartbeat;
  readonly #abandoned: AbandonedRuns;
  readonly #rounds: Rounds;
  readonly #taken: TakenRuns;
  readonly #woken: TakenRuns;
  readonly #due: DueRuns;
  readonly #ends: ToldEnds;
  readonly #unfit: UnfitRuns;
  readonly left: LeftRuns;
  #isCounted = false;
  #release: string | undefined;
  #isLooking = false;
  /** How often each run was lost in a row. */
  readonly #lost = new Map<string, number>();
  /** Called once the beginning of the state's run is stored. */
  readonly #starting = new Map<RunState, (id: string) => void>();
  /** Detached runs that have not ended. */
  #begunHere = 0;
  readonly #unhosted: (() => void)[] = [];
  #isStopping = false;

  constructor(of: HostedRuns) {
    this.#of = of;
    const { random = Math.random, reporter, clock, leaseMs } = of;
    this.#axons = new Map(of.axons.map((axon) => [axon.name, axon as KeptAxon]));
    const { axons } = this;
    this.stores = [...new Set(axons.map(({ persistence }) => persistence.store))];
    const versions = Object.fromEntries(axons.map(({ name, version }) => [name, version]));
    this.heartbeat = new Heartbeat(this.id, leaseMs, this.stores, factsOf(versions, of.process));
    this.#rounds = new Rounds({ clock, random, reporter });
    this.#unfit = new UnfitRuns({ clock, reporter });
    this.left = new LeftRuns({ axons, stores: this.stores, reporter, release: () => this.release });
    this.#taken = new TakenRuns({ clock, reporter, maxTaken: of.maxTaken });
    this.#woken = new TakenRuns({ clock, reporter, maxTaken: of.maxWoken });
    this.#due = new DueRuns({
      ...{ axons, stores: this.stores, random, everyMs: of.everyMs },
      // Its timers keep no process alive.
      clock: clock === systemClock ? backgroundClock : clock,
      release: () => this.release,
      room: () => (this.#mayBegin() ? this.#woken.room : 0),
      remembered: () => this.#unfit.remembered,
      isLeft: (id) => this.#woken.has(id) || this.#unfit.has(id),
      wake: (run) => this.#wake(run),
      looked: (error) =>
        error === undefined ? this.#rounds.succeeded(this.#due) : this.#rounds.failed(error, this.#due),
    });
    this.#ends = new ToldEnds(this.stores, () => this.#due.expect(0));
    this.#abandoned = new AbandonedRuns({
      ...{ host: this.id, axons, stores: this.stores, unfit: this.#unfit, clock, leaseMs, random },
      release: () => this.release,
    });
    const take = (run: UnfinishedRun): void => {
      if (this.#mayTake()) this.#take(run);
    };
    const cancels = new RequestedCancels({ host: this.id, stores: this.stores, take });
    this.heartbeat.after.push(() => cancels.look());
  }

  /** Runs without a client that have not ended: taken over, or detached. */
  get running(): number {
    return this.#taken.size + this.#woken.size + this.#begunHere;
  }

  /** Begins the lease. Rejects if a store does not answer. */
  async begin(): Promise<void> {
    const { leaseMs, maxSilenceMs, clock, reporter } = this.#of;
    await this.heartbeat.extend();
    for (const axon of this.axons.flatMap((one) => [one, ...oldVersionsOf(one)]))
      this.#unhosted.push(hostAxon(axon, { host: this, clock, reporter }));
    this.#rounds.every(leaseMs / 3, () => {
      if (this.#of.isReady()) this.heartbeat.hold({ maxSilenceMs, failed: this.#rounds.unheld });
      return this.heartbeat.beat();
    });
    this.#rounds.every(leaseMs / 4, () => {
      this.#unfit.report();
      this.#taken.report();
      this.#woken.report();
      return this.#look();
    });
    this.#rounds.every(leaseMs / 4, () => this.#ends.look());
    this.beginWaking();
    const { stores, axons } = this;
    const forgetting = { stores, axons, retainMs: this.#of.retainMs, isStopping: () => this.#isStopping };
    this.#rounds.every(HOUR_MS, () => forgetEnded(forgetting));
    this.#rounds.every(HOUR_MS, () => this.#count());
  }

  /** Wakes runs that are due. A TestApp calls it alone: it takes over no runs of others. */
  beginWaking(): void {
    if (this.axons.some(mayWait)) this.#due.begin();
  }

  endWaking(): Promise<void> {
    return this.#due.end();
  }

  /** Takes over no further runs. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Ends the lease: other hosts can take the unfinished runs of this process at once. */
  async leave(): Promise<void> {
    this.stop();
    this.isOver = true;
    this.#rounds.end();
    await this.endWaking();
    for (const unhost of this.#unhosted) unhost();
    this.#unfit.report(true);
    await this.heartbeat.leave();
  }

  begun(id: string, state: RunState): void {
    this.#starting.get(outermost(state))?.(id);
  }

  /** Resolves once the beginning of the run is stored, or the run ended before. It counts as running until it ends. */
  async started(axon: string, state: RunState, run: () => unknown): Promise<Started> {
    let begun: (id: string) => void = () => {};
    const isBegun = new Promise<Started>((resolve) => {
      begun = (id) => resolve({ kind: "begun", id });
    });
    this.#starting.set(state, begun);
    this.#begunHere += 1;
    const over = (async () => ({ kind: "over", outcome: await run() }) as const)().finally(() => {
      this.#begunHere -= 1;
    });
    try {
      const started = await Promise.race([isBegun, over]);
      if (started.kind === "begun")
        void over.then(
          ({ outcome }) => isFailure(outcome) && this.#of.failed({ id: started.id, axon }, outcome),
        );
      return started;
    } finally {
      // The state of a synchronous run may belong to another run by now.
      if (this.#starting.get(state) === begun) this.#starting.delete(state);
    }
  }

  /** Resumes the run after a failed append to its log: this process is still alive. */
  lost(id: string): void {
    if (!this.#lost.has(id)) this.#lose(id);
  }

  wrote(id: string): void {
    this.#taken.wrote(id);
    this.#woken.wrote(id);
    if (this.#lost.has(id)) this.#lost.set(id, 0);
  }

  waits(dueInMs: number | undefined): void {
    if (dueInMs !== undefined) this.#due.expect(dueInMs);
  }

  tellEnds(): Promise<void> {
    return this.#ends.look();
  }

  tells(): void {
    this.tellEnds().catch((error: unknown) => this.#rounds.failed(error));
  }

  get axons(): readonly KeptAxon[] {
    return [...this.#axons.values()];
  }

  /** What this process can resume. */
  get release(): string {
    this.#release ??= releaseOf(this.axons, this.resources);
    return this.#release;
  }

  /** Runs may wait at a step that their Axon has no longer. */
  async #count(): Promise<void> {
    await this.left.count();
    if (this.left.counts.some(({ state }) => state === "waiting" || state === "sleeping")) this.#due.begin();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      if (!this.#mayTake()) return;
      if (!this.#isCounted) {
        await this.#count();
        this.#isCounted = true;
      }
      // The lease may have ended while the store could not be asked.
      if (this.#rounds.hasFailed) await this.heartbeat.extend();
      await this.#takeLost();
      do {
        await this.#abandoned.read();
        this.#takeRead();
      } while (this.#abandoned.hasMore && this.#mayTake());
    } finally {
      this.#isLooking = false;
    }
  }

  #takeRead(): void {
    while (this.#mayTake()) {
      const run = this.#abandoned.next();
      if (run === undefined) return;
      this.#take(run);
    }
  }

  /** Runs it still owns: another host may have taken some while its lease was expired. */
  async #takeLost(): Promise<void> {
    const lost = [...this.#lost.keys()];
    if (lost.length === 0) return;
    const listed = await Promise.all(
      this.stores.map((store) => store.unfinished({ of: this.id, limit: MAX_LOST })),
    );
    const own = new Map(listed.flat().map((run) => [run.id, run]));
    for (const id of lost) {
      const run = own.get(id);
      if (run === undefined) this.#lost.delete(id);
      else if (this.#mayTake()) this.#take(run);
    }
  }

  #mayBegin(): boolean {
    return !this.#isStopping && this.#of.isReady();
  }

  #mayTake(): boolean {
    return this.#mayBegin() && this.#taken.room > 0;
  }

  /** A run that waited. */
  #wake(run: DueRun): void {
    const { id, entries } = run;
    const axon = this.#axons.get(run.axon);
    if (axon === undefined) return;
    this.#woken.add(id, run.axon);
    const options = { bus: this.resources, by: this, count: false, wakes: true, entries } as const;
    void resumeRun(axon, id, options)
      .then(
        (outcome) => this.#ended(run, outcome),
        (error: unknown) => this.#leave(run, error),
      )
      .catch((error: unknown) => this.#rounds.failed(error))
      .then(() => {
        this.#woken.delete(id);
        this.#due.hasRoom();
      });
  }

  #take(run: UnfinishedRun): void {
    const { id, entries } = run;
    const axon = this.#axons.get(run.axon);
    if (axon === undefined || this.#taken.has(id)) return;
    this.#taken.add(id, run.axon);
    const { maxResumptions } = this.#of;
    const options = { bus: this.resources, by: this, count: this.#counts(run), maxResumptions, entries };
    void resumeRun(axon, id, options)
      .then(
        (outcome) => this.#ended(run, outcome),
        (error: unknown) => this.#leave(run, error),
      )
      .catch((error: unknown) => this.#rounds.failed(error))
      .then((isDone) => {
        this.#taken.delete(id);
        this.#takeRead();
        // More runs may wait than were read at once.
        if (this.#abandoned.hasMore || (isDone === true && this.#taken.size === 0))
          this.#look().catch((error: unknown) => this.#rounds.failed(error));
      });
  }

  /**
   * A run counts its resumptions, as it may be what ends its processes. A process that stopped or
   * one that could not write its log is no sign of that, the latter up to a number of times.
   */
  #counts({ id, host, left }: UnfinishedRun): boolean {
    if (host === this.id) return (this.#lost.get(id) ?? 0) > this.#of.maxResumptions;
    return left !== true;
  }

  /** Resolves to true if the run made progress. */
  async #ended(run: Resumed, outcome: unknown): Promise<boolean> {
    const { id, axon } = run;
    const tries = this.#lost.get(id);
    this.#lost.delete(id);
    if (!isFailure(outcome)) return true;
    const { error } = outcome;
    if (isRuntimeFault(error) && error.code === "RUN_INCOMPATIBLE") return this.#leave(run, error);
    if (isRuntimeFault(error) && error.code === "CHECKPOINT_FAILED" && error.cause instanceof UnreadableLog)
      return this.#leave(run, error.cause);
    this.#of.failed({ id, axon }, outcome);
    if (!isRuntimeFault(error)) return true;
    switch (error.code) {
      case "CHECKPOINT_FAILED":
      case "LOCK_TAKEN":
      case "LOCK_UNAVAILABLE":
        this.#lose(id, tries);
        return false;
      case "RUN_TAKEN":
        // The failed append may have been stored all the same.
        if (tries !== undefined) this.#lose(id, tries);
        return false;
      default:
        return true;
    }
  }

  async #leave(run: Resumed, error: unknown): Promise<boolean> {
    this.#lost.delete(run.id);
    const { store } = (this.#axons.get(run.axon) as KeptAxon).persistence;
    await this.#unfit.add(run, store, this.release, error);
    return false;
  }

  #lose(id: string, tries = 0): void {
    if (this.#lost.size < MAX_LOST) this.#lost.set(id, tries + 1);
  }
}
