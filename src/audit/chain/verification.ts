/** What {@link verifyAudit} found. */
export interface AuditVerification {
  readonly shown: string;
  /** Whether nothing failed. */
  readonly isSound: boolean;
  /** Number of events that were read. */
  readonly events: number;
  /** Number of checkpoints that were read. */
  readonly checkpoints: number;
  readonly newest?: CheckpointMark;
  /** The newest checkpoint of the anchor. */
  readonly anchored?: CheckpointMark;
  /** Events behind the newest anchored checkpoint; without an anchor behind the newest one: they are not protected. */
  readonly behind: number;
  /** The first 100. */
  readonly failures: readonly AuditFailure[];
  readonly failureCount: number;
  /** What is no failure and worth knowing. */
  readonly notes: readonly string[];
}

export interface CheckpointMark {
  readonly number: number;
  readonly timestamp: string;
  /** Position of the last event that it covers. */
  readonly last: number;
}

/**
 * - `edited`: an event has not the hash that it says
 * - `unreadable`: a row is no event
 * - `removed`: positions are missing
 * - `inserted`: a position that no event of the chain has
 * - `fork`: two events follow the same one
 * - `broken-link`: an event does not follow the one before: one of the two was changed, swapped, or put there
 * - `cut`: events at the end are missing that a checkpoint covers
 * - `recomputed`: events are a chain, but not the one that was signed
 * - `checkpoint`: a checkpoint was changed, removed or inserted
 * - `signature`: a checkpoint has no good signature
 * - `anchor`: the anchor holds another history, or cannot be asked
 * - `unsigned`: there is no key, or nothing is signed
 */
export type AuditFailureKind =
  | "edited"
  | "unreadable"
  | "removed"
  | "inserted"
  | "fork"
  | "broken-link"
  | "cut"
  | "recomputed"
  | "checkpoint"
  | "signature"
  | "anchor"
  | "unsigned";

export interface AuditFailure {
  readonly kind: AuditFailureKind;
  /** Of the event where it shows. */
  readonly position?: number;
  /** Number of the checkpoint where it shows. */
  readonly checkpoint?: number;
  readonly message: string;
}

const MAX_FAILURES = 100;

/** Collects failures; holds the first hundred. */
export class Failures {
  readonly listed: AuditFailure[] = [];
  count = 0;

  add(
    kind: AuditFailureKind,
    message: string,
    where: Pick<AuditFailure, "position" | "checkpoint"> = {},
  ): void {
    this.count += 1;
    if (this.listed.length < MAX_FAILURES) this.listed.push({ kind, ...where, message });
  }
}
