// The port of logs of runs.

import { namedKey } from "../bus/bus-key.js";
import type { MaybePromise } from "../bus/outcome-types.js";
import type { TraceMark } from "../timeline/trace-mark.js";
import type { Json } from "../wire/json-text.js";

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

/** Of an entry by which a host begins a run or takes it. */
interface Claim {
  /**
   * Each of a host has another number: two claims would else be equal entries where they are made
   * in one millisecond, and a store would take the second for the first one, asked again.
   */
  readonly claim?: number;
}

/** How often a run was resumed without a new checkpoint since. */
interface Resumption {
  /** This one included: from 1. Absent in a resume by hand, which starts the count anew. */
  readonly resumptions?: number;
  /** If its host dies, no other takes the run before this time. Milliseconds since 1970. */
  readonly retry_at?: number;
}

/** One entry of a log. `at` is in milliseconds since 1970; `version` is the Schematic's. */
export type RunEntry = { readonly at: number } & (
  | ({
      readonly kind: "begun";
      readonly axon: string;
      readonly version: string;
      /** Identifies the person the run is about: 43 characters of base64url, for erasure. */
      readonly subject?: string;
    } & Claim &
      SeenAs &
      RunPosition)
  /** `completed` since the entry before. */
  | ({ readonly kind: "checkpoint"; readonly completed: readonly CompletedStep[] } & RunPosition)
  /** A process resumes it at this position: the append is its claim. */
  | ({ readonly kind: "resumed"; readonly version: string } & Claim & Resumption & SeenAs & RunPosition)
  /**
   * No host takes it any more: it was resumed too often without a new checkpoint. By hand it can
   * be: only "resumed" follows.
   */
  | { readonly kind: "stuck" }
  /**
   * It has failed, and what it completed is undone from here on. Where a run is cancelled it
   * follows "resumed" in one append.
   */
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
 * A run whose last entry is not "ended": it is running, or was stopped. One that has ended may
 * fail after that, in a layer around it, and is unfinished again.
 */
export interface UnfinishedRun {
  readonly id: string;
  readonly axon: string;
  /** Of the newest entry "begun" or "resumed". */
  readonly version: string;
  readonly began_at: number;
  /** When its last entry was made. */
  readonly at: number;
  /** Number of entries in its log. */
  readonly entries: number;
  /** Of the newest entry that has one. */
  readonly trace?: TraceMark;
  /** The host of its newest append, if that named one. */
  readonly host?: string;
  /** Present if its last entry is "stuck". */
  readonly stuck?: true;
}

export interface RunFilter {
  readonly axon?: string;
  /** Only runs of these Axons in these versions: what the asking process can resume. */
  readonly axons?: readonly { readonly name: string; readonly versions: readonly string[] }[];
  /** Only runs that this host owns. */
  readonly of?: string;
  /** Only abandoned runs that a host may take now: not stuck ones, none before its `retry_at`. */
  readonly abandoned?: true;
  /** Maximum number of runs, those that began first first. Default 100. */
  readonly limit?: number;
}

/**
 * Where the logs of runs are kept: what a run has done, so that another process can resume it.
 * What an implementation must keep to:
 *
 * - A log only grows. An append names how many entries it knows, and is refused if the log has
 *   others: of two processes that resume one run, one does.
 * - After an append has returned true, its entries survive a crash. Entries are JSON.
 * - The host of the newest append owns the run. By beats it proves, by the clock of the store, that
 *   it is alive. A run is abandoned if its owner left or let its lease expire. A run without an owner
 *   is never abandoned: nothing says whether a process works on it.
 * - A call that fails throws or rejects.
 */
export interface RunStore {
  /** Set by stores in the memory of one process: what they keep there, as no other process can resume it. */
  readonly perProcess?: string;
  /**
   * Appends all entries behind the `known` existing ones and makes `by` the owner, or does
   * neither. Returns whether it did; also true if these entries are the last of the log
   * already and `by` owns it: the first answer was lost. Without `by` the run has no owner.
   */
  readonly append: (
    id: string,
    known: number,
    entries: readonly RunEntry[],
    by?: string,
  ) => MaybePromise<boolean>;
  /** The log, the first entry first; empty for an unknown run. */
  readonly read: (id: string) => MaybePromise<readonly RunEntry[]>;
  readonly unfinished: (filter?: RunFilter) => MaybePromise<readonly UnfinishedRun[]>;
  /** Deletes a run. Returns whether it existed. */
  readonly remove: (id: string) => MaybePromise<boolean>;
  /** Deletes at most `limit` runs that ended before this time. Returns how many. */
  readonly forget: (before: number, limit: number) => MaybePromise<number>;
  /** Extends the lease of a host to `ttlMs` milliseconds from now, by the clock of the store. */
  readonly beat: (host: string, ttlMs: number) => MaybePromise<void>;
  /** Ends the lease of a host: its unfinished runs are abandoned at once. */
  readonly leave: (host: string) => MaybePromise<void>;
}

/** Maximum length of a run's id, in UTF-16 units. */
const MAX_RUN_ID = 200;

/**
 * Whether a value can be the id of a run: well-formed text of 1 to 200 characters without NUL.
 * PostgreSQL holds no NUL, and stores every lone surrogate as the same character: two ids as one.
 */
export const isKeptRunId = (id: unknown): id is string =>
  typeof id === "string" && id !== "" && id.length <= MAX_RUN_ID && !/\0|\p{Surrogate}/u.test(id);

/**
 * The id of a run that is kept: given on its Bus, else made. A step that asks others to do
 * something once names it by this: where a run goes on after a stop it is the same.
 */
export const RunId = namedKey<string, "RunId">("RunId");

/**
 * 1 in the process that began the run, one more with each resumption. An effect that carries it
 * can be fenced: a system that refuses lesser epochs of one {@link RunId} ignores a halted
 * process that does not know yet that another one has resumed its run.
 */
export const RunEpoch = namedKey<number, "RunEpoch">("RunEpoch");
