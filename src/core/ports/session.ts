import { namedKey } from "../bus/bus-key.js";
import type { IamIdentity } from "../iam/iam-identity.js";
import type { Secret } from "../secrets/secret.js";
import type { SessionData } from "./session-store.js";

/** A live session, as it was when it was read. Exposes neither its id nor the secret of its tokens. */
export interface Session {
  readonly identity: IamIdentity;
  /** Application data. Frozen: `sessions.update` changes it. */
  readonly data: SessionData;
  /** Version of the data: from 1, one more with each update. */
  readonly version: number;
  readonly createdAt: number;
  /** Absolute expiry. */
  readonly expiresAt: number;
  /** Expiry unless it is used. */
  readonly idleUntil: number;
  /** For the page to send back as `x-csrf-token`. Each read returns another text. All are valid. */
  readonly csrfToken: string;
}

/** Written by LoadSession if there is a session, and by ValidateSession, CreateSession and RotateSession. */
export const Session = namedKey<Session, "Session">("Session");

/** Result of the look-up of the request's session. */
export type SessionLookup =
  | { readonly kind: "live"; readonly session: Session }
  | { readonly kind: "expired" }
  /** Another id has just replaced this one. */
  | { readonly kind: "replaced" }
  /** The request has no id, a malformed one, or an unknown one. */
  | { readonly kind: "none" };

/** Always written by LoadSession, and by the steps that create and end sessions. */
export const SessionLookup = namedKey<SessionLookup, "SessionLookup">("SessionLookup");

/** The id of a new session for the client: a cookie, or the id alone for a header. */
export const SessionIssued = namedKey<Secret<string>, "SessionIssued">("SessionIssued");

/** The cookie that deletes the client's session id. */
export const SessionForgotten = namedKey<string, "SessionForgotten">("SessionForgotten");
