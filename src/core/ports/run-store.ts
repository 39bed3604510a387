// The port of logs of runs.

import { namedKey } from "../bus/bus-key.js";
import type { LabelFilter, RunLabels } from "../bus/label.js";
import type { MaybePromise } from "../bus/outcome-types.js";
import type { TraceMark } from "../timeline/trace-mark.js";
import type { Json } from "../wire/json-text.js";
import type { ListedRun, RunChoice, RunListFilter } from "./run-list.js";
import type { UnfinishedState } from "./run-state.js";
import type { RunWait, RunWaits, Woken } from "./run-waits.js";
import type { RunCancelRequest, UnfinishedRun } from "./unfinished-run.js";

export type { RunCancelRequest, UnfinishedRun } from "./unfinished-run.js";

/** Position of a run: the node that is run next. */
export interface RunPosition {
  readonly node: string;
  readonly input: Json;
  /** Values on the Bus that later steps may read, by the names of the keys. */
  readonly bus: { readonly [key: string]: Json };
  readonly jumps: number;
}

/** A completed step that can be undone. */
export interface CompletedStep {
  readonly node: string;
  readonly input: Json;
  readonly output: Json;
  /** Bus of the compensation, for a step of a FanOut: the Bus of the step was a copy. */
  readonly bus?: { readonly [key: string]: Json };
}

/**
 * What a step that is declared as an effect came to, inside a step of the line: in parallel steps, in a
 * subgraph with policies. Replays give it back. An effect in the line has none of these: the next entry
 * of the log says what it came to.
 */
export interface KeptEffect {
  /** The id of its node. A node that ran more than once has several, in the order in which they settled. */
  readonly node: string;
  /** Absent if it could not be stored. */
  readonly outcome?: EffectOutcome;
  /** Values that it wrote on the Bus, by the names of the keys. */
  readonly bus?: { readonly [key: string]: Json };
}

type EffectOutcome =
  | { readonly kind: "next"; readonly value: Json }
  | { readonly kind: "fault"; readonly error: Json }
  | { readonly kind: "jump"; readonly label: string; readonly value: Json }
  | { readonly kind: "branch"; readonly id: string; readonly value: Json };

/** Ids of a run in other systems: in a kept trace, and in the Inspector. */
interface SeenAs {
  readonly trace?: TraceMark;
  /** The Inspector's id, if it differs from the log's. */
  readonly watched_as?: string;
}

/** Part of an entry by which a host begins or takes a run. */
interface Claim {
  /**
   * Unique for each claim of a host. Otherwise two claims of one millisecond would be equal, and
   * a store would take the second for a repetition of the first.
   */
  readonly claim?: number;
}

export interface RedrivenLetter {
  readonly id: string;
  readonly attempts: number;
}

/** Number of resumptions without a new checkpoint. */
interface Resumption {
  /** Includes this one: from 1. Absent in a manual resume, which resets the count. */
  readonly resumptions?: number;
  /** If its host dies, no other takes the run before this time. Milliseconds since 1970. */
  readonly retry_at?: number;
}

