// The ports of erasure: what keeps data of persons, and the progress of a request.

import type { MaybePromise } from "../bus/outcome-types.js";
import type { Clock } from "../clock.js";

/** A person, as rows and applications name it. */
export interface ErasureSubject {
  readonly subject: string;
  readonly issuer?: string;
  /** Text that identifies the person among all issuers: that of `VerifiedIdentity`. */
  readonly name: string;
  /** SHA-256 of the name, 43 characters of base64url, as runs, letters, sessions and keys have it. */
  readonly hash: string;
}

export interface ErasureCall {
  /** Id of the request: the same at each try. */
  readonly id: string;
  /** The actor, for the audit log, and the reason. */
  readonly by: string;
  readonly reason: string;
  /** Whether unfinished runs of the subject are cancelled first. */
  readonly cancelRuns: boolean;
  /** How long to wait for what others still do: runs that are cancelled, hosts that are asked. Milliseconds. */
  readonly waitMs: number;
  readonly clock: Clock;
  /** Fires once the caller no longer waits. */
  readonly signal: AbortSignal;
  /** Reports progress, for example after each page of rows. A sink that does not call it within the time limit counts as hanging. */
  readonly goesOn: () => void;
}

export interface SinkErased {
  /** Number of rows, values or files that are gone. */
  readonly erased: number;
  /** What is still there, and why: "run 17: it is running on host a". Absent or empty: nothing. */
  readonly left?: readonly string[];
  /** Number of things left, if `left` names only some of them. */
  readonly leftCount?: number;
  /** True if the sink has already added `erased` to the progress, together with the erasure. */
  readonly isCounted?: boolean;
}

export interface ExportedValue {
  /** Where it is kept: the table, or the application's word for it. */
  readonly place: string;
  readonly id: string;
  readonly value: unknown;
}

/**
 * Keeps data of persons, and can erase those of one. The implementer must guarantee:
 *
 * - `erase` is idempotent: a call after one that was interrupted erases the rest.
 * - It resolves after the data are gone, and names what is left.
 * - A subject without data is no error: 0 are erased.
 */
export interface ErasureSink {
  /** Unique among the sinks of a request: "runs". */
  readonly name: string;
  readonly erase: (subject: ErasureSubject, call: ErasureCall) => MaybePromise<SinkErased>;
  /** Number of rows that `erase` would erase. */
  readonly count?: (subject: ErasureSubject) => MaybePromise<number>;
  /** The subject's values, decrypted. Without it an export lists the sink as missing. */
  readonly values?: (subject: ErasureSubject) => AsyncIterable<ExportedValue>;
  /** Issuers whose subjects it has: to tell a subject without an issuer from an unknown one. */
  readonly issuers?: () => AsyncIterable<string>;
}

/** Keeps how far requests have come, so that a kill loses no count. */
export interface ErasureProgress {
  /** Begins or resumes a request. False if the id belongs to another subject. */
  readonly begin: (id: string, subject: ErasureSubject) => MaybePromise<boolean>;
  readonly add: (id: string, sink: string, erased: number) => MaybePromise<void>;
  /** By sink, of all tries. */
  readonly counts: (id: string) => MaybePromise<Readonly<Record<string, number>>>;
}
