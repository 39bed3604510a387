// The log of a run that its host keeps, as the run has it during one advance.

import { type Fault, fault, isFault } from "#core/bus/outcome.js";
import { thrownText } from "#core/bus/reporter.js";
import { isRuntimeFault, isWaiting, type RuntimeFault, runtimeFault } from "#core/bus/runtime-fault.js";
import type { SchemaError } from "#core/bus/schema-error.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import { endedRun, endSignal, type KeptSignal, type RunWaits } from "#core/ports/run-waits.js";
import type { Json } from "#core/wire/json-text.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { encode, encodeError, NotDurable } from "../kept/durable-value.js";
import { atWork } from "../kept/run-at-work.js";
import { requireEntry } from "../kept/run-log.js";
import { isWait } from "../kept/waiting-run.js";
import type { Advanced, AdvanceStart, AdvanceWoken, AnyOptions } from "./advance-types.js";
import { payloadOf } from "./signal-payload.js";

/** AV1: the log that a host keeps, during one advance. */
export class LogOfHost implements RunStore {
  readonly #log: readonly RunEntry[];
  readonly #options: AnyOptions;
  #signal: KeptSignal | undefined;
  #refused: readonly SchemaError[] | undefined;
  readonly #starts: AdvanceStart[] = [];
  readonly #cancels: string[] = [];
  readonly #entries: RunEntry[] = [];
  /** True if the run was stopped behind its entries. */
  #isStopped = false;
  readonly isWoken: boolean;

  constructor(axon: AxonDefinition, log: readonly RunEntry[], options: AnyOptions) {
    this.#log = log;
    this.#options = options;
    const { woken, cancel } = options;
    const last = log.at(-1);
    const signals = last?.kind === "waiting" ? (last.signals ?? []) : [];
    if (woken !== undefined && woken.by !== "time" && signals.includes(nameOf(woken)))
      this.#take(axon, woken);
    const isNewLog = last?.kind === "begun" && isWait(last);
    this.isWoken = cancel === undefined && (isNewLog || woken?.by === "time" || this.#signal !== undefined);
  }

  /** A payload is checked as where others send signals. */
  #take(axon: AxonDefinition, woken: Exclude<AdvanceWoken, { readonly by: "time" }>): void {
    const name = nameOf(woken);
    const taken = this.#log.filter((entry) => entry.kind === "resumed" && entry.woken?.by === "signal");
    const signal = { name, number: taken.length + 1, at: Date.now() };
    if (woken.by === "run") {
      const end = woken.end ?? unbegun(woken.runId);
      this.#signal = { ...signal, payload: requireEntry("ended", end) as unknown as Json, id: name };
      return;
    }
    const { payload, id = name, actor } = woken;
    const read = payloadOf(axon, name, payload);
    if ("errors" in read) this.#refused = read.errors;
    else this.#signal = { ...signal, payload: read.json, id, ...(actor !== undefined && { actor }) };
  }

  readonly waits: RunWaits = {
    ...NO_WAITS,
    signals: () => (this.#signal === undefined ? [] : [this.#signal]),
  };

  readonly begins = (axon: string, input: unknown, runId: string): Fault<unknown> | undefined => {
    try {
      this.#starts.push({ axon, runId, input: encode(input, "input"), tells: this.#options.runId });
      return undefined;
    } catch (error) {
      if (!(error instanceof NotDurable)) throw error;
      const { path: value, message: reason } = error;
      return fault(runtimeFault({ code: "VALUE_NOT_DURABLE", axon, value, reason }));
    }
  };

  requestCancel(run: string): undefined {
    this.#cancels.push(run);
  }

  /** The request to cancel is where others have it: in the row of the run. */
  ownership() {
    const { cancel } = this.#options;
    return cancel && { state: "running" as const, isAlive: false, cancel: { ...cancel, at: Date.now() } };
  }

  read(): readonly RunEntry[] {
    return this.#log;
  }

  append(_id: string, _known: number, entries: readonly RunEntry[]): boolean {
    if (this.#options.signal?.aborted === true) return false;
    const last = entries.at(-1) as RunEntry;
    this.#entries.push(...entries);
    this.#isStopped = last.kind === "checkpoint" || last.kind === "failed" || last.kind === "undone";
    return !this.#isStopped;
  }

  /** AV3: the run gives its log up, and the step at work hears of it. Before the run has a log, `append` refuses it. */
  abort(): void {
    const { runId } = this.#options;
    atWork(this, runId)?.yieldTo(fault(this.#abortion), "The attempt was aborted");
  }

  get #abortion(): RuntimeFault {
    return runtimeFault({ code: "RUN_ABORTED", reason: this.#options.signal?.reason });
  }

  answer(outcome: unknown): Advanced<unknown> {
    const entries = this.#entries;
    const made = {
      entries,
      ...(this.#starts.length > 0 && { starts: this.#starts }),
      ...(this.#cancels.length > 0 && { cancels: this.#cancels }),
    };
    if (this.#isStopped) return made;
    const newest = entries.at(-1);
    const isOver = newest !== undefined && (newest.kind === "ended" || isWait(newest));
    if (!isOver && this.#options.signal?.aborted === true) return stuckBy(this.#abortion);
    const last = newest ?? this.#log.at(-1);
    if (isWaiting(outcome))
      return { ...made, ...waitsAt(last), ...(this.#refused && { refused: this.#refused }) };
    const hasNoLog = this.#log.length === 0 && entries.length === 0;
    if (last?.kind === "ended" || hasNoLog || !isFault(outcome)) return { ...made, over: { outcome } };
    return stuckBy(outcome.error);
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

function waitsAt(last: RunEntry | undefined): Pick<Advanced<unknown>, "waits"> {
  if (last?.kind !== "waiting") return {};
  const { signals = [], due, inMs } = last;
  const run = signals.map(endedRun).find((id) => id !== undefined);
  const named = run === undefined ? last.signals && { signals } : { run };
  return { waits: { ...named, ...(due !== undefined && { due }), ...(inMs !== undefined && { inMs }) } };
}

const nameOf = (woken: Exclude<AdvanceWoken, { readonly by: "time" }>): string =>
  woken.by === "run" ? endSignal(woken.runId) : woken.name;

/** The end of a run that no log has: its input did not fit. */
const unbegun = (runId: string): RunEntry => ({
  ...{ kind: "ended", at: Date.now() },
  error: encodeError(runtimeFault({ code: "RUN_UNKNOWN", runId })),
});

/** Where no signal is kept. */
export const NO_WAITS: RunWaits = {
  ...{ due: () => [], wake: () => false, untold: () => [], told: () => {}, signals: () => [] },
  signal: () => ({ kind: "unknown" }),
};
