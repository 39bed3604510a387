// The port of runs that wait: no process has them, and no timer. Part of RunStore.

import type { MaybePromise } from "../bus/outcome-types.js";
import type { Json } from "../wire/json-text.js";

/** Until when a run waits, and for what. Neither: it is due now. */
export interface RunWait {
  /** Names of signals, any of which ends the wait; absent for a run that sleeps. */
  readonly signals?: readonly string[];
  /** When it is due, in milliseconds since 1970, by the clock of the store; absent: only a signal ends the wait. */
  readonly due?: number;
}

/** What ended a wait: the time, or a signal that the entry has taken. */
export type Woken =
  | { readonly by: "time" }
  | {
      readonly by: "signal";
      readonly name: string;
      /** Its number among the signals of the run: no other entry takes it. */
      readonly number: number;
      readonly payload: Json;
      readonly id: string;
      readonly actor?: string;
    };

/** A signal as a sender gives it. */
export interface NewSignal {
  /** `run:ID` if the end of a run sends it; else the name of a signal kind. */
  readonly name: string;
  readonly payload: Json;
  /** Given by the sender: a run keeps one signal of an id. */
  readonly id: string;
  /** For the log and the page. */
  readonly actor?: string;
}

export interface KeptSignal extends NewSignal {
  /** From 1, in the order in which they came. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export type SignalAnswer =
  /** `isAwaited`: the run waits for it, and is due. */
  | { readonly kind: "kept"; readonly isAwaited: boolean }
  /** A signal of this id is kept, with this name and payload or with others. */
  | { readonly kind: "known"; readonly isSame: boolean }
  | { readonly kind: "unknown" | "ended" }
  /** It keeps MAX_SIGNALS that were not taken. */
  | { readonly kind: "full" };

/** Signals of one run that were not taken yet. Those of ended runs do not count. */
export const MAX_SIGNALS = 100;
/** Characters of a payload's JSON. Those of ended runs may be longer. */
export const MAX_SIGNAL_CHARS = 65_536;

interface DueFilter {
  /** Only runs of these Axons in these versions. */
  readonly axons: readonly { readonly name: string; readonly versions: readonly string[] }[];
  /** None that this release has marked as unfit. */
  readonly release: string;
  /** Also those that will be due in this time. */
  readonly withinMs: number;
  readonly limit: number;
}

export interface DueRun {
  readonly id: string;
  readonly axon: string;
  /** Number of entries in its log. */
  readonly entries: number;
  /** Milliseconds until it is due, by the clock of the store; at most 0 for one that is. */
  readonly dueInMs: number;
}

/**
 * A store of runs that can wait. The implementer must guarantee:
 *
 * - An append that ends with "waiting", or with a "begun" that continues another log, leaves the run
 *   without an owner. Each other append ends the wait.
 * - A waiting run is due at its time, and as soon as a signal that it waits for is kept: whichever
 *   of the append and the signal comes first, it is due.
 * - A request to cancel makes a waiting run due.
 */
export interface RunWaits {
  /** The earliest first. */
  readonly due: (filter: DueFilter) => MaybePromise<readonly DueRun[]>;
  /** Keeps a signal for a run that has not ended, in one step with its being due. */
  readonly signal: (run: string, signal: NewSignal) => MaybePromise<SignalAnswer>;
  /** The kept signals of these names that no entry "resumed" has taken, oldest first. */
  readonly signals: (run: string, names: readonly string[]) => MaybePromise<readonly KeptSignal[]>;
  /** Makes a waiting run due whose log has `known` entries. Returns whether it did. */
  readonly wake: (run: string, known: number) => MaybePromise<boolean>;
  /** Ended runs that begun with `tells` and are not marked by `told`. At most `limit`. */
  readonly untold: (
    limit: number,
  ) => MaybePromise<readonly { readonly id: string; readonly tells: string }[]>;
  /** The run that it tells has its end as a signal. */
  readonly told: (run: string) => MaybePromise<void>;
  /**
   * Calls `heard` when another process may have made a run due, or asked a host for something.
   * Hints only: some may be missing. Absent for stores without such hints.
   */
  readonly listen?: (heard: () => void) => { readonly end: () => MaybePromise<void> };
}

const END = "run:";

/** The name under which the end of a run is sent to the run that waits for it. */
export const endSignal = (run: string): string => `${END}${run}`;

/** The run whose end a signal of this name is; undefined for another signal. */
export const endedRun = (name: string): string | undefined =>
  name.startsWith(END) ? name.slice(END.length) : undefined;
