import type { RunLabels } from "../bus/label.js";
import type { MaybePromise } from "../bus/outcome-types.js";
import type { Timeline } from "../timeline/timeline.js";
import type { TraceMark } from "../timeline/trace-mark.js";

/** Work that failed for good, with the data to run it again. */
export interface DeadLetter {
  readonly id: string;
  /** A step that ended its run, or a compensation that failed. */
  readonly kind: "step" | "compensation";
  readonly axon: string;
  readonly version: string;
  /** The node's id in the Schematic. */
  readonly node: string;
  /** Input of the step; of a compensation `{ input, output }` of its step. */
  readonly input: unknown;
  readonly error: unknown;
  /** Stack or text of the error that `toFault` of the step turned into `error`, at most 8000 characters. */
  readonly cause?: string;
  readonly timeline: Timeline | undefined;
  /** Identifies the person the run was about: 43 characters of base64url, for erasure. */
  readonly subject?: string;
  /** Trace position of the run that failed, if the trace is kept. */
  readonly trace?: TraceMark;
  /** Labels of the run, if it had any. A re-drive begins with them. */
  readonly labels?: RunLabels;
  /** Inspector id of the run that failed, if it was watched. */
  readonly run_id?: string;
  /** Completed steps that were undone at the failure, in the order of completion. A re-drive begins at the first. */
  readonly undone: readonly UndoneStep[];
  /** Milliseconds since 1970. */
  readonly failed_at: number;
  /** Number of failed runs, from 1. Re-drives count. */
  readonly attempts: number;
  /** Parts that its store could not keep, and why: "input.file: an instance of Socket". Texts replace them. */
  readonly lost?: readonly string[];
}

export interface UndoneStep {
  readonly node: string;
  readonly input: unknown;
  /** Its compensation failed: its effect remains, and it has a letter of its own. */
  readonly stands?: true;
}

/** Receives dead letters. A letter with a known id replaces the old one in its place: the re-drive failed again. */
export interface DeadLetterSink {
  /** Set by sinks in the memory of one process: the state kept there. */
  readonly perProcess?: string;
  readonly send: (letter: DeadLetter) => MaybePromise<void>;
}

export interface DeadLetterFilter {
  readonly axon?: string;
  readonly node?: string;
  /** Maximum number of letters, oldest failures first. Default 100. */
  readonly limit?: number;
}

/**
 * A sink that can be read. The implementer must guarantee:
 *
 * - `list` begins with the oldest failures. A letter that is sent again keeps its place.
 * - When `send` has resolved, its letter survives a crash, unless `perProcess` is set.
 * - A value that cannot be kept becomes a text, and `lost` names it.
 * - `remove` returns whether the letter existed. A call that fails throws or rejects.
 */
export interface DeadLetterStore extends DeadLetterSink {
  readonly list: (filter?: DeadLetterFilter) => MaybePromise<readonly DeadLetter[]>;
  /** Number of matching letters, regardless of the limit. For stores that know it without reading the letters. */
  readonly count?: (filter?: DeadLetterFilter) => MaybePromise<number>;
  readonly get: (id: string) => MaybePromise<DeadLetter | undefined>;
  readonly remove: (id: string) => MaybePromise<boolean>;
  /**
   * Claims a letter for `by` until `ttlMs` milliseconds from now, by the clock of the store. Returns
   * false if the letter does not exist or another claim holds. A claim of the same `by` is extended.
   * Without it a letter of an Axon without kept runs can be re-driven in two processes at once.
   */
  readonly claim?: (id: string, by: string, ttlMs: number) => MaybePromise<boolean>;
  /** Ends the claim of `by`, if it holds. */
  readonly release?: (id: string, by: string) => MaybePromise<void>;
}
