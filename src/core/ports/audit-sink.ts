// The port of audit logs.

import type { MaybePromise } from "../bus/outcome-types.js";
import type { AuditEntry, PlacedAuditEvent } from "./audit-event.js";

/** A row as it is stored. */
export type AuditRow = PlacedAuditEvent | { readonly position: number; readonly unreadable: string };

/** Conditions that must all hold. */
export interface AuditQuery {
  /** Also `sealed:1:PSEUDONYM`, which finds the texts sealed for that subject; `target` likewise. */
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  /** Timestamps from this one on, in the format of an event. */
  readonly since?: string;
  /** Timestamps before this one. */
  readonly until?: string;
  /** Only positions behind this one. */
  readonly after?: number;
  /** Only positions before this one. */
  readonly before?: number;
  readonly newestFirst?: boolean;
  /** Maximum number of events. Default 100, at most 10 000. */
  readonly limit?: number;
}

/** A signed checkpoint (audit/checkpoint.ts) as text, and its number, from 1. */
export interface KeptCheckpoint {
  readonly number: number;
  readonly text: string;
}

export interface AuditCheckpoints {
  /** Resolves to false, and keeps nothing, if one of this number is kept already. */
  readonly put: (checkpoint: KeptCheckpoint) => Promise<boolean>;
  readonly newest: () => Promise<KeptCheckpoint | undefined>;
  /** Checkpoints after this number, in order; at most `limit`. */
  readonly list: (after: number, limit: number) => Promise<readonly KeptCheckpoint[]>;
}

/** Reads for verification, proofs and exports. A call that fails rejects with AUDIT_UNAVAILABLE or STORE_UNAVAILABLE. */
export interface AuditSource {
  /** Address without its password, for messages. */
  readonly shown: string;
  /** For a part of a log that begins later, such as an archive: its first position and checkpoint. */
  readonly starts?: { readonly position: number; readonly checkpoint: number };
  /** Rows from this position, or from the lowest one, in order of position. Holds a bounded number of them. */
  readonly rows: (from?: number) => AsyncIterable<AuditRow>;
  /** The newest row. */
  readonly head: () => Promise<AuditRow | undefined>;
  readonly find: (id: string) => Promise<AuditRow | undefined>;
  readonly query: (query?: AuditQuery) => Promise<readonly AuditRow[]>;
  /** What of its tables was changed so that they keep forged rows. Absent: there are none. */
  readonly defects?: () => Promise<readonly string[]>;
  readonly checkpoints: AuditCheckpoints;
}

/**
 * An audit log that can be written. The implementer must guarantee:
 *
 * - It links events itself: it reads the head, hashes and inserts in one transaction, so that the
 *   writers of several processes make one chain.
 * - After an append has resolved, its event survives a crash.
 * - It reads rows as they are stored, forged or not. `verifyAudit` judges them.
 */
export interface AuditSink extends AuditSource {
  /** Set by sinks in the memory of one process: the state kept there. */
  readonly perProcess?: string;
  /** Set by sinks that seal or mask marked metadata themselves: others get them masked from the steps of an Axon. */
  readonly masksMetadata?: true;
  /**
   * Resolves when the event is kept. If an entry with the same id, actor, action, target and
   * intent is kept already, resolves to that event. If only the id is the same, rejects with
   * AUDIT_ID_TAKEN. Rejects with AUDIT_EVENT_INVALID for an invalid entry. Rejects with
   * AUDIT_UNAVAILABLE, AUDIT_LOCKED or STORE_UNAVAILABLE if the sink fails: the event may be kept,
   * and the same id can be appended again.
   */
  readonly append: (entry: AuditEntry) => Promise<PlacedAuditEvent>;
  /** Deletes at most `limit` rows up to this position, but never the newest row. Resolves to their number. */
  readonly remove: (through: number, limit: number) => Promise<number>;
  /**
   * What is to be done before the first append: `signedAudit` signs what an ended process left unsigned.
   * An ingress calls it when it starts. Never rejects. A sink without it has nothing to do.
   */
  readonly begin?: () => Promise<void>;
  /** Waits for calls in flight. */
  readonly close: () => Promise<void>;
}

/** Keeps checkpoints out of reach of writers of the sink. */
export interface AuditAnchor {
  /** Address without its password, for messages. */
  readonly shown: string;
  /**
   * Keeps a checkpoint: the next number, or one that is kept already. Rejects with
   * AUDIT_ANCHOR_CONFLICT if another checkpoint of its number is kept or a number is missing.
   */
  readonly put: (checkpoint: KeptCheckpoint) => Promise<void>;
  readonly newest: () => Promise<KeptCheckpoint | undefined>;
  /** All that it holds, in the order of its place. Without it, `verifyAudit` compares only the newest. */
  readonly all?: () => AsyncIterable<KeptCheckpoint>;
}

/**
 * Keys of the persons that events are about, kept apart from the events. After the deletion of a
 * key, the texts that it sealed cannot be read, and the chain is unchanged.
 */
export interface SubjectKeyStore {
  /** The URL of its database without the password: `sealedAudit` refuses keys beside the events. */
  readonly shown?: string;
  /** 43 characters of base64url: an HMAC of the subject under a secret of this store. Used to find events. */
  readonly pseudonym: (subject: string) => MaybePromise<string>;
  /** The key of a pseudonym for AES-256-GCM: 32 bytes, made if there is none. */
  readonly key: (pseudonym: string) => MaybePromise<Uint8Array>;
  /** Undefined if the key was deleted or never existed. */
  readonly find: (pseudonym: string) => MaybePromise<Uint8Array | undefined>;
}
