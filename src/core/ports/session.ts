import { namedKey } from "../bus/bus-key.js";
import type { IamIdentity } from "../iam/iam-identity.js";
import type { Secret } from "../secrets/secret.js";
import type { SessionData } from "./session-store.js";

/** A live session, as it was when it was read. Neither its id nor what tokens are made from can be read off it. */
export interface Session {
  readonly identity: IamIdentity;
  /** What the application keeps in it. Frozen: `sessions.update` changes it. */
  readonly data: SessionData;
  /** Of the data: from 1, one more with each update. */
  readonly version: number;
  readonly createdAt: number;
  /** When it ends, whatever happens. */
  readonly expiresAt: number;
  /** When it ends, unless it is used. */
  readonly idleUntil: number;
  /** For the page to send back as `x-csrf-token`: another text each time it is read, each as good. */
  readonly csrfToken: string;
}

/** Written by LoadSession where there is one, and by ValidateSession, CreateSession and RotateSession. */
export const Session = namedKey<Session, "Session">("Session");

/** What came of looking for the request's session. */
export type SessionLookup =
  | { readonly kind: "live"; readonly session: Session }
  | { readonly kind: "expired" }
  /** Another id took the place of this one a moment ago. */
  | { readonly kind: "replaced" }
  /** No id came with the request, none that can be, or one that is not known. */
  | { readonly kind: "none" };

/** Written by LoadSession always, and by the steps that make and end sessions. */
export const SessionLookup = namedKey<SessionLookup, "SessionLookup">("SessionLookup");

/** What tells the client the id of its new session: a cookie, or the id alone for a header. */
export const SessionIssued = namedKey<Secret<string>, "SessionIssued">("SessionIssued");

/** The cookie that makes a browser forget the id it sent. */
export const SessionForgotten = namedKey<string, "SessionForgotten">("SessionForgotten");
