import type { BusView } from "#core/bus/bus.js";
import type { DeclaredResponse } from "#core/bus/declared-response.js";
import { type Fault, fault, type Pass, pass } from "#core/bus/outcome.js";
import type { Guard } from "#core/flow/guard.js";
import { IamError } from "#core/iam/iam-error.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { type IamPolicy, requirePolicy } from "#core/iam/iam-policy.js";
import { policyResponses } from "#core/iam/iam-responses.js";

const MISSING = fault(IamError.missingToken());

/**
 * Applies a policy to the identity that a guard in front has verified: an {@link AuthGuard}, an
 * `ApiKeyGuard`, a session guard. It verifies nothing itself. Without an identity the response is
 * 401, unless the policy admits anonymous callers. If the policy refuses the identity it is 403.
 */
export class PolicyGuard implements Guard<IamError, never, never, typeof IamIdentity> {
  readonly name = "PolicyGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly mayRead = [IamIdentity] as const;
  readonly responses: readonly DeclaredResponse[];
  readonly admits: IamPolicy;

  /** Throws CONFIG_INVALID. */
  constructor(policy: IamPolicy) {
    requirePolicy("PolicyGuard", policy);
    this.admits = policy;
    this.description = policy.description;
    // An expired token is refused by the guard that verifies it.
    this.responses = policyResponses(policy).filter(({ code }) => code !== "TOKEN_EXPIRED");
  }

  readonly run = (input: unknown, bus: BusView<never, never, typeof IamIdentity>): Pass | Fault<IamError> => {
    const identity = bus.find(IamIdentity);
    if (identity === undefined) return this.admits.demandsIdentity ? MISSING : pass(input);
    const error = this.admits.decide(identity);
    return error === undefined ? pass(input) : fault(error);
  };
}
