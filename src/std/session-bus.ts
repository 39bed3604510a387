// What the steps of sessions read of a request, and write of a session.

import type { BusView } from "#core/bus.js";
import type { BusKey, TypeOfKey } from "#core/bus-key.js";
import { IamIdentity } from "#core/iam-identity.js";
import { VerifiedIdentity } from "#core/ingress-facts.js";
import { FailureLog } from "#core/log.js";
import { verifiedName } from "#core/owned-identity.js";
import { Session, SessionLookup } from "#core/session.js";
import type { StoreUnavailable } from "./session-fault.js";

/** The header that the id is in, and where it is said that a store failed. */
export type SessionSource = BusKey<string, `header:${string}`> | typeof FailureLog;

/** What says who is logged in. */
export type LoggedIn = typeof Session | typeof SessionLookup | typeof IamIdentity | typeof VerifiedIdentity;

export const LOGGED_IN = [Session, SessionLookup, IamIdentity, VerifiedIdentity] as const;

/** A Bus on which these may be written, whenever or sometimes. */
interface LoginBus {
  set<K extends LoggedIn>(key: K, value: TypeOfKey<K>): void;
}

export function writeSession(bus: LoginBus, session: Session): void {
  bus.set(SessionLookup, { kind: "live", session });
  bus.set(Session, session);
  bus.set(IamIdentity, session.identity);
  bus.set(VerifiedIdentity, verifiedName(session.identity));
}

/** What a store threw may be anything; no id is in it, for it was given none. */
export function logFailure(
  bus: BusView<never, never, typeof FailureLog>,
  step: string,
  { cause }: StoreUnavailable,
): void {
  bus.find(FailureLog)?.error({ err: cause }, "%s: the store of sessions failed", step);
}
