import type { MaybePromise } from "../bus/outcome-types.js";
import type { Timeline } from "../timeline/timeline.js";
import type { TraceMark } from "../timeline/trace-mark.js";

/** Work that failed for good, with what it takes to do it again. */
export interface DeadLetter {
  readonly id: string;
  /** A step that ended its run, or a compensation that failed. */
  readonly kind: "step" | "compensation";
  readonly axon: string;
  readonly version: string;
  /** The node's id in the Schematic. */
  readonly node: string;
  /** What the step got; of a compensation `{ input, output }` of its step. */
  readonly input: unknown;
  readonly error: unknown;
  /** What a service threw where the step's `toFault` made `error` of it: its stack or text, at most 8000 characters. */
  readonly cause?: string;
  readonly timeline: Timeline | undefined;
  /** Identifies the person the run was about: 43 characters of base64url, for erasure. */
  readonly subject?: string;
  /** Where the run that failed stands in a trace, where that is kept. */
  readonly trace?: TraceMark;
  /** The id of the run that failed, where it was watched: that of the Inspector. */
  readonly run_id?: string;
  /** What the run had completed and undid when it failed, in the order of completion. A re-drive begins at the first. */
  readonly undone: readonly UndoneStep[];
  /** Milliseconds since 1970. */
  readonly failed_at: number;
  /** Runs that failed with it, from 1: a re-drive counts. */
  readonly attempts: number;
  /** Parts that its store could not keep, and why: "input.file: an instance of Socket". Texts stand in their place. */
  readonly lost?: readonly string[];
}

export interface UndoneStep {
  readonly node: string;
  readonly input: unknown;
  /** Its compensation failed: what it did still stands, and it has a letter of its own. */
  readonly stands?: true;
}

/** Where dead letters go. A letter with a known id replaces it in its place: it was re-driven and failed again. */
export interface DeadLetterSink {
  /** What it keeps in the memory of its process, where it does: others do not see it. */
  readonly perProcess?: string;
  readonly send: (letter: DeadLetter) => MaybePromise<void>;
}

export interface DeadLetterFilter {
  readonly axon?: string;
  readonly node?: string;
  /** At most so many, those that failed first first. Default 100. */
  readonly limit?: number;
}

/**
 * A sink that can be read. What an implementation must keep to:
 *
 * - `list` begins with the letters that failed first. A letter that is sent again keeps its place.
 * - A letter that `send` has resolved for survives a crash, unless `perProcess` is set.
 * - A value that cannot be kept becomes a text, and `lost` names it.
 * - `remove` returns whether there was one. A call that fails throws or rejects.
 */
export interface DeadLetterStore extends DeadLetterSink {
  readonly list: (filter?: DeadLetterFilter) => MaybePromise<readonly DeadLetter[]>;
  /** How many fit, whatever the limit. For stores that know it without reading the letters. */
  readonly count?: (filter?: DeadLetterFilter) => MaybePromise<number>;
  readonly get: (id: string) => MaybePromise<DeadLetter | undefined>;
  readonly remove: (id: string) => MaybePromise<boolean>;
}
