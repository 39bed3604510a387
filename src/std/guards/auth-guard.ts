import { IamBoundary, type IamOptions } from "#core/flow/iam-boundary.js";
import type { IamPolicy } from "#core/iam/iam-policy.js";
import type { IamVerifier } from "#core/iam/iam-verifier.js";

/**
 * What `withIam` is to one Axon, as a guard: of an ingress, a group, a route. It lets in whom
 * the policy does, by the word of the verifier, before anything of the body is read. Steps
 * behind it find the caller under {@link IamIdentity}; all others are answered an
 * {@link IamError}: 401, 403 or 503.
 */
export class AuthGuard<P extends IamPolicy = IamPolicy> extends IamBoundary<P> {
  /** Throws CONFIG_INVALID. */
  constructor(policy: P, verifier: IamVerifier, options?: IamOptions) {
    super("AuthGuard", "AuthGuard", policy, verifier, options);
  }
}
