// The port of logs of runs: what a run has done, so that another process can go on with it.
//
//   RN1. The log of a run only grows. Whoever appends says how many entries it knows, and
//        is refused where there are others: of two that go on with one run, one does.
//   RN2. What an append has answered true for is there after a crash.
//   RN3. Entries are JSON: a store may keep them as text.

import { namedKey } from "./bus-key.js";
import type { MaybePromise } from "./outcome-types.js";
import type { TraceMark } from "./trace-mark.js";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Where a run is: it is about to run a node. */
export interface RunPosition {
  /** The node's id in the Schematic. */
  readonly node: string;
  /** What its step gets. */
  readonly input: Json;
  /** What steps wrote on the Bus and later ones may read, by the names of the keys. */
  readonly bus: { readonly [key: string]: Json };
  readonly jumps: number;
}

/** A step that was completed, and can be undone. */
export interface CompletedStep {
  readonly node: string;
  readonly input: Json;
  readonly output: Json;
  /** What undoes it finds this on its Bus: of a step that ran beside others, whose Bus was a copy. */
  readonly bus?: { readonly [key: string]: Json };
}

/** One entry of a log. `at` is in milliseconds since 1970. */
export type RunEntry =
  | ({
      readonly kind: "begun";
      readonly at: number;
      readonly axon: string;
      /** The Schematic's. */
      readonly version: string;
      /** Where it stands in a trace, where that is kept. */
      readonly trace?: TraceMark;
      /** Its id for who watched it, the Inspector, where somebody did: another than the log's. */
      readonly watched_as?: string;
    } & RunPosition)
  | ({
      readonly kind: "checkpoint";
      readonly at: number;
      /** Since the entry before. */
      readonly completed: readonly CompletedStep[];
    } & RunPosition)
  /** Somebody goes on with it, there. */
  | ({
      readonly kind: "resumed";
      readonly at: number;
      readonly version: string;
      /** As above. */
      readonly trace?: TraceMark;
      readonly watched_as?: string;
    } & RunPosition)
  /** It has failed, and what it completed is undone from here on. */
  | {
      readonly kind: "failed";
      readonly at: number;
      readonly error: Json;
      readonly completed: readonly CompletedStep[];
      /** The step that failed and what it got, where its dead letter is still to be sent. */
      readonly step?: { readonly node: string; readonly input: Json };
    }
  /** One more is undone; so many completed steps are left. */
  | { readonly kind: "undone"; readonly at: number; readonly left: number }
  /** It is over. `output` is absent where it could not be kept. */
  | { readonly kind: "ended"; readonly at: number; readonly output?: Json }
  | { readonly kind: "ended"; readonly at: number; readonly error: Json };

/**
 * A run whose last entry is none of kind "ended": somebody is at it, or was stopped. One that
 * has ended may fail after that, where a layer around it does, and is unfinished again.
 */
export interface UnfinishedRun {
  readonly id: string;
  readonly axon: string;
  readonly began_at: number;
  /** When its last entry was made. */
  readonly at: number;
  /** That of the newest entry which has one. */
  readonly trace?: TraceMark;
}

export interface RunFilter {
  readonly axon?: string;
  /** At most so many, those that began first first. Default 100. */
  readonly limit?: number;
}

/** Where the logs of runs are kept. A call that fails throws or rejects. */
export interface RunStore {
  /** What it keeps in the memory of its process, where it does: no other goes on with these runs. */
  readonly perProcess?: string;
  /** Appends all of the entries behind the `known` that are there, or none. Whether it did (RN1). */
  readonly append: (id: string, known: number, entries: readonly RunEntry[]) => MaybePromise<boolean>;
  /** The log, the first entry first; empty where there is no such run. */
  readonly read: (id: string) => MaybePromise<readonly RunEntry[]>;
  readonly unfinished: (filter?: RunFilter) => MaybePromise<readonly UnfinishedRun[]>;
  /** Forgets a run. Whether there was one. */
  readonly remove: (id: string) => MaybePromise<boolean>;
}

/**
 * The id of a run that is kept: given on its Bus, else made. A step that asks others to do
 * something once names it by this: where a run goes on after a stop it is the same.
 */
export const RunId = namedKey<string, "RunId">("RunId");
