// The stores of a service, as an ingress takes them.

import { FrameworkError } from "../errors.js";
import type { AuditSink } from "./audit-sink.js";
import type { ChannelStore } from "./channel-store.js";
import type { DeadLetterStore } from "./dead-letter.js";
import type { ErasureProgress, ErasureSink } from "./erasure.js";
import type { HostRequestStore } from "./host-requests.js";
import type { IdempotencyStore } from "./idempotency-store.js";
import type { LockProvider } from "./lock.js";
import type { RateLimitStore } from "./rate-limit-store.js";
import type { RoomBus } from "./room-bus.js";
import type { RunStore } from "./run-store.js";
import type { SessionStore } from "./session-store.js";

export interface StoreSet {
  /** The URLs of its databases without their passwords. */
  readonly shown: string;
  readonly runs: RunStore;
  readonly deadLetters: DeadLetterStore;
  readonly sessions: SessionStore;
  readonly idempotency: IdempotencyStore;
  readonly locks: LockProvider;
  /** Rates of all processes. Absent: each process counts by itself. */
  readonly rates?: RateLimitStore;
  /** Makes a member of the rooms of all processes, which works once the stores are open. Absent: there is none. */
  readonly rooms?: () => RoomBus;
  /** Event channels of all processes. Absent: there are none. */
  readonly channels?: ChannelStore;
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
  /** The same for what else is shared, in Redis. A process is not ready without it only if it is `critical`. */
  readonly sharedCheck?: { readonly critical: boolean; readonly run: () => Promise<void> };
  /** Once it is open: what of its settings can lose answered writes, and what that costs. */
  readonly warnings?: () => readonly string[];
  /** Number of failed calls since the start, by what they were for: "rates", "sessions". */
  readonly failures?: () => ReadonlyMap<string, number>;
  /** Waits for calls in flight. Afterwards each call rejects. */
  readonly close: () => Promise<void>;
}

/**
 * What has no store of its own takes that of the ingress which serves it: guards, sessions, channels. A
 * guard or step that has this declares `perProcess`, and what else depends on the store, as getters.
 */
export interface StoresUser {
  /**
   * Uses these stores, where they have what it needs, until the returned function is called, once. Throws
   * CONFIG_INVALID while it uses others.
   */
  readonly useStores: (stores: StoreSet) => () => void;
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
