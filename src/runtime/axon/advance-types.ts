// What a host that keeps logs gives to an advance, and what it is answered.

import type { Bus } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import type { SchemaError } from "#core/bus/schema-error.js";
import type { RunEntry } from "#core/ports/run-store.js";
import type { Json } from "#core/wire/json-text.js";

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
    }
  /** The run that `startRun` began is over. `end` is the last entry of its log; undefined if it had none. */
  | { readonly by: "run"; readonly runId: string; readonly end: LogEntry | undefined };

/** A run that a step begins: JSON. */
export interface AdvanceStart {
  /** The name of its Axon. */
  readonly axon: string;
  /** The same each time the step runs. */
  readonly runId: string;
  readonly input: Json;
  /** The run that waits for its end, perhaps. */
  readonly tells: string;
}

interface Given<In> {
  /** 1 to 200 characters, the same in each call: steps read it under `RunId`. */
  readonly runId: string;
  /** Of the run. Read with an empty log only. */
  readonly input?: In;
  /** In the place of `input`, for a run that another one has begun: one of its `starts`. */
  readonly start?: AdvanceStart | undefined;
  /**
   * Its abort ends this attempt, not the run: the `bus.signal` of the step at work fires, and once the
   * step has settled the answer is `stuck` with RUN_ABORTED. Nothing of the attempt is kept or undone.
   */
  readonly signal?: AbortSignal | undefined;
  /** Fails a run that has not failed or ended, with RUN_CANCELLED. Give it in each call from then on, or once. */
  readonly cancel?: { readonly reason: string } | undefined;
  /** What ended the wait of a run whose last call answered `waits`: in one call, or again if its entries are lost. Ignored if the run does not wait for it. */
  readonly woken?: AdvanceWoken | undefined;
}

/** `bus` has the values that a run needs from outside, as for `execute`: in each call. */
export type AdvanceOptions<In, Needs extends AnyKey = never> = Given<In> &
  (true extends ([Needs] extends [never] ? true : false) | (0 extends 1 & Needs ? true : false)
    ? { readonly bus?: Bus<Needs> | undefined }
    : { readonly bus: Bus<Needs> });

export interface AnyOptions extends Given<unknown> {
  readonly bus?: Bus | undefined;
}

/** Until when a run waits, and for what. */
export interface AdvanceWaits {
  /** Names of signals, any of which ends the wait. Absent for a run that sleeps. */
  readonly signals?: readonly string[];
  /** The run, begun by `startRun`, whose end ends the wait. */
  readonly run?: string;
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
  /** Runs to begin once the entries are kept: each by an advance with `start`, at least once. */
  readonly starts?: readonly AdvanceStart[];
  /** Runs to cancel once the entries are kept: the cancelled run has awaited them. */
  readonly cancels?: readonly string[];
  /** Present if the payload in `woken` does not fit the schema of its signal: the run waits on. */
  readonly refused?: readonly SchemaError[];
  /**
   * Present if the run cannot go on here, and has not failed: its log is damaged or of another version
   * (CHECKPOINT_FAILED, RUN_INCOMPATIBLE), or the attempt was aborted (RUN_ABORTED). `entries` is empty.
   */
  readonly stuck?: { readonly code: RuntimeFault["code"]; readonly reason: string };
}
