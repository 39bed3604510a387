import type { BusView } from "#core/bus.js";
import type { Guard } from "#core/guard.js";
import { IamError } from "#core/iam-error.js";
import { IamIdentity } from "#core/iam-identity.js";
import { IamPolicy, requirePolicy } from "#core/iam-policy.js";
import { VerifiedIdentity } from "#core/ingress-facts.js";
import { type Fault, fault, type Pass, pass } from "#core/outcome.js";
import { verifiedName } from "#core/owned-identity.js";
import { Session, SessionLookup } from "#core/session.js";

type Found = typeof Session | typeof IamIdentity | typeof VerifiedIdentity;

/**
 * Refuses whoever has no live session: 401; and whom the policy does not let in: 403. It stands
 * behind LoadSession, and steps behind it can `get` the Session and the identity.
 */
export class ValidateSession implements Guard<IamError, typeof SessionLookup, Found> {
  readonly name = "ValidateSession";
  readonly kind = "guard";
  readonly description: string;
  readonly reads = [SessionLookup] as const;
  readonly writes = [Session, IamIdentity, VerifiedIdentity] as const;
  readonly #policy: IamPolicy;

  /** Throws CONFIG_INVALID for what is no policy. Default: any live session. */
  constructor(policy: IamPolicy = IamPolicy.requireIdentity()) {
    this.#policy = requirePolicy("ValidateSession", policy);
    this.description = `A live session of ${this.#policy.description}`;
  }

  readonly run = (input: unknown, bus: BusView<typeof SessionLookup, Found>): Pass | Fault<IamError> => {
    const found = bus.get(SessionLookup);
    if (found.kind !== "live") return found.kind === "expired" ? EXPIRED : MISSING;
    const { session } = found;
    const error = this.#policy.decide(session.identity);
    if (error !== undefined) return fault(error);
    bus.set(Session, session);
    bus.set(IamIdentity, session.identity);
    bus.set(VerifiedIdentity, verifiedName(session.identity));
    return pass(input);
  };
}

const EXPIRED = fault(IamError.expired());
const MISSING = fault(IamError.missingToken());
