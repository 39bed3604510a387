// Runs a kept Axon to its next entry, for a host that keeps the log itself.
//
//   AV1. What an entry is and when one is due is the Journal's and the resumption's: here is only a store
//        of one call, which collects entries and refuses the first one behind the beginning. That stops
//        the run as if another process had resumed it (J2): it undoes and ends nothing.
//   AV2. Entries of an advance are kept together or not at all. The steps of an advance whose entries
//        were lost run again; those of kept entries never do.
//   AV3. An abort is of this attempt, not of the run: no failure is kept that may come of it.

import type { Bus } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import { fault, isFault } from "#core/bus/outcome.js";
import { thrownText } from "#core/bus/reporter.js";
import { isRuntimeFault, isWaiting, type RuntimeFault, runtimeFault } from "#core/bus/runtime-fault.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { isKeptRunId, type RunEntry, type RunStore } from "#core/ports/run-store.js";
import type { KeptSignal } from "#core/ports/run-waits.js";
import { missingKeys, requireNoneMissing } from "../check/definite-assignment.js";
import { startedBy } from "../check/waiting-places.js";
import { Program } from "../compile/program.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { encode, NotDurable } from "../kept/durable-value.js";
import { isWait } from "../kept/waiting-run.js";
import { RunControl } from "../run/run-control.js";
import { fill } from "./in-process.js";
import { resumeIn } from "./resume.js";

/** One entry of a log: JSON, to be kept and given back as it is. Its other fields are the framework's. */
export interface LogEntry {
  readonly kind: RunEntry["kind"];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The node of the Schematic at which the run goes on. */
  readonly node?: string;
}

/** What ended the wait of a run. */
export type AdvanceWoken =
  | { readonly by: "time" }
  | {
      readonly by: "signal";
      readonly name: string;
      readonly payload: unknown;
      /** For the log. Default: the name. */
      readonly id?: string;
      readonly actor?: string;
    };

interface Given<In> {
  /** 1 to 200 characters, the same in each call: steps read it under `RunId`. */
  readonly runId: string;
  /** Of the run. Read with an empty log only. */
  readonly input?: In;
  /** Ends this attempt, not the run: its entries are not kept if it may have failed by that. */
  readonly signal?: AbortSignal | undefined;
  /** Fails a run that has not failed or ended, with RUN_CANCELLED. Give it in each call from then on, or once. */
  readonly cancel?: { readonly reason: string } | undefined;
  /** What ended the wait of a run whose last call answered `waits`. Ignored if the run does not wait for it. */
  readonly woken?: AdvanceWoken | undefined;
}

/** `bus` has the values that a run needs from outside, as for `execute`: in each call. */
export type AdvanceOptions<In, Needs extends AnyKey = never> = Given<In> &
  (true extends ([Needs] extends [never] ? true : false) | (0 extends 1 & Needs ? true : false)
    ? { readonly bus?: Bus<Needs> | undefined }
    : { readonly bus: Bus<Needs> });

interface AnyOptions extends Given<unknown> {
  readonly bus?: Bus | undefined;
}

/** Until when a run waits, and for what. */
export interface AdvanceWaits {
  /** Names of signals, any of which ends the wait. Absent for a run that sleeps. */
  readonly signals?: readonly string[];
  /** Milliseconds since 1970. */
  readonly due?: number;
  /** Milliseconds from the time at which the host has kept the entries. */
  readonly inMs?: number;
}

export interface Advanced<Outcome> {
  /** To be kept behind the log, all or none. Only after that the host calls again. */
  readonly entries: readonly LogEntry[];
  /** Present if the run has ended: a value, or a fault of a step or the runtime. */
  readonly over?: { readonly outcome: Outcome };
  /** Present if the run waits: it is advanced again with `woken`, or with `cancel`. */
  readonly waits?: AdvanceWaits;
  /**
   * Present if the run cannot go on here, and has not failed: its log is damaged or of another version
   * (CHECKPOINT_FAILED, RUN_INCOMPATIBLE), or the attempt was aborted (RUN_ABORTED). `entries` is empty.
   */
  readonly stuck?: { readonly code: RuntimeFault["code"]; readonly reason: string };
}

