// Controls the stored runs of a server: begin a detached run, resume, cancel, read the result.

import { randomUUID } from "node:crypto";

import { Bus } from "#core/bus/bus.js";
import { type Fault, fault, isFault } from "#core/bus/outcome.js";
import {
  type AuditFailed,
  isRunCancelled,
  isRuntimeFault,
  type RunCancelled,
  runtimeFault,
} from "#core/bus/runtime-fault.js";
import type { SignalKind } from "#core/flow/signal.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import { isKeptRunId, RunId, type RunStore } from "#core/ports/run-store.js";
import { type Cancelling, cancelRun } from "../axon/cancel.js";
import { fill } from "../axon/in-process.js";
import { resumeRun } from "../axon/resume.js";
import type { ForceOptions } from "../axon/resume-options.js";
import { missingKeys, requireNoneMissing } from "../check/definite-assignment.js";
import { Program } from "../compile/program.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import type { StartedRun } from "../kept/appended.js";
import { historyIn, type RunEvent } from "../kept/run-history.js";
import { type RunSummary, readSummary } from "../kept/run-summary.js";
import { decode } from "../kept/stored-value.js";
import { BY_PROGRAM, type Intervention, recorded } from "../run/intervention.js";
import { type Forgotten, forgetRun } from "./forgotten-runs.js";
import type { HostedRuns, RunHost } from "./run-host.js";
import { listByHand, type RunListOptions, type RunsInList } from "./runs-by-hand.js";
import { type SentSignal, signalRun, wakeRun } from "./sent-signal.js";
import { unfitReason } from "./unfit-reason.js";

export interface SignalOptions {
  /** Of the sender: a run keeps one signal of an id. Default: a random UUID. */
  readonly id?: string;
  /** The sender, for the run's log and the audit log. Default: none, and the signal is not audited. */
  readonly by?: Intervention;
}

export interface StartOptions {
  /** Default: a random UUID. */
  readonly runId?: string;
  /** Id of the node at which it begins. Default: the first one. */
  readonly at?: string;
  /** The actor, for the audit log of the Axon. Default: none, and the beginning is not audited. */
  readonly by?: Intervention;
}

export interface ResultOptions {
  /** How long to wait for the end of the run, in milliseconds: at most 600 000. Default 0. */
  readonly waitMs?: number;
}

/** Intervals of reading a run whose end is waited for: the first, and the longest. */
const POLL_MS = 20;
const MAX_POLL_MS = 250;
const MAX_WAIT_MS = 600_000;

interface OfRun {
  readonly axon: string;
  /** Of the request that began it under an idempotency key, if it was asked for. */
  readonly fingerprint?: string;
}

export type RunResult =
  | { readonly kind: "unknown" }
  | ({ readonly kind: "running" | "stuck" } & OfRun)
  /** No process has it. `until`: when it is due, in milliseconds since 1970, by the clock of the store. */
  | ({ readonly kind: "waiting"; readonly signals: readonly string[]; readonly until?: number } & OfRun)
  | ({ readonly kind: "sleeping"; readonly until?: number } & OfRun)
  /** Abandoned, and this process has no code that can resume it. */
  | ({ readonly kind: "unfit"; readonly reason: string } & OfRun)
  /** An output that is not data, such as a stream, could not be stored. */
  | ({ readonly kind: "completed"; readonly output: unknown; readonly isOutputKept: boolean } & OfRun)
  | ({ readonly kind: "failed"; readonly error: unknown } & OfRun)
  | ({ readonly kind: "cancelled"; readonly error: RunCancelled } & OfRun);

/** The stored runs of one server. */
export interface KeptRuns {
  readonly host: RunHost;
  readonly runs: ServedRuns;
}

export class ServedRuns {
  readonly #of: HostedRuns;
  readonly #host: RunHost;
  readonly #programs = new Map<AxonDefinition, Program>();

  constructor(of: HostedRuns, host: RunHost) {
    this.#of = of;
    this.#host = host;
    host.startRun = (axon, input, child) => this.#begin(axon, input, child);
  }

  /**
   * Begins a run, and resolves once its beginning is stored: it continues in this process, or after
   * the end of this process in another. "known": a run with this id exists, and none was begun.
   * "refused": the fault of the run, such as INPUT_INVALID; the run is not stored. Throws
   * KEYS_UNPROVIDED if the Axon needs more than resources.
   */
  async start(name: string, input: unknown, options: StartOptions = {}): Promise<StartedRun> {
    requireKnownOptions("runs.start()", options, ["runId", "at", "by"]);
    const { runId = randomUUID(), at, by } = options;
    if (!isKeptRunId(runId))
      throw invalidOption(
        "runs.start()",
        "runId must be well-formed text of 1 to 200 characters without NUL",
      );
    const refused = by && (await this.#recordedStart(by, name, runId));
    return refused ?? this.#begin(name, input, { runId, ...(at !== undefined && { at }) });
  }

  /** Undefined if it may begin. */
  async #recordedStart(by: Intervention, name: string, runId: string): Promise<StartedRun | undefined> {
    if ((await this.find(runId)) !== undefined) return { kind: "known", runId };
    const refused = await this.#recorded(by, this.#axonNamed(name), { action: "run.start", target: runId });
    return refused && { kind: "refused", error: refused.error };
  }