/** One entry of a log. `at` is in milliseconds since 1970; `version` is the Schematic's. */
export type RunEntry = {
  readonly at: number;
  /** All labels of the run, if they changed since the previous entry. */
  readonly labels?: RunLabels;
  /** Effects inside steps that have settled since the previous entry, for replays. */
  readonly effects?: readonly KeptEffect[];
} & (
  | ({
      readonly kind: "begun";
      readonly axon: string;
      readonly version: string;
      /** Identifies the person the run is about: 43 characters of base64url, for erasure. */
      readonly subject?: string;
      /** Of the request that began it under an idempotency key: short ASCII. Absent in logs of 0.30. */
      readonly fingerprint?: string;
      /** The dead letter that it re-drives, as it was: whichever process ends the run removes or updates it. */
      readonly letter?: RedrivenLetter;
      /** The run that is told of its end. */
      readonly tells?: string;
      /**
       * Present if the run goes on in a new log, which replaces the one before: the number of entries
       * of that. The number of known entries goes on, too.
       */
      readonly continues?: number;
      /** Number of its processes so far, if it continues a log. */
      readonly epoch?: number;
      /** Absent if each step has its checkpoint, "sync". */
      readonly checkpoint?: "async" | "none";
    } & Claim &
      SeenAs &
      RunPosition)
  /** `completed` since the previous entry. */
  | ({ readonly kind: "checkpoint"; readonly completed: readonly CompletedStep[] } & RunPosition)
  /** A checkpoint at which no process has the run any more. `inMs`: due so long after the append. */
  | ({
      readonly kind: "waiting";
      readonly completed: readonly CompletedStep[];
      readonly inMs?: number;
    } & RunWait &
      RunPosition)
  /** A process resumes it at this position: the append is its claim. */
  | ({
      readonly kind: "resumed";
      readonly version: string;
      /** Present if the run waited. */
      readonly woken?: Woken;
    } & Claim &
      Resumption &
      SeenAs &
      RunPosition)
  /**
   * Hosts no longer take the run: it was resumed too often without a new checkpoint. It can be
   * resumed manually: only "resumed" follows.
   */
  | { readonly kind: "stuck" }
  /**
   * The run has failed, and its completed steps are undone from here on. For a cancelled run this
   * entry follows "resumed" in one append.
   */
  | {
      readonly kind: "failed";
      readonly error: Json;
      /** The text of the error that a service threw, and the step that made `error` of it. */
      readonly cause?: { readonly step: string; readonly thrown: string };
      readonly completed: readonly CompletedStep[];
      /** The step that failed and its input, if its dead letter is still to be sent. */
      readonly step?: { readonly node: string; readonly input: Json };
      /** The actor of a cancellation that is not a request in the row of the run. */
      readonly actor?: string;
    }
  /** One more step is undone; `left` completed steps remain. */
  | { readonly kind: "undone"; readonly left: number }
  /** The run has ended. `output` is absent if it could not be kept. */
  | { readonly kind: "ended"; readonly output?: Json }
  | { readonly kind: "ended"; readonly error: Json }
);

/** The row of a run: who owns it, and what was requested. */
export interface RunOwnership {
  readonly state: "running" | "stuck" | "ended";
  /** The host of its newest append, if it named one. */
  readonly host?: string;
  /** True if the lease of that host lives, by the clock of the store. */
  readonly isAlive: boolean;
  readonly cancel?: RunCancelRequest;
  /** Present if it waits. */
  readonly wait?: RunWait;
}

/** Unfinished runs of one Axon and version in one state. */
export interface RunCount {
  readonly axon: string;
  readonly version: string;
  /** "unfit": the asking release could not resume them. */
  readonly state: UnfinishedState;
  readonly count: number;
  /** How many of them are abandoned: no living host owns them. */
  readonly abandoned: number;
  /** Present for runs of another service in the same tables, of which no host lives. */
  readonly service?: string;
}

/** What a host tells of itself with its beats. */
export interface HostFacts {
  readonly pid: number;
  readonly machine: string;
  /** Versions of its kept Axons, by their names. */
  readonly axons: { readonly [name: string]: string };
  /** Of the application, by its package.json. */
  readonly name?: string;
  readonly version?: string;
  /** When its process began, by its own clock. Milliseconds since 1970. Absent from earlier releases. */
  readonly began_at?: number;
}

/** A host that beats, or that did and owns unfinished runs. Times are by the clock of the store. */
export interface HostLease {
  readonly id: string;
  readonly isAlive: boolean;
  /** Since its last beat, or since it left. */
  readonly beatAgoMs: number;
  /** Until its lease ends; 0 for a host that is not alive. */
  readonly leftMs: number;
  /** Number of unfinished runs that it owns. */
  readonly runs: number;
  readonly facts?: HostFacts;
}

/** A lease that the store extends by itself while the event loop of its host is held up. */
export interface StandingLease {
  /** The event loop has extended the lease itself. */
  readonly sign: () => void;
  readonly end: () => MaybePromise<void>;
}

