import type { RunLabels } from "../bus/label.js";
import type { TraceMark } from "../timeline/trace-mark.js";
import type { RunWait } from "./run-waits.js";

/** A request to cancel a run, kept in its row. */
export interface RunCancelRequest {
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor?: string;
}

/**
 * A run without "ended" as its last entry: it is running, or was interrupted. A run may fail after
 * "ended", in a layer around it, and is then unfinished again.
 */
export interface UnfinishedRun {
  readonly id: string;
  readonly axon: string;
  /** From the newest entry "begun" or "resumed". */
  readonly version: string;
  readonly began_at: number;
  /** Time of its last entry. */
  readonly at: number;
  /** Number of entries in its log. */
  readonly entries: number;
  /** From the newest entry that has one: the node at work, or at which it resumes. */
  readonly node?: string;
  /** From the newest entry that has one. */
  readonly trace?: TraceMark;
  /** The host of its newest append, if it named one. */
  readonly host?: string;
  /** Present if its last entry is "stuck". */
  readonly stuck?: true;
  /** Present if it waits. */
  readonly wait?: RunWait;
  /** Place in the list, for `after` of a filter. */
  readonly place?: string;
  /** Present if its host has left: the run did not end that process. */
  readonly left?: true;
  /** Why a release could not resume it. See `markUnfit`. */
  readonly unfit?: string;
  /** Present if it is to be cancelled. */
  readonly cancel?: RunCancelRequest;
  /** From the newest entry that has them. */
  readonly labels?: RunLabels;
}
