// The port of sessions.

import type { MaybePromise } from "../bus/outcome-types.js";
import type { IamIdentity } from "../iam/iam-identity.js";
import type { Json } from "../wire/json-text.js";

/** What an application keeps in a session. JSON. */
export type SessionData = Readonly<Record<string, Json>>;

/** Plain data: a store may keep it as JSON. No secret of the login in it. */
export interface SessionRecord {
  /** Whose it is: 43 characters of base64url, the same for all sessions of one subject. */
  readonly owner: string;
  readonly identity: IamIdentity;
  readonly data: SessionData;
  /** Of the data: from 1, one more with each update. */
  readonly version: number;
  /** What tokens against forged requests are made from. 43 characters of base64url. */
  readonly csrfSecret: string;
  readonly createdAt: number;
  /** When it ends, whatever happens. */
  readonly expiresAt: number;
  /** When it ends, unless it is touched. */
  readonly idleUntil: number;
}

export type SessionFound =
  | { readonly kind: "live"; readonly record: SessionRecord }
  /** Its time is up. A store may have forgotten it, and then says "unknown". */
  | { readonly kind: "expired" }
  /** Another key took its place, less than {@link REPLACED_MS} ago: its client has received that one, or is about to. */
  | { readonly kind: "replaced" }
  | { readonly kind: "unknown" };

/**
 * How long it is known of a key that another took its place: longer than a request is on its way
 * that was sent before. It is not a time in which the old one works.
 */
export const REPLACED_MS = 60_000;

/** What a rotation changes beside the key. */
export type RotatedParts = Pick<SessionRecord, "identity" | "csrfSecret">;

/**
 * Where sessions are kept, for all processes of a service. What an implementation must keep to:
 *
 * - A key is the SHA-256 of a session's id, 43 characters of base64url: the store never has an id
 *   that a client could send. New keys are random, none comes twice.
 * - Each call is one step, `destroyAll` too. A session that is created or rotated at the same time
 *   is either ended by it, or created after it. A store whose statements can miss a row that is not
 *   committed yet keeps a count for each owner.
 * - A key that was replaced or destroyed never has a session again.
 * - A full store refuses new sessions. It does not forget live ones.
 * - Times are milliseconds since 1970, from the caller's clock. A session is live before the earlier
 *   of `expiresAt` and `idleUntil`, and not at that time.
 * - A call that fails throws or rejects.
 */
export interface SessionStore {
  /** What it keeps in the memory of its process, where it does: other processes do not know of it. */
  readonly perProcess?: string;
  /** Keeps a new session. Destroys the one under `replaces` in the same step, if there is one; not where it is full. */
  readonly create: (
    key: string,
    record: SessionRecord,
    now: number,
    replaces?: string,
  ) => MaybePromise<"created" | "full">;
  readonly find: (key: string, now: number) => MaybePromise<SessionFound>;
  /** Lets a live session idle until then, not longer than it may live, and never less long than before. False where none is live. */
  readonly touch: (key: string, idleUntil: number, now: number) => MaybePromise<boolean>;
  /** Replaces the data of a live session, where they are of this version still. */
  readonly update: (
    key: string,
    version: number,
    data: SessionData,
    now: number,
  ) => MaybePromise<"updated" | "changed" | "gone">;
  /** Moves a live session to another key, with its data and times. Answers it; undefined where none is live. */
  readonly rotate: (
    key: string,
    to: string,
    parts: RotatedParts,
    now: number,
  ) => MaybePromise<SessionRecord | undefined>;
  /** Removes a session. Whether it was live. */
  readonly destroy: (key: string, now: number) => MaybePromise<boolean>;
  /** Removes all sessions of an owner. How many of them were live. */
  readonly destroyAll: (owner: string, now: number) => MaybePromise<number>;
  /** Forgets at most `limit` sessions whose time is up. How many it were: fewer, and there are no more. */
  readonly cleanUp: (limit: number, now: number) => MaybePromise<number>;
}