export interface StandingLeaseOptions {
  /** Time after the last sign for which the store extends the lease, in milliseconds. */
  readonly maxSilenceMs: number;
  /** Called if the store can no longer do so. */
  readonly failed: (error: unknown) => void;
}

/** The longest time by which `retry_at` of an entry may be after its `at`, in milliseconds. */
export const LONGEST_RETRY_MS = 300_000;

/** What a run has come to, without its log. */
export interface RunGlance {
  readonly axon: string;
  /** That of its last entry. */
  readonly state: "running" | "stuck" | "ended";
  /** Number of entries in its log. */
  readonly entries: number;
  /** See UnfinishedRun. Without it the status of a run does not say that no code fits its version. */
  readonly version?: string;
  readonly unfit?: string;
  /** Present if it waits. */
  readonly wait?: RunWait;
  /** The last entry of an ended run. */
  readonly end?: RunEntry;
  /** The first entry, if it was asked for. */
  readonly begun?: RunEntry;
}

export interface RunFilter {
  /** Only the run with this id. */
  readonly id?: string;
  readonly axon?: string;
  /** Only runs of these Axons in these versions: what the asking process can resume. */
  readonly axons?: readonly { readonly name: string; readonly versions: readonly string[] }[];
  /** Only runs that this host owns. */
  readonly of?: string;
  /** Only runs with a request to cancel. Passed to stores with `requestCancel` alone. */
  readonly cancelled?: true;
  /** Only runs with this label. Passed to stores with `findsLabels` alone. */
  readonly label?: LabelFilter;
  /** Only abandoned runs that a host may take now: not stuck ones, none before its `retry_at`. */
  readonly abandoned?: true;
  /** Only runs behind this `place`. */
  readonly after?: string;
  /** None that this release has marked as unfit. */
  readonly release?: string;
  /** Maximum number of runs, oldest first. Default 100. */
  readonly limit?: number;
}

/** The answer to an append that was made. */
export interface Appended {
  readonly cancel?: RunCancelRequest;
  readonly isDue?: true;
}

/**
 * Keeps the logs of runs, so that another process can resume a run. The implementer must
 * guarantee:
 *
 * - A log only grows. An append states how many entries it knows, and is refused if the log has
 *   more: of two processes that resume one run, one succeeds.
 * - After an append has returned true, its entries survive a crash. Entries are JSON.
 * - The host of the newest append owns the run. It proves by beats, by the clock of the store,
 *   that it is alive. A run is abandoned if its owner left or let its lease expire. A run without
 *   an owner is never abandoned: the store cannot know whether a process works on it.
 * - A call that fails throws or rejects.
 */
