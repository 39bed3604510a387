import type { KeyObject } from "node:crypto";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { IamError } from "#core/iam/iam-error.js";
import type { Verification } from "#core/iam/iam-verifier.js";
import type { JwsAlgorithm } from "./jws-algorithm.js";

/** What a token's header says of its key. Not verified yet: whoever forges has chosen it. */
export interface KeyHint {
  /** One of those that the verifier was made with. */
  readonly alg: JwsAlgorithm;
  /** At most 256 characters. Undefined where the header has none. */
  readonly kid: string | undefined;
}

/**
 * Where a JwtVerifier has its keys from: `JwtKeys.secret(...)`, `.pem(...)`, `.jwkSet(...)`, a
 * URL, or an object of your own.
 */
export interface VerificationKeys {
  /** What it is drawn as: "1 key of a JWK set". No secret in it. */
  readonly description: string;
  /** Changes when a key was taken out: what was verified with it counts no more. Absent: it never changes. */
  readonly generation?: number;
  /**
   * Called once by each verifier that is made with it. Throws CONFIG_INVALID where its keys are
   * known and none verifies what an algorithm signs.
   */
  readonly requireFor?: (algorithms: readonly JwsAlgorithm[]) => void;
  /**
   * The key that must have signed: a public one, or a secret for HS. Undefined where there is
   * none, and the token is invalid. An IamError where that could not be found out. Without a
   * `kid` only a key that is the single one for the algorithm. The verifier refuses a key that
   * does not fit `alg`.
   */
  readonly find: (
    hint: KeyHint,
    verification: Verification,
  ) => MaybePromise<KeyObject | IamError | undefined>;
}