const OPTIONS = ["runId", "input", "bus", "signal", "cancel", "woken"];

/** As Axon.advance says. */
export async function advanceRun(
  axon: AxonDefinition,
  log: readonly LogEntry[],
  options: AnyOptions,
): Promise<Advanced<unknown>> {
  const call = `advance of Axon '${axon.name}'`;
  requireKnownOptions(call, options, OPTIONS);
  const { runId, bus, signal } = options;
  if (!isKeptRunId(runId)) throw invalidOption(call, "give 'runId' as a text of 1 to 200 characters");
  const program = programOf(axon);
  const store = new LogOfHost(lastLog(log as readonly RunEntry[]), options, call);
  if (log.length > 0) {
    const apart = { store, programOf };
    const wakes = store.isWoken || undefined;
    return store.answer(await resumeIn(program, runId, { watched: axon, bus, signal, wakes, apart }));
  }
  if (options.cancel === undefined) return store.answer(await begin(program, store, options));
  const { reason } = options.cancel;
  return { entries: [], over: { outcome: fault(runtimeFault({ code: "RUN_CANCELLED", runId, reason })) } };
}

function begin(program: Program, store: RunStore, options: AnyOptions): unknown {
  const { runId, input, bus, signal } = options;
  const given = bus?.entries.map(([key]) => key) ?? [];
  requireNoneMissing(missingKeys(program.name, program.code, given));
  const state = program.acquire();
  if (bus !== undefined) fill(state, bus);
  state.control = new RunControl();
  if (signal !== undefined) state.control.follow(signal);
  const duties = state.due();
  duties.runId = runId;
  duties.store = store;
  return program.runAbortable(input, state);
}

/** A run that continued itself has its log from there on. */
const lastLog = (log: readonly RunEntry[]): readonly RunEntry[] =>
  log.slice(
    Math.max(
      0,
      log.findLastIndex(({ kind }) => kind === "begun"),
    ),
  );

/** AV1: the log that a host keeps, during one advance. */
class LogOfHost implements RunStore {
  readonly #log: readonly RunEntry[];
  readonly #options: AnyOptions;
  readonly #woken: KeptSignal | undefined;
  readonly #entries: RunEntry[] = [];
  /** True if the run was stopped behind its entries. */
  #isStopped = false;
  #isAborted = false;
  readonly isWoken: boolean;

