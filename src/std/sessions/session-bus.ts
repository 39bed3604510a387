// Bus keys that the session steps read of a request and write of a session.

import type { BusView } from "#core/bus/bus.js";
import type { BusKey, TypeOfKey } from "#core/bus/bus-key.js";
import { FailureLog } from "#core/bus/log.js";
import { type Fault, fault } from "#core/bus/outcome.js";
import { VerifiedIdentity } from "#core/facts/ingress-facts.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { verifiedName } from "#core/iam/owned-identity.js";
import { Session, SessionLookup } from "#core/ports/session.js";
import { SessionFault } from "../faults.js";

/** The header with the id, and the log for failures of the store. */
export type SessionSource = BusKey<string, `header:${string}`> | typeof FailureLog;

/** Keys that identify the logged-in user. */
export type LoggedIn = typeof Session | typeof SessionLookup | typeof IamIdentity | typeof VerifiedIdentity;

export const LOGGED_IN = [Session, SessionLookup, IamIdentity, VerifiedIdentity] as const;

/** A Bus on which these keys may be written, always or sometimes. */
interface LoginBus {
  set<K extends LoggedIn>(key: K, value: TypeOfKey<K>): void;
}

export function writeSession(bus: LoginBus, session: Session): void {
  bus.set(SessionLookup, { kind: "live", session });
  bus.set(Session, session);
  bus.set(IamIdentity, session.identity);
  bus.set(VerifiedIdentity, verifiedName(session.identity));
}

/** The fault of a step. A failure of the store is logged too. `cause` contains no id: the store never received one. */
export function failed<E>(bus: BusView<never, never, typeof FailureLog>, step: string, error: E): Fault<E> {
  if (error instanceof SessionFault && error.code === "SESSION_STORE_UNAVAILABLE")
    bus.find(FailureLog)?.error({ err: error.cause }, "%s: the store of sessions failed", step);
  return fault(error) as Fault<E>;
}
