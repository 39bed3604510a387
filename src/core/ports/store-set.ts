// The stores of one database, as an ingress takes them.

import { FrameworkError } from "../errors.js";
import type { AuditSink } from "./audit-sink.js";
import type { DeadLetterStore } from "./dead-letter.js";
import type { ErasureProgress, ErasureSink } from "./erasure.js";
import type { HostRequestStore } from "./host-requests.js";
import type { IdempotencyStore } from "./idempotency-store.js";
import type { LockProvider } from "./lock.js";
import type { RunStore } from "./run-store.js";
import type { SessionStore } from "./session-store.js";

export interface StoreSet {
  /** The database's URL without its password. */
  readonly shown: string;
  readonly runs: RunStore;
  readonly deadLetters: DeadLetterStore;
  readonly sessions: SessionStore;
  readonly idempotency: IdempotencyStore;
  readonly locks: LockProvider;
  /** Requests to the hosts of its runs. Absent for stores of one process, which needs none. */
  readonly requests?: HostRequestStore;
  /** Erases the rows of a subject. Absent for stores in memory, which end with their process. */
  readonly erasure?: {
    readonly sinks: readonly ErasureSink[];
    readonly progress: ErasureProgress;
    /** Rewrites the tables without deleted rows. Other statements wait until it ends. `left`: where old texts remain, and until when. */
    readonly compact: () => Promise<{ readonly isDone: boolean; readonly left: readonly string[] }>;
  };
  readonly audit: AuditSink;
  /** Days that a run is kept after its end. */
  readonly retainDays: number;
  /** Days that a dead letter is kept after its last failure; absent if `sweep` deletes none. */
  readonly retainLettersDays?: number;
  /** Deletes the dead letters, and the runs that are stuck or fit no release, which it keeps no longer. A server calls it every hour. */
  readonly sweep?: () => Promise<unknown>;
  /** Connects and applies migrations. An ingress awaits it before it serves. Each store also calls it first. */
  readonly open: () => Promise<void>;
  /**
   * Instead of `open`, for a command that only reads: connects and changes nothing. Rejects where the tables
   * do not exist or are of another version. Absent for stores in memory.
   */
  readonly look?: () => Promise<void>;
  /** Rejects unless an append would be kept now: for readiness probes. */
  readonly check: () => Promise<void>;
  /** Once it is open: what of its settings can lose answered writes, and what that costs. */
  readonly warnings?: () => readonly string[];
  /** Waits for calls in flight. Afterwards each call rejects. */
  readonly close: () => Promise<void>;
}

const stand = (): never => {
  throw new FrameworkError(
    "STORE_MISSING",
    "Stores.mounted stands for the store of an ingress: it keeps nothing itself",
  );
};

/** Placeholder for the run store of the ingress on which an Axon is mounted. */
export const mountedRuns: RunStore = {
  append: stand,
  read: stand,
  unfinished: stand,
  remove: stand,
  forget: stand,
  beat: stand,
  leave: stand,
};