  /** Deletes a run that has ended, and its history. */
  async forget(runId: string, by = BY_PROGRAM): Promise<Forgotten | Fault<AuditFailed>> {
    const found = await this.find(runId);
    if (found === undefined) return "unknown";
    const { axon: name } = found.run;
    const axon = this.#of.axons.find((one) => one.name === name) ?? { name, audit: this.#of.audit };
    return forgetRun(found.store, runId, {
      tellEnds: () => this.#host.tellEnds(),
      record: () => this.#recorded(by, axon, { action: "run.forget", target: runId }),
    });
  }

  async #begin(
    name: string,
    input: unknown,
    { runId, at, tells }: { readonly runId: string; readonly at?: string; readonly tells?: string },
  ): Promise<StartedRun> {
    const program = this.#programOf(this.#axonNamed(name));
    const given = Bus.of([...this.#host.resources.entries, [RunId, runId]] as never);
    const keys = given.entries.map(([key]) => key);
    requireNoneMissing(missingKeys(name, program.code, keys));
    const state = program.acquire();
    fill(state, given);
    if (tells !== undefined) state.due().tells = tells;
    const run = at === undefined ? program.run : program.runFrom(at);
    const started = await this.#host.started(name, state, () => run(input, state));
    if (started.kind === "begun" || !isFault(started.outcome)) return { kind: "begun", runId };
    const { error } = started.outcome;
    return isRuntimeFault(error) && error.code === "RUN_TAKEN"
      ? { kind: "known", runId }
      : { kind: "refused", error };
  }

  /**
   * Resumes a run by hand: its count of resumptions restarts. Resolves to its outcome, or to RUN_OWNED
   * if a living process runs it. `intervention` names the actor, for the audit log of its Axon.
   */
  async resume(
    runId: string,
    intervention = BY_PROGRAM,
    { force = false }: ForceOptions = {},
  ): Promise<unknown> {
    const found = await this.find(runId);
    if (found === undefined) return unknown(runId);
    const options = { bus: this.#host.resources, by: this.#host, intervention, force };
    return resumeRun(this.#axonNamed(found.run.axon), runId, options);
  }

  /**
   * Fails an unfinished run and undoes its completed steps, in the process that runs it. Resolves to
   * RUN_CANCELLED once that is done, to RUN_ENDED for a run that is over, and to a Cancelling after
   * a lease: the request is kept, and its process or the next one undoes the run. See `Axon.cancel`.
   */
  async cancel(
    runId: string,
    reason: string,
    intervention = BY_PROGRAM,
    { force = false }: ForceOptions = {},
  ): Promise<Cancelling | Fault<unknown>> {
    const found = await this.find(runId);
    if (found === undefined) return unknown(runId);
    const { leaseMs: waitMs } = this.#of;
    const options = { bus: this.#host.resources, by: this.#host, intervention, force, waitMs };
    const cancelling = cancelRun(this.#axonNamed(found.run.axon), runId, reason, options);
    return cancelling as Promise<Cancelling | Fault<unknown>>;
  }

  /**
   * Sends a signal to a run, which takes it when it waits for it: now, or later. A run keeps one signal
   * of an `id`, and at most 100 that it has not taken.
   */
  async signal<P>(
    runId: string,
    kind: SignalKind<string, P>,
    payload: NoInfer<P>,
    { id, by }: SignalOptions = {},
  ): Promise<SentSignal | Fault<AuditFailed>> {
    const found = await this.find(runId);
    if (found === undefined) return { kind: "unknown" };
    const axon = this.#axonNamed(found.run.axon);
    const { name } = kind;
    const sender = by && {
      actor: by.actor,
      record: (signal_id: string) =>
        this.#recorded(by, axon, { action: "run.signal", target: runId }, { signal: name, signal_id }),
    };
    const { end, isStuck } = found.run;
    const state = end === undefined ? (isStuck ? "stuck" : "running") : "ended";
    const signal = { name, payload, ...sender, ...(id !== undefined && { id }) };
    const sent = await signalRun(found.store, axon, runId, signal, { axon: axon.name, state });
    if (!isFault(sent) && sent.kind === "kept" && sent.isAwaited) this.#host.waits(0);
    return sent;
  }

  /** Ends the time for which a run sleeps, or waits at most. False for a run that waits for no time. */
  async wake(runId: string, by = BY_PROGRAM): Promise<boolean | Fault<AuditFailed>> {
    const found = await this.find(runId);
    if (found?.run.wait?.due === undefined) return false;
    const axon = this.#axonNamed(found.run.axon);
    const refused = await this.#recorded(by, axon, { action: "run.wake", target: runId });
    if (refused !== undefined) return refused;
    const isWoken = await wakeRun(found.store, runId);
    if (isWoken) this.#host.waits(0);
    return isWoken;
  }

  #recorded(
    by: Intervention,
    { name, audit: use }: Pick<AxonDefinition, "name" | "audit">,
    entry: { readonly action: string; readonly target: string },
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<Fault<AuditFailed> | undefined> {
    const { clock, reporter } = this.#of;
    return recorded(
      by,
      { ...entry, metadata: { axon: name, ...metadata } },
      { axon: name, use, clock, reporter },
    );
  }

  /** How a run began: `subject` is the hash of the person it is about. Undefined for an unknown run. */
  async begun(
    runId: string,
  ): Promise<
    { readonly axon: string; readonly input: unknown; readonly subject: string | undefined } | undefined
  > {
    const { run } = (await this.find(runId, true)) ?? {};
    return run?.start && { axon: run.axon, input: decode(run.start.input), subject: run.subject };
  }

  /** Reads no checkpoints. `withFingerprint` also reads the beginning of the log, which has the input. */
  async result(runId: string, withFingerprint = false): Promise<RunResult> {
    const found = await this.find(runId, withFingerprint);
    if (found === undefined) return { kind: "unknown" };
    const { run, store } = found;
    const { end, axon, fingerprint, isStuck } = run;
    const of = { axon, ...(fingerprint !== undefined && { fingerprint }) };
    if (end === undefined && isStuck) return { kind: "stuck", ...of };
    if (end === undefined) {
      const reason = await unfitReason(this.#host, store, runId, run);
      return reason === undefined ? unendedResult(run, of) : { kind: "unfit", reason, ...of };
    }
    if ("error" in end) {
      const error = decode(end.error);
      return isRunCancelled(error) ? { kind: "cancelled", ...of, error } : { kind: "failed", ...of, error };
    }
    const isOutputKept = end.output !== undefined;
    return { kind: "completed", ...of, isOutputKept, output: isOutputKept ? decode(end.output) : undefined };
  }

  /**
   * The result once the run has ended, or as it is after `waitMs`. A stuck or unfit run is not waited
   * for: it goes on by itself no more.
   */
  async endOf(runId: string, options: ResultOptions = {}): Promise<RunResult> {
    requireKnownOptions("runs.result()", options, ["waitMs"]);
    const waitMs = requireWhole("runs.result()", "waitMs", options.waitMs ?? 0, 0, MAX_WAIT_MS);
    const { clock } = this.#of;
    const endsAt = clock.now() + waitMs;
    for (let pollMs = POLL_MS; ; pollMs = Math.min(2 * pollMs, MAX_POLL_MS)) {
      const result = await this.result(runId);
      const leftMs = endsAt - clock.now();
      if (!GOES_ON.has(result.kind) || leftMs <= 0 || this.#host.isOver) return result;
      await new Promise<void>((then) => void clock.after(Math.min(pollMs, leftMs), then));
    }
  }

  /** The entries of its log, oldest first, without values. Undefined for an unknown run. */
  async history(runId: string): Promise<readonly RunEvent[] | undefined> {
    for (const store of this.#host.stores) {
      const entries = await store.read(runId);
      if (entries.length > 0) return historyIn(entries);
    }
    return undefined;
  }

  /**
   * Runs of mounted Axons in every state, the newest first, by pages. Throws CONFIG_INVALID if a store of
   * theirs cannot list.
   */
  async list(options: RunListOptions = {}): Promise<RunsInList> {
    const asked = options.axon === undefined ? this.#of.axons : [this.#axonNamed(options.axon)];
    const stores = this.#host.stores.filter((store) =>
      asked.some((axon) => axon.persistence?.store === store),
    );
    const axons = asked.map(({ name }) => name);
    return listByHand(stores, { axons, release: this.#host.release }, options);
  }

  /** Asks each store: an id is unique among the runs of all Axons. */
  async find(runId: string, withBegun = false): Promise<{ run: RunSummary; store: RunStore } | undefined> {
    for (const store of this.#host.stores) {
      const run = await readSummary(store, runId, withBegun);
      if (run !== undefined) return { run, store };
    }
    return undefined;
  }

  #axonNamed(name: string): AxonDefinition {
    const axon = this.#of.axons.find((one) => one.name === name);
    if (axon !== undefined) return axon;
    throw invalidOption(`Axon '${name}' keeps no runs here`, "mount it, with withPersistenceStore");
  }

  #programOf(axon: AxonDefinition): Program {
    const { reporter, clock } = this.#of;
    const program =
      this.#programs.get(axon) ?? new Program(axon, { reporter, clock, owner: this.#host, isTold: true });
    this.#programs.set(axon, program);
    return program;
  }
}

/** Kinds of result after which another one follows without an operator. */
const GOES_ON: ReadonlySet<RunResult["kind"]> = new Set(["running", "waiting", "sleeping"]);

function unendedResult({ wait }: RunSummary, of: OfRun): RunResult {
  if (wait === undefined) return { kind: "running", ...of };
  const { signals, due } = wait;
  const until = { ...(due !== undefined && { until: due }), ...of };
  return signals === undefined ? { kind: "sleeping", ...until } : { kind: "waiting", signals, ...until };
}

const unknown = (runId: string): Fault<unknown> => fault(runtimeFault({ code: "RUN_UNKNOWN", runId }));