export interface RunStore {
  /** Set by stores in the memory of one process: the state kept there. No other process can resume its runs. */
  readonly perProcess?: string;
  /**
   * Set by stores that index the labels in entries. `unfinished` of another store neither lists labels nor
   * finds runs by them; resumed runs have theirs from the log all the same.
   */
  readonly findsLabels?: true;
  /** Without it an Axon that waits cannot be mounted with this store. */
  readonly waits?: RunWaits;
  /**
   * Appends all entries after the `known` existing ones and makes `by` the owner, or does
   * neither. Returns whether it did. Also returns true if these entries already end the log and
   * `by` owns it, or the last one is "waiting": the first response was lost. Without `by` the run has
   * no owner. If a request to cancel is in the row of the run, the answer to an append that was made
   * is that request. `isDue` is present if the run waits from now on and is due already.
   */
  readonly append: (
    id: string,
    known: number,
    entries: readonly RunEntry[],
    by?: string,
  ) => MaybePromise<boolean | Appended>;
  /** The log, oldest entry first; empty for an unknown run. */
  readonly read: (id: string) => MaybePromise<readonly RunEntry[]>;
  /**
   * For polls: reads neither checkpoints nor, unless `withBegun`, the input. Undefined for an unknown
   * run. Of a store without this member each poll reads the whole log.
   */
  readonly glance?: (id: string, withBegun?: boolean) => MaybePromise<RunGlance | undefined>;
  /** Ended runs too, the newest first. Without it only unfinished ones are listed. */
  readonly list?: (filter: RunListFilter) => MaybePromise<readonly ListedRun[]>;
  readonly unfinished: (filter?: RunFilter) => MaybePromise<readonly UnfinishedRun[]>;
  /** The row of a run; undefined for an unknown run. A store without it cannot tell whether a run is at work. */
  readonly ownership?: (id: string) => MaybePromise<RunOwnership | undefined>;
  /**
   * Keeps a request to cancel an unfinished run that has none: the first one counts. Resolves to
   * the row afterwards. Needs `ownership`. Without it a run is cancelled by taking it from its owner.
   */
  readonly requestCancel?: (id: string, request: RunCancelRequest) => MaybePromise<RunOwnership | undefined>;
  /** Deletes a run, with "ended" only one that has ended. Returns whether it did. */
  readonly remove: (id: string, only?: "ended") => MaybePromise<boolean>;
  /**
   * Deletes at most `limit` runs that ended before this time. Returns their number. A store with a
   * clock of its own deletes those that ended more than `ageMs` before now, by that clock. A store with
   * `list` deletes only those of `which`.
   */
  readonly forget: (before: number, limit: number, ageMs?: number, which?: RunChoice) => MaybePromise<number>;
  /** Extends the lease of a host to `ttlMs` milliseconds from now, by the clock of the store. */
  readonly beat: (host: string, ttlMs: number, facts?: HostFacts) => MaybePromise<void>;
  /** The newest hosts, at most 200. Without it no list tells which hosts exist and whether they live. */
  readonly hosts?: () => MaybePromise<readonly HostLease[]>;
  /** Ends the lease of a host: its unfinished runs are abandoned at once, and listed with `left`. */
  readonly leave: (host: string) => MaybePromise<void>;
  /**
   * Keeps why this release cannot resume the run, as long as its log has `known` entries. Without it
   * each process reads runs that fit no code again, and their status does not say why they wait.
   */
  readonly markUnfit?: (
    id: string,
    known: number,
    unfit: { readonly release: string; readonly reason: string },
  ) => MaybePromise<void>;
  /** Counts unfinished runs; `release` marked those in state "unfit". Without it none are counted. */
  readonly counted?: (release: string) => MaybePromise<readonly RunCount[]>;
  /** Extends the lease of a host outside of the event loop. Without it a step that computes for longer than a lease loses the runs of its process. */
  readonly holdLease?: (host: string, ttlMs: number, options: StandingLeaseOptions) => StandingLease;
}

/** Thrown or wrapped by `read` for a log that exists and cannot be read: reading it again gives the same. */
export class UnreadableLog extends TypeError {
  override readonly name = "UnreadableLog";
}

/** Maximum length of a run's id, in UTF-16 units. */
const MAX_RUN_ID = 200;

/**
 * Whether a value can be the id of a run: well-formed text of 1 to 200 characters without NUL.
 * PostgreSQL cannot store NUL, and stores all lone surrogates as one character, so that two ids become equal.
 */
export const isKeptRunId = (id: unknown): id is string =>
  typeof id === "string" && id !== "" && id.length <= MAX_RUN_ID && !/\0|\p{Surrogate}/u.test(id);

/** True for ids that the framework makes, of an idempotency key or a dead letter: no caller may choose one. */
export const isReservedRunId = (id: string): boolean => id.startsWith("key-") || id.startsWith("redrive-");

/**
 * The id of a kept run: taken from its Bus, else made. It is the same after a resumption: a step
 * can use it as idempotency key for other systems.
 */
export const RunId = namedKey<string, "RunId">("RunId");

/**
 * 1 in the process that began the run, one more with each resumption. Use it to fence effects: a
 * system that refuses lower epochs of a {@link RunId} ignores a halted process if another
 * one has resumed its run.
 */
export const RunEpoch = namedKey<number, "RunEpoch">("RunEpoch");
