/** Result of {@link verifyAudit}. */
export interface AuditVerification {
  readonly shown: string;
  /** True if there are no failures. */
  readonly isSound: boolean;
  /** Number of events that were read. */
  readonly events: number;
  /** Number of checkpoints that were read. */
  readonly checkpoints: number;
  readonly newest?: CheckpointMark;
  /** Name of the log in its newest checkpoint; "none" for one of an earlier release. */
  readonly origin?: string;
  /** The newest checkpoint of the anchor. */
  readonly anchored?: CheckpointMark;
  /** Events signed late, at the start of a process: the one that appended them ended, or had not signed them yet. */
  readonly adopted: number;
  /** Events after the newest anchored checkpoint, or without an anchor after the newest one: they are not protected. */
  readonly behind: number;
  /** The first 100. */
  readonly failures: readonly AuditFailure[];
  readonly failureCount: number;
  /** Remarks that are no failures. */
  readonly notes: readonly string[];
}

export interface CheckpointMark {
  readonly number: number;
  readonly timestamp: string;
  /** Position of the last event that it covers. */
  readonly last: number;
}

/**
 * - `edited`: an event does not match its hash
 * - `unreadable`: a row is no event
 * - `removed`: positions are missing
 * - `inserted`: a position that no event of the chain has
 * - `fork`: two events follow the same one
 * - `broken-link`: an event does not follow the previous one: one of the two was changed, swapped or inserted
 * - `cut`: events at the end are missing that a checkpoint covers
 * - `recomputed`: events are a chain, but differ from the signed one
 * - `checkpoint`: a checkpoint was changed, removed or inserted
 * - `signature`: a checkpoint has no valid signature
 * - `anchor`: the anchor holds another history, or does not respond
 * - `unsigned`: there is no key, or no signature
 * - `table`: its table keeps forged rows, or changes what is appended
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
  | "unsigned"
  | "table";

export interface AuditFailure {
  readonly kind: AuditFailureKind;
  /** Position of the event where it was found. */
  readonly position?: number;
  /** Number of the checkpoint where it was found. */
  readonly checkpoint?: number;
  readonly message: string;
}

const MAX_FAILURES = 100;

/** Collects failures; keeps the first hundred. */
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
