import type { BusView } from "#core/bus.js";
import type { Guard } from "#core/guard.js";
import { IamIdentity } from "#core/iam-identity.js";
import { VerifiedIdentity } from "#core/ingress-facts.js";
import { FailureLog } from "#core/log.js";
import { type Fault, fault, type Pass, pass } from "#core/outcome.js";
import type { MaybePromise } from "#core/outcome-types.js";
import type { ResponseHeaders } from "#core/response-facts.js";
import { Session, SessionForgotten, SessionLookup } from "#core/session.js";
import { logFailure, type SessionSource, writeSession } from "./session-bus.js";
import { SessionFault, type StoreUnavailable } from "./session-fault.js";
import { andThen } from "./session-store-calls.js";
import type { Sessions } from "./sessions.js";

type Found = typeof Session | typeof IamIdentity | typeof VerifiedIdentity | typeof SessionForgotten;
type View = BusView<never, typeof SessionLookup, SessionSource, Found>;

/**
 * Finds the session of a request. Without one that is live the caller is anonymous, and the
 * answer deletes a cookie that leads nowhere; where the store fails it is 503. Put ValidateSession
 * behind it where nobody may be anonymous.
 */
export class LoadSession
  implements Guard<StoreUnavailable, never, typeof SessionLookup, SessionSource, Found>
{
  readonly name = "LoadSession";
  readonly kind = "guard";
  readonly description: string;
  readonly mayRead: readonly SessionSource[];
  readonly writes = [SessionLookup] as const;
  readonly mayWrite = [Session, IamIdentity, VerifiedIdentity, SessionForgotten] as const;
  readonly responseHeaders: ResponseHeaders;
  readonly perProcess?: string;
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    const { place, description, perProcess } = sessions;
    this.description = description;
    this.mayRead = [place.source, FailureLog];
    this.responseHeaders = { written: place.forgetting };
    if (perProcess !== undefined) this.perProcess = perProcess;
    this.#sessions = sessions;
  }

  readonly run = (input: unknown, bus: View): MaybePromise<Pass | Fault<StoreUnavailable>> => {
    const { place } = this.#sessions;
    const presented = place.presented(bus.find(place.source));
    if (presented.kind !== "key")
      return this.#decided({ kind: "none" }, presented.kind === "malformed", input, bus);
    return andThen(this.#sessions.load(presented.key), (found) => {
      if (found instanceof SessionFault) {
        logFailure(bus, this.name, found);
        return fault(found);
      }
      // One that was replaced has a successor, whose cookie a deletion could overtake.
      return this.#decided(found, found.kind === "none" || found.kind === "expired", input, bus);
    });
  };

  #decided(found: SessionLookup, isStale: boolean, input: unknown, bus: View): Pass {
    const { forgotten } = this.#sessions.place;
    if (found.kind === "live") writeSession(bus, found.session);
    else bus.set(SessionLookup, found);
    if (isStale && forgotten !== undefined) bus.set(SessionForgotten, forgotten);
    return pass(input);
  }
}
