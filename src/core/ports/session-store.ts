// The port of sessions.

import type { MaybePromise } from "../bus/outcome-types.js";
import type { IamIdentity } from "../iam/iam-identity.js";
import type { Json } from "../wire/json-text.js";

/** Application data of a session. JSON. */
export type SessionData = Readonly<Record<string, Json>>;

/** Plain data: a store may keep it as JSON. Contains no secret of the login. */
export interface SessionRecord {
  /** Owner: 43 characters of base64url, the same for all sessions of one subject. */
  readonly owner: string;
  readonly identity: IamIdentity;
  readonly data: SessionData;
  /** Version of the data: from 1, one more with each update. */
  readonly version: number;
  /** Secret of the CSRF tokens. 43 characters of base64url. */
  readonly csrfSecret: string;
  readonly createdAt: number;
  /** Absolute expiry. */
  readonly expiresAt: number;
  /** Expiry unless it is touched. */
  readonly idleUntil: number;
}

export type SessionFound =
  | { readonly kind: "live"; readonly record: SessionRecord }
  /** Expired. A store may have forgotten it: then it returns "unknown". */
  | { readonly kind: "expired" }
  /** Another key replaced it less than {@link REPLACED_MS} ago. Its client has received that key, or is about to. */
  | { readonly kind: "replaced" }
  | { readonly kind: "unknown" };

/**
 * How long a store remembers that a key was replaced: longer than an earlier request can be in
 * flight. The old key does not work during that time.
 */
export const REPLACED_MS = 60_000;

/** What never changes of a session: a store that encrypts binds its texts to it. */
export type SessionOrigin = Pick<SessionRecord, "owner" | "createdAt">;

/** Parts that a rotation changes, besides the key, and the session's origin. */
export type RotatedParts = Pick<SessionRecord, "identity" | "csrfSecret"> & SessionOrigin;

/**
 * Keeps sessions for all processes of a service. The implementer must guarantee:
 *
 * - A key is the SHA-256 of a session's id, 43 characters of base64url: the store never has an id
 *   that a client could send. New keys are random and unique.
 * - Each call is atomic, `destroyAll` too. A session that is created or rotated concurrently is
 *   either ended by it, or created after it. A store with statements that can miss an uncommitted row
 *   keeps a count for each owner.
 * - A key that was replaced or destroyed never has a session again.
 * - A full store refuses new sessions. It does not drop live ones.
 * - Times are milliseconds since 1970, from the caller's clock. A session is live before the earlier
 *   of `expiresAt` and `idleUntil`, and not at that time.
 * - A call that fails throws or rejects.
 */
export interface SessionStore {
  /** Set by stores in the memory of one process, which other processes do not see: the state kept there. */
  readonly perProcess?: string;
  /** Keeps a new session. Destroys the session under `replaces`, if any, in the same step. Refuses if full. */
  readonly create: (
    key: string,
    record: SessionRecord,
    now: number,
    replaces?: string,
  ) => MaybePromise<"created" | "full">;
  readonly find: (key: string, now: number) => MaybePromise<SessionFound>;
  /** Extends the idle time of a live session, up to its expiry. Never shortens it. False if no session is live. */
  readonly touch: (key: string, idleUntil: number, now: number) => MaybePromise<boolean>;
  /** Replaces the data of a live session, if they still have this version. */
  readonly update: (
    key: string,
    version: number,
    data: SessionData,
    now: number,
    of: SessionOrigin,
  ) => MaybePromise<"updated" | "changed" | "gone">;
  /** Moves a live session to another key, with its data and times. Returns it; undefined if none is live. */
  readonly rotate: (
    key: string,
    to: string,
    parts: RotatedParts,
    now: number,
  ) => MaybePromise<SessionRecord | undefined>;
  /** Removes a session. Returns whether it was live. */
  readonly destroy: (key: string, now: number) => MaybePromise<boolean>;
  /** Removes all sessions of an owner. Returns how many were live. */
  readonly destroyAll: (owner: string, now: number) => MaybePromise<number>;
  /** Deletes at most `limit` expired sessions. Returns their number: if below `limit`, none is left. */
  readonly cleanUp: (limit: number, now: number) => MaybePromise<number>;
}
