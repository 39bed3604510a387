import { IamBoundary, type IamOptions } from "#core/flow/iam-boundary.js";
import type { IamPolicy } from "#core/iam/iam-policy.js";
import type { IamVerifier } from "#core/iam/iam-verifier.js";

/**
 * `withIam` as a guard of an ingress, a group or a route. Verifies the token and applies the policy
 * before the body is read. Later steps find the caller under {@link IamIdentity}. Other callers
 * receive an {@link IamError}: 401, 403 or 503.
 */
export class AuthGuard<P extends IamPolicy = IamPolicy> extends IamBoundary<P> {
  /** Throws CONFIG_INVALID. */
  constructor(policy: P, verifier: IamVerifier, options?: IamOptions) {
    super("AuthGuard", "AuthGuard", policy, verifier, options);
  }
}
