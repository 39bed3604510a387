import type { BusView } from "#core/bus.js";
import type { Guard } from "#core/guard.js";
import { IamError } from "#core/iam-error.js";
import { IamPolicy, requirePolicy } from "#core/iam-policy.js";
import { type Fault, fault, type Pass, pass } from "#core/outcome.js";
import { SessionLookup } from "#core/session.js";
import { LOGGED_IN, type LoggedIn, writeSession } from "./session-bus.js";

/**
 * Refuses whoever has no live session: 401; and whom the policy does not let in: 403. It stands
 * behind LoadSession, and steps behind it can `get` the Session and the identity.
 */
export class ValidateSession implements Guard<IamError, typeof SessionLookup, LoggedIn> {
  readonly name = "ValidateSession";
  readonly kind = "guard";
  readonly description: string;
  readonly reads = [SessionLookup] as const;
  readonly writes = LOGGED_IN;
  readonly #policy: IamPolicy;

  /** Throws CONFIG_INVALID for what is no policy. Default: any live session. */
  constructor(policy: IamPolicy = IamPolicy.requireIdentity()) {
    this.#policy = requirePolicy("ValidateSession", policy);
    this.description = `A live session of ${this.#policy.description}`;
  }

  readonly run = (input: unknown, bus: BusView<typeof SessionLookup, LoggedIn>): Pass | Fault<IamError> => {
    const found = bus.get(SessionLookup);
    if (found.kind !== "live") return found.kind === "expired" ? EXPIRED : MISSING;
    const error = this.#policy.decide(found.session.identity);
    if (error !== undefined) return fault(error);
    writeSession(bus, found.session);
    return pass(input);
  };
}

const EXPIRED = fault(IamError.expired());
const MISSING = fault(IamError.missingToken());