  constructor(log: readonly RunEntry[], options: AnyOptions, call: string) {
    this.#log = log;
    this.#options = options;
    const { woken, cancel } = options;
    const last = log.at(-1);
    const signals = last?.kind === "waiting" ? last.signals : undefined;
    if (woken?.by === "signal" && signals?.includes(woken.name) === true)
      this.#woken = signalOf(woken, log, call);
    const isNewLog = last?.kind === "begun" && isWait(last);
    this.isWoken = cancel === undefined && (isNewLog || woken?.by === "time" || this.#woken !== undefined);
  }

  readonly waits: NonNullable<RunStore["waits"]> = {
    ...{ due: () => [], wake: () => false, untold: () => [], told: () => {} },
    signal: () => ({ kind: "unknown" }),
    signals: () => (this.#woken === undefined ? [] : [this.#woken]),
  };

  /** The request to cancel is where others have it: in the row of the run. */
  ownership() {
    const { cancel } = this.#options;
    return cancel && { state: "running" as const, isAlive: false, cancel: { ...cancel, at: Date.now() } };
  }

  read(): readonly RunEntry[] {
    return this.#log;
  }

  append(_id: string, _known: number, entries: readonly RunEntry[]): boolean {
    const last = entries.at(-1) as RunEntry;
    const hasFailed = last.kind === "failed" || (last.kind === "ended" && "error" in last);
    if (hasFailed && this.#options.signal?.aborted === true) {
      this.#isAborted = true;
      return false;
    }
    this.#entries.push(...entries);
    this.#isStopped = last.kind === "checkpoint" || last.kind === "failed" || last.kind === "undone";
    return !this.#isStopped;
  }

  answer(outcome: unknown): Advanced<unknown> {
    const { signal } = this.#options;
    const entries = this.#entries;
    if (this.#isAborted) {
      const reason: unknown = signal?.reason;
      return stuckBy(runtimeFault({ code: "RUN_ABORTED", reason }));
    }
    if (this.#isStopped) return { entries };
    if (isWaiting(outcome)) return { entries, ...this.#waits(entries.at(-1) ?? this.#log.at(-1)) };
    const hasEnded = (entries.at(-1) ?? this.#log.at(-1))?.kind === "ended";
    const hasNoLog = this.#log.length === 0 && entries.length === 0;
    if (hasEnded || hasNoLog || !isFault(outcome)) return { entries, over: { outcome } };
    return stuckBy(outcome.error);
  }

  #waits(last: RunEntry | undefined): Pick<Advanced<unknown>, "waits"> {
    if (last?.kind !== "waiting") return {};
    const { signals, due, inMs } = last;
    return {
      waits: {
        ...(signals && { signals }),
        ...(due !== undefined && { due }),
        ...(inMs !== undefined && { inMs }),
      },
    };
  }

  unfinished(): [] {
    return [];
  }
  remove(): boolean {
    return false;
  }
  forget(): number {
    return 0;
  }
  beat(): void {}
  leave(): void {}
}

function stuckBy(error: unknown): Advanced<unknown> {
  const { code, ...about } = isRuntimeFault(error) ? error : ({ code: "CHECKPOINT_FAILED" } as const);
  const why: unknown = "reason" in about ? about.reason : "cause" in about ? about.cause : error;
  return { entries: [], stuck: { code, reason: typeof why === "string" ? why : thrownText(why) } };
}

function signalOf(
  { name, payload, id = name, actor }: Extract<AdvanceWoken, { readonly by: "signal" }>,
  log: readonly RunEntry[],
  call: string,
): KeptSignal {
  const taken = log.filter((entry) => entry.kind === "resumed" && entry.woken?.by === "signal").length;
  try {
    const json = encode(payload, "payload");
    return { name, payload: json, id, number: taken + 1, at: Date.now(), ...(actor && { actor }) };
  } catch (error) {
    if (!(error instanceof NotDurable)) throw error;
    throw invalidOption(call, `the payload of signal '${name}' is to be data, and has ${error.message}`);
  }
}

const programs = new WeakMap<AxonDefinition, Program>();

function programOf(axon: AxonDefinition): Program {
  const known = programs.get(axon);
  if (known !== undefined) return known;
  const program = new Program(withoutStore(axon), { isTold: true });
  programs.set(axon, program);
  return program;
}

/** Throws CONFIG_INVALID for an Axon that cannot be advanced. */
function withoutStore(axon: AxonDefinition): AxonDefinition {
  const refuse = (why: string): never => {
    throw invalidOption(`advance of Axon '${axon.name}'`, why);
  };
  const { persistence, mode } = axon;
  if (persistence === undefined)
    return refuse("it keeps no runs: give it a store by withPersistenceStore(Stores.mounted)");
  if (mode.kind !== "local")
    return refuse(
      `a run would hold its lock '${mode.lockKey}' for one entry alone: leave withExecutionMode out, and let the host of the log run one at a time`,
    );
  const [started] = startedBy(axon);
  if (started !== undefined)
    return refuse(
      `a step begins a run of '${started}' by startRun, which a host of logs cannot do yet: serve both Axons by an ingress, or make '${started}' a subgraph`,
    );
  const checkpoint = persistence.checkpoint === "async" ? "sync" : persistence.checkpoint;
  return { ...axon, persistence: { ...persistence, checkpoint, store: NO_RUNS } };
}

/** Stands where a program has a store. Each advance has its own. */
const NO_RUNS: RunStore = {
  waits: new LogOfHost([], { runId: "none" }, "").waits,
  append: () => false,
  read: () => [],
  unfinished: () => [],
  remove: () => false,
  forget: () => 0,
  beat: () => {},
  leave: () => {},
};
