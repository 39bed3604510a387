// The port of logs of runs: what a run has done, so that another process can go on with it.
// The log only grows. Whoever appends says how many entries it knows, and is refused where there
// are others: of two that go on with one run, one does. What an append has answered true for is
// there after a crash. Entries are JSON.

import { namedKey } from "./bus-key.js";
import type { MaybePromise } from "./outcome-types.js";
import type { TraceMark } from "./trace-mark.js";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Where a run is: it is about to run a node. */
export interface RunPosition {
  readonly node: string;
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

/** Where a run stands for others: in a trace that is kept, and for who watched it, the Inspector. */
interface SeenAs {
  readonly trace?: TraceMark;
  /** Another id than the log's. */
  readonly watched_as?: string;
}

/** One entry of a log. `at` is in milliseconds since 1970; `version` is the Schematic's. */
export type RunEntry = { readonly at: number } & (
  | ({ readonly kind: "begun"; readonly axon: string; readonly version: string } & SeenAs & RunPosition)
  /** `completed` since the entry before. */
  | ({ readonly kind: "checkpoint"; readonly completed: readonly CompletedStep[] } & RunPosition)
  /** Somebody goes on with it, there. */
  | ({ readonly kind: "resumed"; readonly version: string } & SeenAs & RunPosition)
  /** It has failed, and what it completed is undone from here on. */
  | {
      readonly kind: "failed";
      readonly error: Json;
      readonly completed: readonly CompletedStep[];
      /** The step that failed and what it got, where its dead letter is still to be sent. */
      readonly step?: { readonly node: string; readonly input: Json };
    }
  /** One more is undone; so many completed steps are left. */
  | { readonly kind: "undone"; readonly left: number }
  /** It is over. `output` is absent where it could not be kept. */
  | { readonly kind: "ended"; readonly output?: Json }
  | { readonly kind: "ended"; readonly error: Json }
);

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
  /** Appends all of the entries behind the `known` that are there, or none. Whether it did. */
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
